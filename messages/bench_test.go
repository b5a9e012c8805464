package messages

import (
	"fmt"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

// history returns a body of about n bytes of calls with their results, with escapes as in code.
func history(n int) []byte {
	const line = `\tif err := run(ctx, \"task\", 42); err != nil {\n\t\treturn fmt.Errorf(` +
		`\"running: %w\", err)\n\t}\n`
	b := []byte(`{"model":"claude-opus-5","max_tokens":1,"messages":[` +
		`{"role":"user","content":"go"}`)
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, `,{"role":"assistant","content":[{"type":"text","text":"Next."},`+
			`{"type":"tool_use","id":"%d","name":"read","input":{"path":"a.go"}}]},{"role":"user",`+
			`"content":[{"type":"tool_result","tool_use_id":"%[1]d","content":"%s"}]}`, i,
			strings.Repeat(line, 35))
	}
	last := len(b) - len(`}]}`)
	return append(append(b[:last:last], `,"cache_control":{"type":"ephemeral"}}]}`...), `]}`...)
}

func BenchmarkParse(b *testing.B) { viewtest.BenchmarkParse(b, history, Parse) }

func BenchmarkMark(b *testing.B) {
	r := parse(b, string(history(1<<20)))
	pieces := []view.Piece{
		{Raw: Format.Spelling().UserMessage([]byte(`"R"`))}, {From: 1, To: len(r.Messages())},
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(Format.Mark(r, pieces)) == 0 {
			b.Fatal("nothing is left")
		}
	}
}
