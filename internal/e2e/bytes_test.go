package e2e

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeupstream"
)

// anything is an upstream that takes whatever comes and keeps it.
func anything() fakeupstream.Config {
	return fakeupstream.Config{Fault: func(int, *http.Request) fakeupstream.Fault {
		return fakeupstream.Fault{Status: http.StatusOK,
			Body: []byte(`{"object":"chat.completion"}`)}
	}}
}

// oddSpellings are pieces of JSON strings that decoding and encoding would not
// give back.
var oddSpellings = []string{
	`plain words `, `\u0041\u00e9`, "é ", `\/path\/`, `\ud83d`, `\udca9\ud83d`, `\ud83d\ude00`, "😀",
	`\u0000`, "\u2028", `<b>&amp;`,
	`\"quoted\"`, `\\u0041`, `<|endoftext|>`, "\xff\xfe", "\xed\xa0\xbd", "中文没有空格", `\b\f\t`,
	strings.Repeat("x", 40), "\u00a0", "\ufeff",
}

var oddSpaces = []string{"", "", " ", "\n\t", "\r\n", "    "}

func oddSpace(r *rand.Rand) string { return oddSpaces[r.IntN(len(oddSpaces))] }

// oddMessage returns a message of about so many bytes.
func oddMessage(r *rand.Rand, about int) string {
	var b strings.Builder
	b.WriteString(`{` + oddSpace(r) + `"content"` + oddSpace(r) + `:"`)
	for b.Len() < about {
		b.WriteString(oddSpellings[r.IntN(len(oddSpellings))])
	}
	b.WriteString(`",` + oddSpace(r) + `"weight":` +
		[]string{"2.50", "-0", "1E+2", "1e400", "123456789012345678901234567890"}[r.IntN(5)])
	b.WriteString(`,"role":"` + []string{"user", "assistant", `\u0075ser`}[r.IntN(3)] + `"` +
		oddSpace(r) + `}`)
	return b.String()
}

// oddBody returns a body of exactly n bytes: a chat request, where there is room
// for one.
func oddBody(r *rand.Rand, n int) []byte {
	// Nothing is known of this model, so its requests are counted and not sampled.
	const head, tail = `{"temperature":0.70,"seed":1e2,"meta":{"a":1,"a":2.0},"model":"local1" ` +
		`,"messages":[`, ` ], "stream" :false}`
	b := make([]byte, 0, n)
	end := "}"
	if n < len(head)+len(tail)+2000 {
		b = append(b, '{')
	} else {
		b, end = append(b, head...), tail
		// A few messages come again and again, as in a history that is sent again.
		about := min(8192, n/4)
		messages := make([]string, 12)
		for i := range messages {
			messages[i] = oddMessage(r, about)
		}
		b = append(b, messages[0]...)
		for {
			next := "," + oddSpace(r) + messages[r.IntN(len(messages))]
			if len(b)+len(next)+len(end) > n {
				break
			}
			b = append(b, next...)
		}
	}
	for len(b)+len(end) < n {
		b = append(b, " \n\t\r"[r.IntN(4)])
	}
	return append(b, end...)
}

// untouched sends a body and fails unless the upstream got the same bytes under
// the same headers about them, and the client was informed of it.
func untouched(t *testing.T, g *gateway, body io.Reader, want []byte, header ...string) forwarded {
	t.Helper()
	f := passed(t, g, body, header...)
	seen := g.upstream.Requests()[0]
	if !bytes.Equal(f.body, want) {
		at := 0
		for at < min(len(want), len(f.body)) && want[at] == f.body[at] {
			at++
		}
		t.Errorf("%d bytes came, %d were forwarded; from byte %d on\n%.80q instead of\n%.80q",
			len(want), len(f.body), at, f.body[at:], want[at:])
	}
	sent := http.Header{}
	for i := 0; i < len(header); i += 2 {
		sent.Add(header[i], header[i+1])
	}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Md5", "Digest"} {
		if !slices.Equal(seen.Header.Values(name), sent.Values(name)) {
			t.Errorf("%s: %q came, %q was forwarded", name, sent.Values(name),
				seen.Header.Values(name))
		}
	}
	if seen.Header.Get("Killick-Mode") != "" {
		t.Error("Killick-Mode went to the upstream")
	}
	switch action := f.header.Get("Killick-Action"); action {
	case "none", "bypass", "observe":
	default:
		t.Errorf("untouched, but the action is %q", action)
	}
	return f
}

