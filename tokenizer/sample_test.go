package tokenizer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/recorded"
	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
)

// sampled are bodies of different kinds, all large enough.
func sampled(t *testing.T) map[string]string {
	random := rand.New(rand.NewPCG(5, 6))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('!' + random.IntN(90))
		}
		return strings.NewReplacer(`"`, "_", `\`, "_").Replace(string(b))
	}
	prose := strings.Repeat("The request failed with an error while reading the file and nobody "+
		"knows why. ", 3000)
	message := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	var calls []string
	for i := range 1500 {
		calls = append(calls, fmt.Sprintf(`{"role":"assistant","content":null,`+
			`"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"read_file",`+
			`"arguments":"{\"path\":\"src/file_%[1]d.go\"}"}}]},{"role":"tool",`+
			`"tool_call_id":"call_%[1]d","content":"package a%[1]d\n\nfunc f() `+
			`{\n\treturn\n}\n"}`, i))
	}
	return map[string]string{
		"prose": message(prose),
		"code": message(strings.Repeat(`func main() {\n\tif err := run(); err != `+
			`nil {\n\t\tlog.Fatal(err)\n\t}\n}\n\n`, 3000)),
		"random":           message(letters(300_000)),
		"a tenth random":   message(prose + letters(26_000)),
		"Chinese":          message(strings.Repeat("你好，世界。我们正在测试分词器的正确性，看看结果如何。", 4000)),
		"Chinese, escaped": message(strings.Repeat(`\u4f60\u597d\uff0c\u4e16\u754c\u3002`, 8000)),
		"emoji":            message(strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈🇩🇪👍🏽", 4000)),
		"one letter":       message(strings.Repeat("a", 400_000)),
		"spaces":           message(strings.Repeat(" ", 400_000)),
		"escapes":          message(strings.Repeat(`\\\"\n\t`, 50_000)),
		"calls":            strings.Join(calls, ","),
	}
}

// inCells counts a whole body as AtMost counts samples of it.
func (m *tables) inCells(body []byte) (n int) {
	for i := range len(body) / cellStep {
		n += cell(m.encoding(), body, i)
	}
	return n + len(body)%cellStep + cellBack
}

// TestAtMost: what is said to have at most so many tokens has them, and where
// there is room enough it is said.
func TestAtMost(t *testing.T) {
	models := []string{"gpt-4o", "gpt-4", "gpt-oss-120b"}
	if testing.Short() {
		models = models[:1]
	}
	for _, model := range models {
		m := New(Options{}).For(model)
		for name, msgs := range sampled(t) {
			body := fmt.Appendf(nil, `{"model":%q,"messages":[%s]}`, model, msgs)
			req, err := chat.Parse(body)
			if err != nil {
				t.Fatal(err)
			}
			total := m.Request(req).Total
			if cells := m.inCells(body) + notInText; cells < total {
				t.Errorf("%s, %s: %d tokens in cells, there are %d", model, name, cells, total)
			}
			for range 5 {
				if m.AtMost(body, total-1) {
					t.Errorf("%s, %s: at most %d tokens of %d bytes, there are %d", model, name,
						total-1, len(body), total)
				}
			}
			if !m.AtMost(body, len(body)) {
				t.Errorf("%s, %s: cannot tell that %d bytes are at most as many "+
					"tokens", model, name, len(body))
			}
			if raw := m.encoding().Count(body); !m.AtMost(body, raw+raw/2+len(
				body)/25) && raw < len(body)*6/10 {
				t.Errorf("%s, %s: %d bytes of %d tokens as they are: cannot tell that there "+
					"are not half as many more", model, name, len(body), raw)
			}
		}
	}
}

// TestAtMostWhereverTheTokensAre: a client that knows how bodies are sampled may
// put dense text wherever it likes. It does not know which places are drawn.
func TestAtMostWhereverTheTokensAre(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	const size = 512 << 10
	sparse := strings.Repeat("The request failed while the file was read and nobody knows "+
		"why. ", size/65)
	r := rand.New(rand.NewPCG(8, 8))
	dense := make([]byte, size)
	for i := range dense {
		dense[i] = "!#$%&()*+-./:;<=>?@[]^_{|}~0123456789"[r.IntN(37)]
	}
	for name, isDense := range map[string]func(i int) bool{
		"at the end":             func(i int) bool { return i > size*97/100 },
		"at the start":           func(i int) bool { return i < size*3/100 },
		"in one block":           func(i int) bool { return i > size/3 && i < size/3+size/20 },
		"at each place":          func(i int) bool { return i%cellStep < 8 },
		"before each place":      func(i int) bool { return i%cellStep >= cellStep-8 },
		"between places":         func(i int) bool { return i%cellStep >= 28 && i%cellStep < 36 },
		"in each hundredth cell": func(i int) bool { return i/cellStep%100 == 0 },
		"in pages":               func(i int) bool { return i>>12%16 == 5 },
		"in single bytes":        func(i int) bool { return i%16 == 0 },
	} {
		text := []byte(sparse[:size-100])
		for i := range text {
			if isDense(i) {
				text[i] = dense[i]
			}
		}
		body := fmt.Appendf(nil, `{"model":"gpt-4o","messages":[{"role":"user",`+
			`"content":"%s"}]}`, text)
		req, err := chat.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		m := New(Options{}).For("gpt-4o")
		total := m.Request(req).Total
		for range 20 {
			if m.AtMost(body, total-1) {
				t.Errorf("%s: at most %d tokens, there are %d", name, total-1, total)
			}
		}
		if !m.AtMost(body, total*4/3) {
			t.Errorf("%s: cannot tell that %d tokens are not a third more", name, total)
		}
	}
}

