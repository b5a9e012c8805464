package tokenizer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/rawjson"
	"killick/tokenizer/internal/corpus"
	"killick/view"
)

// history is the body of a request of about a megabyte: 300 messages, and a new
// one whose text holds twelve digits at the offset returned.
func history(b testing.TB) (body []byte, digits int) {
	var buf []byte
	buf = append(buf, `{"model":"gpt-5.1","stream":true,"messages":[{"role":"system",`+
		`"content":"You are a careful agent."}`...)
	text := corpus.Text(b, "chat", 980<<10, 21)
	for i := range 299 {
		part := strings.ToValidUTF8(text[i*len(text)/299:(i+1)*len(text)/299], "")
		buf = fmt.Appendf(buf, `,{"role":%q,"content":`, []string{"user", "assistant"}[i%2])
		buf = append(rawjson.AppendQuoted(buf, part), '}')
	}
	buf = append(buf, `,{"role":"user","content":"`...)
	digits = len(buf)
	return append(buf, `000000000000 Now look at the second test, please, and say why it fails. `+
		`I have changed nothing but the name of one function."}]}`...), digits
}

// BenchmarkResent counts a request whose history was counted before and whose
// last message is new: all of it, with a parser that knows the history and with
// one that does not, and each of its steps.
func BenchmarkResent(b *testing.B) {
	body, at := history(b)
	m := New(Options{}).For("gpt-5.1")
	fresh := func(n int) { copy(body[at:], fmt.Sprintf("%012d", n)) }
	parsed := func(b *testing.B) *view.Request {
		req, err := chat.Parse(body)
		if err != nil {
			b.Fatal(err)
		}
		return req
	}
	m.Request(parsed(b))
	// As a server sees it: the history comes again, longer by one message each time; it begins
	// again before it has grown by a fiftieth.
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		var parser view.Parser
		next := slices.Clone(body)
		n := 0
		for b.Loop() {
			if n++; n%200 == 0 {
				next = append(next[:0], body...)
			}
			next = fmt.Appendf(next[:len(next)-len(`]}`)], `,{"role":"user","content":"And %d: `+
				`is that one right? Please look again."}]}`, n)
			req, err := parser.Parse(chat.Format, "", next)
			if err != nil {
				b.Fatal(err)
			}
			if total := m.Request(req).Total; total < 1000 {
				b.Fatal(total)
			}
		}
	})
	b.Run("unknown", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			n++
			fresh(n)
			if total := m.Request(parsed(b)).Total; total < 1000 {
				b.Fatal(total)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			parsed(b)
		}
	})
	b.Run("hash", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		msgs := parsed(b).Messages()
		for b.Loop() {
			for i := range msgs {
				copied := msgs[i] // whose fingerprint is not known yet
				copied.Fingerprint()
			}
		}
	})
	b.Run("memo", func(b *testing.B) {
		req := parsed(b)
		m.Request(req)
		b.ReportAllocs()
		for b.Loop() {
			m.Request(req)
		}
	})
	b.Run("observe", func(b *testing.B) {
		req := parsed(b)
		total := m.Request(req).Total
		b.ReportAllocs()
		for b.Loop() {
			m.Observe(total, total)
		}
	})
}
