package rawjson

import (
	"strings"
	"testing"
)

func BenchmarkSkipString(b *testing.B) {
	for name, line := range map[string]string{
		"code": `\tif err := w.write(list[i]); err != nil {\n` +
			`\t\treturn fmt.Errorf(\"%w\", err)\n\t}\n`,
		"prose": `The whole body is read before anything is forwarded: ` +
			`if it were piped, it could be cut.\n`,
		"short": ``,
	} {
		value := []byte(`"` + strings.Repeat(line, 1000) + `abcdefgh"`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				if end, err := Skip(value, 0); err != nil || end != len(value) {
					b.Fatal(end, err)
				}
			}
		})
	}
}
