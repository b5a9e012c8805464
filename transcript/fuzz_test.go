package transcript

import (
	"strings"
	"testing"
	"unicode"

	"killick/rawjson"
	"killick/view"
)

// FuzzSpans: spans cover the text in order and without gaps, and the content of a client's block is
// never among a person's words.
func FuzzSpans(f *testing.F) {
	for _, unit := range costly {
		f.Add(unit, unit)
	}
	for _, before := range []string{"", task, reminder, "<task>", "<document>", "```\n", "> x\n",
		"/mode", "<context>", "<bash-stdout>", "\xff", RecordMark} {
		for _, after := range []string{"", task, "</task>", "</document>\n", "\n```",
			"</system-reminder>", "</context>", "</bash-stdout>", RecordEnd} {
			f.Add(before, after)
		}
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "s3cr3tN0te"
		if strings.Contains(before, secret) || strings.Contains(after, secret) {
			t.Skip("the text itself says what is looked for")
		}
		text := before + "\n<system-reminder>\nof the client: " + secret +
			"\n</system-reminder>\n" + after
		m := &Message{Text: text, Spans: spansOf(text)}
		checkSpans(t, m)
		for _, words := range []string{m.Words(), m.Plain()} {
			if strings.Contains(words, secret) {
				t.Fatalf("the words %q hold a client's note of %q", words, text)
			}
		}
	})
}

// FuzzWords: a person's plain line between blocks is never lost.
func FuzzWords(f *testing.F) {
	f.Add("fix the login", "use tabs")
	f.Add("1+2", "ja")
	f.Add("/fix it", "# AGENTS.md")
	f.Fuzz(func(t *testing.T, first, second string) {
		words := strings.ToValidUTF8("a "+first+" b\nc "+second+" d", "")
		if strings.ContainsAny(words, "<`~>") {
			t.Skip("words that may open or close a block")
		}
		text := reminder + "\n" + words + "\n" + envBlock
		m := &Message{Text: text, Spans: spansOf(text)}
		if got := m.Words(); got != words {
			t.Fatalf("words %q, want %q", got, words)
		}
	})
}

// FuzzCall: no path contains a control character or a line break, whatever the arguments are.
func FuzzCall(f *testing.F) {
	for _, seed := range []struct{ tool, arguments string }{
		{"Read", `{"file_path":"/a/b.go"}`},
		{"read", `{"path":"a\nb\u0085c\u2028d"}`},
		{"apply_patch",
			"*** Begin Patch\n*** Add File: a\vb.go\n*** Move to: c\x00d\n*** End Patch"},
		{"apply_patch", `{"input":"--- a/x\n+++ b/y\u000b\n@@\n"}`},
		{"shell", `{"command":["bash","-lc","ls"]}`},
		{"schreibe", `{"pfad":"a\u202eb.go","inhalt":"x"}`},
		{"TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`},
		{"x", `{"a":[[[[{"b":"c/d.go"}]]]]}`},
		{"x", `{`}, {"x", "\xff"}, {"", ""},
		{"exec", `await tools.apply_patch("*** Begin Patch\n*** Add File: a\x0bb\u202e.go\n")`},
		{"exec", `{"input":"text(await tools.exec_command({cmd: 'cat a\u2028b.go'}))"}`},
	} {
		f.Add(seed.tool, seed.arguments)
	}
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		made := view.ToolCall{
			Name:      tool,
			Arguments: rawjson.Value(rawjson.AppendQuoted(nil, arguments)),
		}
		c := NewCall(made, 0)
		for _, p := range c.Paths {
			if p.Name == "" || strings.ContainsFunc(p.Name, unicode.IsControl) ||
				strings.ContainsAny(p.Name, "\u2028\u2029") {
				t.Fatalf("path %q of %s %q", p.Name, tool, arguments)
			}
		}
		if c.Effect > Runs {
			t.Fatalf("effect %d of %s %q", c.Effect, tool, arguments)
		}
		c.Key()
		c.Decoded()
		c.Ranged()
		_ = Todos{}.After(&c, arguments)
	})
}
