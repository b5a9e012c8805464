package responses_test

import (
	"bytes"
	"fmt"
	"testing"

	"killick/chat"
	"killick/internal/convert"
	"killick/responses"
	"killick/view"
)

// history is a chat request of about n bytes: turns of a call and its result.
func history(n int) []byte {
	b := []byte(`{"model":"gpt-5.1","messages":[{"role":"system","content":"S"},` +
		`{"role":"user","content":"Fix it."}`)
	line := `\tif err := run(ctx, \"task\", 42); err != nil {\n\t\treturn err\n\t}\n`
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, `,{"role":"assistant","content":"I look.","tool_calls":[{"id":"c%d",`+
			`"type":"function","function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]},`+
			`{"role":"tool","tool_call_id":"c%[1]d","content":"`, i)
		for range 40 {
			b = append(b, line...)
		}
		b = append(b, `"}`...)
	}
	return append(b, `]}`...)
}

// The benchmark reads a new conversation, and a known one with a new message, in comparison with
// chat.
func BenchmarkParse(b *testing.B) {
	body := history(1 << 20)
	for _, c := range []struct {
		format view.Format
		body   []byte
		more   string
	}{
		{chat.Format, body, `,{"role":"user","content":"one more"}]}`},
		{responses.Format, convert.Responses(body), `,{"role":"user","content":"one more"}]}`},
	} {
		b.Run(c.format.Name()+"/whole", func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := view.Parse(c.format, c.body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.format.Name()+"/known", func(b *testing.B) {
			var p view.Parser
			next := append(bytes.TrimSuffix(c.body, []byte("]}")), c.more...)
			b.SetBytes(int64(len(next)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Parse(c.format, "ann", next); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