// passed sends a body, chunked unless its length is known, and returns what
// became of it. g is used by one test at a time.
func passed(t *testing.T, g *gateway, body io.Reader, header ...string) forwarded {
	t.Helper()
	g.upstream.Reset()
	f, err := exchange(t.Context(), http.MethodPost, g.url+chatPath, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	seen := g.upstream.Requests()
	if len(seen) != 1 || f.status != http.StatusOK {
		t.Fatalf("status %d, %d requests at the upstream: %.200s", f.status, len(seen), f.reply)
	}
	f.body = seen[0].Body
	return f
}

// chunked hides a body's length.
func chunked(body []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(body)} }

// roomy is a configuration under whose trigger a text of this many bytes fits, yet not by its size
// alone.
func roomy(bytes int) func(*config.Config) {
	return func(c *config.Config) {
		c.Models = map[string]config.ModelSpec{"*": {Window: 200_000_000}}
		between(config.Amount(bytes*3/4), config.Amount(bytes/4))(c)
	}
}

func TestUnderTheTriggerNothingChanges(t *testing.T) {
	noLeaks(t)
	maxDoubled, largestImage := 16<<20, 20_000_000
	if raceEnabled { // which looks at every byte, at every copy
		maxDoubled, largestImage = 1<<20, 3_000_000
	}
	sizes := []int{3, 5, 7, 100, 999, 4097, 10_001, 65_535, 65_537, 100_000, 999_999, 20_000_000}
	for size := 2; size <= maxDoubled; size *= 2 {
		sizes = append(sizes, size)
	}
	t.Run("text", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, anything(), roomy(20_000_000))
		r := rand.New(rand.NewPCG(1, 2))
		for _, size := range sizes {
			body := oddBody(r, size)
			if len(body) != size {
				t.Fatalf("a body of %d bytes, want %d", len(body), size)
			}
			f := untouched(t, g, bytes.NewReader(body), body, "Content-Type", "application/json")
			if reason := f.header.Get("Killick-Reason"); reason != "under the trigger" {
				t.Errorf("%d bytes: the reason is %q", size, reason)
			}
			if raw, _ := proxytest.Tokens(t, f.header.Get("Killick-Tokens")); size == 20_000_000 &&
				raw < size/20 {
				t.Errorf("%d bytes: counted as %d tokens", size, raw)
			}
		}
	})
	t.Run("text, by a sample", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, anything(), roomy(2_000_000))
		r := rand.New(rand.NewPCG(7, 8))
		for _, size := range []int{200_000, 1<<20 + 1, 2_000_000} {
			body := bytes.Replace(oddBody(r, size), []byte(`"local1"`), []byte(`"gpt-4o"`), 1)
			f := untouched(t, g, bytes.NewReader(body), body, "Content-Type", "application/json")
			if reason, tokens := f.header.Get("Killick-Reason"),
				f.header.Get("Killick-Tokens"); reason != "under the trigger" || tokens != "" {
				t.Errorf("%d bytes: the reason is %q, the tokens %q", size, reason, tokens)
			}
		}
	})
	t.Run("images, under the default trigger", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, anything(), nil)
		image := strings.Repeat("iVBORw0KGgo\\/", largestImage/13)
		for _, size := range []int{1 << 10, 1<<20 + 1, largestImage} {
			body := []byte(`{"model":"gpt-4o","messages":[{"role":"user",` +
				`"content":[{"type":"text","text":"\u0041"},` +
				`{"type":"image_url","image_url":{"url":"data:image\/png;base64,` +
				image[:size/13*13] + `"}}]}]}`)
			f := untouched(t, g, bytes.NewReader(body), body, "Content-Type",
				"application/json; charset=utf-8")
			if raw, _ := proxytest.Tokens(t, f.header.Get("Killick-Tokens")); size > 1<<20 &&
				(raw == 0 || raw > 10_000) {
				t.Errorf("an image of %d bytes counts as %d tokens", size, raw)
			}
		}
	})
	t.Run("chunked", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, anything(), roomy(2<<20))
		r := rand.New(rand.NewPCG(3, 4))
		for _, size := range []int{2, 16 << 10, 16<<10 + 1, 300_000, 2 << 20} {
			body := oddBody(r, size)
			untouched(t, g, chunked(body), body, "Content-Type", "application/json")
		}
	})
	t.Run("encoded", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, anything(), roomy(200_000))
		r := rand.New(rand.NewPCG(5, 6))
		for name, encode := range encodings {
			for _, size := range []int{2, 5000, 200_000} {
				body := encode(t, oddBody(r, size))
				f := untouched(t, g, bytes.NewReader(body), body, "Content-Type",
					"application/json", "Content-Encoding", name, "Digest", "sha-256=x")
				if raw, _ := proxytest.Tokens(t, f.header.Get("Killick-Tokens")); size > 5000 &&
					raw < size/20 {
					t.Errorf("%s: %d bytes, counted as %d tokens", name, size, raw)
				}
			}
		}
	})
}

