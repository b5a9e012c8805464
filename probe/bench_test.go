package probe

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
)

// session writes a coding session of about size bytes.
func session(t testing.TB, size int) []chat.Message {
	var talk strings.Builder
	talk.WriteString("user: Port the settings dialog of the desktop client to the new theme system.\n")
	source := strings.Repeat(" func (d *Dialog) Render(w int) []string { return d.theme.Fg(\"muted\", d.title) }\n", 40)
	for i := 0; talk.Len() < size; i++ {
		fmt.Fprintf(&talk, "user: Next is panel %d, please keep its width under %d columns. Never break the keyboard shortcuts of panel %d.\n", i, 80+i, i)
		fmt.Fprintf(&talk, "assistant: I'll read panel %d first. We decided to use the muted token instead of a fixed gray because themes differ.\n", i)
		fmt.Fprintf(&talk, "tool read {\"path\":\"src/panels/panel%d.go\"} => package panels\n%s", i, source)
		fmt.Fprintf(&talk, "tool edit {\"path\":\"src/panels/panel%d.go\",\"old\":\"a\",\"new\":\"b\"} => ok\n", i)
		fmt.Fprintf(&talk, "tool bash {\"command\":\"go test ./src/panels -run Panel%d\"} => --- FAIL: TestPanel%d (0.01s)\n", i, i)
	}
	return script(t, talk.String())
}

// prose joins what was said, as a record that forgot nothing.
func prose(msgs []chat.Message) string {
	var b strings.Builder
	for i := range msgs {
		b.WriteString(msgs[i].Text())
		for _, c := range msgs[i].ToolCalls() {
			b.WriteString("\n" + c.Arguments.Text())
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

func BenchmarkDraw(b *testing.B) {
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20} {
		msgs := session(b, size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				Draw(msgs, Config{})
			}
		})
	}
}

func BenchmarkAsk(b *testing.B) {
	questions := Draw(session(b, 1<<20), Config{})
	for _, size := range []int{16 << 10, 128 << 10, 1 << 20} {
		record := prose(session(b, size))
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(record)))
			for b.Loop() {
				Ask(questions, record, Config{})
			}
		})
	}
}

func BenchmarkScore(b *testing.B) {
	const expected, actual = "Use thiserror for typed errors in library crates", "thiserror was chosen for error types in library crates"
	b.ReportAllocs()
	b.SetBytes(int64(len(expected) + len(actual)))
	for b.Loop() {
		Score(expected, actual)
	}
}
