package speech

import (
	"strings"
	"testing"
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
