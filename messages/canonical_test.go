package messages

import (
	"bytes"
	"testing"

	"killick/cache"
	"killick/chat"
)

func TestCanonicalIgnoresChangesBetweenTurns(t *testing.T) {
	user := func(content string) string { return `{"role":"user","content":` + content + `}` }
	assistant := func(content string) string {
		return `{"role":"assistant","content":` + content + `}`
	}
	res := func(rest string) string {
		return `{"type":"tool_result","tool_use_id":"1"` + rest + `}`
	}
	const (
		text     = `{"type":"text","text":"hi"}`
		thinking = `{"type":"thinking","thinking":"hm","signature":"s"}`
		use      = `{"type":"tool_use","id":"1","name":"f","input":{"p":1}}`
	)
	tests := []struct {
		name string
		same bool
		a, b string
	}{
		{"string and one text block", true, user(`"hi"`),
			`{"content":[` + text + `],"role":"user"}`},
		{"absent, null, empty", true, `{"role":"user"}`, user(`null`)},
		{"no blocks", true, user(`[]`), user(`""`)},
		{"a mark", true, user(`[` + text + `]`),
			user(`[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]`)},
		{"a mark in a call", true, assistant(`[` + use + `]`), assistant(`[{"type":"tool_use",` +
			`"id":"1","name":"f","input":{ "p" : 1 },"cache_control":{"type":"ephemeral"}}]`)},
		{"a mark in a result", true, res(`,"content":"hi"`),
			res(`,"cache_control":{"type":"ephemeral"},"content":[{"type":"text","text":"hi",` +
				`"cache_control":{"type":"ephemeral","ttl":"1h"}}]`)},
		{"thinking", true, assistant(`[` + thinking + `,` + text + `,` + use + `]`),
			assistant(`[` + text + `,` + use + `]`)},
		{"escapes", true, user(`"\u0041\/"`), user(`"A/"`)},
		{"no error", true, res(`,"content":"hi","is_error":false`), res(`,"content":"hi"`)},
		{"an error", false, res(`,"content":"hi","is_error":true`), res(`,"content":"hi"`)},
		{"role", false, user(`"a"`), assistant(`"a"`)},
		{"split text", false, user(`[` + text + `,` + text + `]`), user(`"hihi"`)},
		{"a run and a message", false, user(`[` + text + `]`), text},
		{"a result and its text", false, res(`,"content":"hi"`), text},
		{"ids of results", false, res(`,"content":"hi"`),
			`{"type":"tool_result","tool_use_id":"2","content":"hi"}`},
		{"order of blocks", false, assistant(`[` + text + `,` + use + `]`),
			assistant(`[` + use + `,` + text + `]`)},
		{"arguments", false, assistant(`[` + use + `]`),
			assistant(`[{"type":"tool_use","id":"1","name":"f","input":{"p":2}}]`)},
		{"images", false, user(`[{"type":"image","source":{"url":"a"}}]`),
			user(`[{"type":"image","source":{"url":"b"}}]`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, errA := ParseMessage([]byte(tt.a))
			b, errB := ParseMessage([]byte(tt.b))
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			of := a.AppendCanonical(nil)
			if got := bytes.Equal(of, b.AppendCanonical(nil)); got != tt.same {
				t.Errorf("the same: %t, want %t\n%q\n%q", got, tt.same, of, b.AppendCanonical(nil))
			}
			if other, err := chat.ParseMessage([]byte(tt.a)); err == nil {
				if bytes.Equal(of, other.AppendCanonical(nil)) {
					t.Error("the same as in chat format")
				}
			}
		})
	}
}

// Claude Code's billing line, which differs in each request, and marks, which move, are not part of
// a conversation.
func TestTurnsOfClaudeCodeAreOneConversation(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	head := func(billing string) string {
		return `{"model":"claude-opus-5","system":[{"type":"text",` +
			`"text":"x-anthropic-billing-header: cc_version=2.1; cch=` + billing + `;"},` +
			`{"type":"text","text":"You are Claude Code."` + mark + `}],"messages":[`
	}
	first := head("a1b2c") + `{"role":"user","content":[{"type":"text","text":"hi"` + mark + `}]}]}`
	second := head("0f9e8") + `{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"` + mark +
		`}]}]}`
	third := head("77777") + `{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},` +
		`{"type":"text","text":"go on"` + mark + `}]}]}`
	var last []cache.Digest
	for _, body := range []string{first, second, third} {
		r, err := Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		digests := cache.Digests(nil, r.Messages())
		if len(digests) <= len(last) {
			t.Fatalf("%d messages after %d", len(digests), len(last))
		}
		for i := range last {
			if digests[i] != last[i] {
				t.Errorf("message %d is another in %s", i, body)
			}
		}
		last = digests
	}
}