// encodings are those that a request may come in and is looked into.
var encodings = map[string]func(*testing.T, []byte) []byte{
	"gzip": encoder(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
	"br":   encoder(func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) }),
	"zstd": encoder(func(w io.Writer) io.WriteCloser {
		e, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // of options that are fixed
		}
		return e
	}),
	"deflate": encoder(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
	"Deflate": encoder(func(w io.Writer) io.WriteCloser { // without its wrapping, as some send it
		f, err := flate.NewWriter(w, 1)
		if err != nil {
			panic(err) // of a level that is fixed
		}
		return f
	}),
}

func encoder(start func(io.Writer) io.WriteCloser) func(*testing.T, []byte) []byte {
	return func(t *testing.T, body []byte) []byte {
		t.Helper()
		var b bytes.Buffer
		w := start(&b)
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
}

// What cannot be read as a chat request is the upstream's to refuse, however far
// it would be over the trigger.
func TestUnreadableBodiesPass(t *testing.T) {
	noLeaks(t)
	g := newGateway(t, anything(), between(1000, 500))
	over := overTheTrigger()
	noise := make([]byte, 100_001)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	deep := func(n int) []byte {
		return slices.Concat(over[:len(over)-1], []byte(`,"x":`), bytes.Repeat([]byte("["), n),
			bytes.Repeat([]byte("]"), n), []byte("}"))
	}
	for name, body := range map[string][]byte{
		"nothing":               nil,
		"an empty object":       []byte(`{}`),
		"a space":               []byte(" "),
		"noise":                 noise,
		"zeros":                 make([]byte, 5000),
		"half a request":        over[:len(over)/2],
		"without its last byte": over[:len(over)-1],
		"with a byte too much":  append(slices.Clone(over), '}'),
		"two requests":          slices.Concat(over, over),
		"after a mark":          slices.Concat([]byte("\xef\xbb\xbf"), over),
		"in an array":           slices.Concat([]byte("["), over, []byte("]")),
		"as a string":           []byte(strconv.Quote(strings.Repeat("words ", 2000))),
		"messages in an object": []byte(`{"messages":{"0":"` + strings.Repeat("words ", 2000) +
			`"}}`),
		"messages twice": slices.Concat(over[:len(over)-1], []byte(`,"messages":[]}`)),
		"messages spelled twice": slices.Concat(over[:len(over)-1],
			[]byte(`,"\u006dessages":[]}`)),
		"messages that are none": []byte(`{"model":"gpt-4o","messages":[1,"two",null,` +
			strings.Repeat(`"words",`, 2000) + `3]}`),
		"nested deeply": deep(20_000),
		"nested and never closed": slices.Concat(over[:len(over)-1], []byte(`,"x":`),
			bytes.Repeat([]byte(`[`), 1_000_000)),
		"objects never closed": bytes.Repeat([]byte(`{"messages":`), 100_000),
		"a form":               []byte("model=gpt-4o&messages=" + strings.Repeat("words+", 2000)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, contentType := range []string{"application/json", "text/plain; charset=latin1",
				""} {
				header := []string{"Content-Type", contentType}
				if contentType == "" {
					header = nil
				}
				untouched(t, g, bytes.NewReader(body), body, header...)
				untouched(t, g, chunked(body), body, header...)
			}
		})
	}
	for name, body := range map[string][]byte{
		"gzip":     over, // which it is not
		"zstd":     noise,
		"br":       noise,
		"deflate":  encodings["gzip"](t, over),
		"x-snappy": encodings["gzip"](t, over),
		"gzip, br": encodings["br"](t, encodings["gzip"](t, over)),
	} {
		t.Run("not in "+name, func(t *testing.T) {
			untouched(t, g, bytes.NewReader(body), body, "Content-Type", "application/json",
				"Content-Encoding", name)
		})
	}
	cut := encodings["gzip"](t, over)
	untouched(t, g, bytes.NewReader(cut[:len(cut)-9]), cut[:len(cut)-9], "Content-Encoding", "gzip")
}
