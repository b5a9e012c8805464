package viewtest

import (
	"testing"

	"killick/view"
)

// History returns a body of chat completions of about n bytes in messages of up to 3.5 KB, with
// escapes as in code.
func History(n int) []byte {
	b := []byte(`{"model":"gpt-5.1","messages":[{"role":"system","content":"S"}`)
	line := `\tif err := run(ctx, \"task\", 42); err != nil {\n\t\treturn fmt.Errorf(\"running: ` +
		`%w\", err)\n\t}\n`
	for len(b) < n {
		b = append(b, `,{"role":"user","content":"`...)
		for i := 0; i < 35 && len(b) < n; i++ {
			b = append(b, line...)
		}
		b = append(b, `"}`...)
	}
	return append(b, `]}`...)
}

// BenchmarkParse measures how fast bodies of several sizes are read.
func BenchmarkParse(
	b *testing.B, body func(bytes int) []byte, parse func(body []byte) (*view.Request, error),
) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}} {
		body := body(size.n)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