// TestAtMostOfCode: of real code it is decided up to a twentieth below the limit.
func TestAtMostOfCode(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	m := New(Options{}).For("gpt-4.1")
	body := codeBody(t, 2<<20)
	req, err := chat.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	total := m.Request(req).Total
	for range 10 {
		if limit := total * 100 / 95; !m.AtMost(body, limit) {
			t.Errorf("cannot tell that %d tokens are at most %d", total, limit)
		}
		if m.AtMost(body, total-1) {
			t.Errorf("at most %d tokens, there are %d", total-1, total)
		}
	}
}

// TestAtMostOfRecordings: in real requests JSON has more tokens than its texts,
// with what frames them.
func TestAtMostOfRecordings(t *testing.T) {
	corpus.Sequential(t)
	m := New(Options{}).For("gpt-4o")
	seen := 0
	for _, c := range recorded.Conversations(t) {
		body := c.Body(`"model":"gpt-4o"`, len(c.Messages))
		if len(body) < minSampledBytes {
			continue
		}
		seen++
		req, err := chat.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		total := m.Request(req).Total
		if cells := m.inCells(body); cells < total {
			t.Errorf("%s: %d tokens in cells, there are %d", c.ID, cells, total)
		}
		if m.AtMost(body, total-1) {
			t.Errorf("at most %d tokens of %d bytes, there are %d", total-1, len(body), total)
		}
		if !m.AtMost(body, total*2) {
			t.Errorf("cannot tell that %d bytes of %d tokens have not twice as "+
				"many", len(body), total)
		}
	}
	if seen == 0 {
		t.Error("no recording is large enough")
	}
}

// TestAtMostWaits: what has to be counted to be learned of, or is counted at once, is not sampled.
func TestAtMostWaits(t *testing.T) {
	c := New(Options{})
	large, small := []byte(strings.Repeat("words ", 40_000)), []byte(strings.Repeat("words ", 4000))
	if c.For("gpt-4o").AtMost(small, len(small)) {
		t.Error("a small body was sampled")
	}
	unknown := c.For("claude-sonnet-4-5")
	if unknown.AtMost(large, len(large)) {
		t.Error("a body of a model that nothing is known of was sampled")
	}
	req := newConversation(t, "claude-sonnet-4-5", 17).request()
	if !unknown.Observe(unknown.Request(req).Total, unknown.Request(req).Total) {
		t.Fatal("a count like ours was not believed")
	}
	if !unknown.AtMost(large, len(large)) {
		t.Error("a body of a model that was learned of was not sampled")
	}
}

// codeBody is a request of about that many bytes: files of Go's sources as messages.
func codeBody(t testing.TB, size int) []byte {
	_, text := corpus.Unseen(t, "go", size)
	body := []byte(`{"model":"gpt-4.1","messages":[{"role":"system","content":"Review these ` +
		`files."}`)
	for text != "" && len(body) < size {
		n := min(len(text), 20_000)
		part := strings.ToValidUTF8(text[:n], "")
		body = rawjson.AppendQuoted(append(body, `,{"role":"user","content":`...), part)
		body, text = append(body, '}'), text[n:]
	}
	return append(body, `]}`...)
}

// BenchmarkAtMost asks of 2 MB of code whether it is under limits that are more or
// less close, and counts it whole.
func BenchmarkAtMost(b *testing.B) {
	m := New(Options{}).For("gpt-4.1")
	body := codeBody(b, 2<<20)
	req, err := chat.Parse(body)
	if err != nil {
		b.Fatal(err)
	}
	total := m.Request(req).Total
	for _, share := range []float64{0.5, 0.8, 0.9, 0.95, 0.97, 1.0, 1.2} {
		b.Run(fmt.Sprint(share), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			said := 0
			for b.Loop() {
				if m.AtMost(body, int(float64(total)/share)) {
					said++
				}
			}
			b.ReportMetric(float64(said)/float64(b.N), "decided")
		})
	}
	b.Run("whole", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			req, err := chat.Parse(body)
			if err != nil {
				b.Fatal(err)
			}
			New(Options{MemoEntries: 512}).For("gpt-4.1").Request(req)
		}
	})
}
