package view_test

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/gemini"
	"killick/messages"
	"killick/responses"
	"killick/view"
)

// The hashes differ if and only if what precedes the turns in a provider's cache differs.
func TestPreambleHash(t *testing.T) {
	hash := func(f view.Format, body string) uint64 {
		r, err := view.Parse(f, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return r.PreambleHash()
	}
	const system = `"system":[{"type":"text","text":"x-anthropic-billing-header: cch=%;"},` +
		`{"type":"text","text":"Be brief."}],`
	base := `{"model":"m",` + system + `"tools":[{"name":"a"}],"messages":[` +
		`{"role":"user","content":"hi"}]}`
	of := func(old, new string) uint64 {
		return hash(messages.Format, strings.Replace(base, old, new, 1))
	}
	same := of("", "")
	for name, got := range map[string]uint64{
		"another message": of("hi", "ho"), "a billing line": of("%", "1f3a"),
	} {
		if got != same {
			t.Errorf("%s counts as another preamble", name)
		}
	}
	for name, got := range map[string]uint64{
		"another model": of(`"m"`, `"n"`), "another tool": of(`"a"`, `"b"`),
		"another instruction": of("brief", "short"),
	} {
		if got == same {
			t.Errorf("%s counts as the same preamble", name)
		}
	}
	assist := `{"model":"m","request":{"contents":[{"parts":[{"text":"hi"}]}]}}`
	if hash(gemini.CodeAssist, assist) ==
		hash(gemini.CodeAssist, strings.Replace(assist, `"m"`, `"n"`, 1)) {
		t.Error("another model beside the request counts as the same preamble")
	}
	one := hash(
		chat.Format,
		`{"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}]}`,
	)
	two := hash(
		chat.Format,
		`{"messages":[{"role":"system","content":"c"},{"role":"user","content":"b"}]}`,
	)
	if one == two {
		t.Error("another system message counts as the same preamble")
	}
}

// Conversations are told apart by what no client writes: the model's words, and the ids of its
// calls. What a client changes later does not count.
func TestFirstReplies(t *testing.T) {
	of := func(f view.Format, list string) uint64 {
		t.Helper()
		name := "messages"
		if f == responses.Format {
			name = "input"
		}
		r, err := view.Parse(f, []byte(`{"model":"m","`+name+`":[`+list+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		return r.FirstReplies(3)
	}
	const (
		asks    = `{"role":"user","content":"Review this."}`
		marked  = `{"type":"text","text":"Yes.","cache_control":{"type":"ephemeral"}}`
		call    = `{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}`
		thinks  = `{"type":"thinking","thinking":"Hm.","signature":"x"},`
		item    = `{"type":"function_call","call_id":"call_1","name":"a","arguments":"{}"}`
		reasons = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},`
	)
	says := func(parts string) string {
		return asks + `,{"role":"assistant","content":` + parts + `}`
	}
	if got := of(messages.Format, asks); got != 0 {
		t.Errorf("before the first reply: %d", got)
	}
	plain := of(messages.Format, says(`"Yes."`))
	for name, c := range map[string]struct {
		format view.Format
		list   string
		same   bool
	}{
		"parts":          {messages.Format, says(`[{"type":"text","text":"Yes."}]`), true},
		"a mark":         {messages.Format, says(`[` + marked + `]`), true},
		"thinking":       {messages.Format, says(`[` + thinks + marked + `]`), true},
		"chat":           {chat.Format, says(`"Yes."`), true},
		"a user's words": {messages.Format, says(`"Yes."`) + `,` + asks, true},
		"other words":    {messages.Format, says(`"Yes. "`), false},
		"a call":         {messages.Format, says(`[` + marked + `,` + call + `]`), false},
		"another reply":  {messages.Format, says(`"Yes."`) + `,` + says(`"No."`), false},
	} {
		if got := of(c.format, c.list); (got == plain) != c.same || got == 0 {
			t.Errorf("%s: the same %t, want %t", name, got == plain, c.same)
		}
	}
	called := of(responses.Format, asks+`,`+item)
	for name, c := range map[string]struct {
		list string
		same bool
	}{
		"what follows the first call": {asks + `,` + item + `,` + says(`"Yes."`), true},
		"reasoning":                   {asks + `,` + reasons + item, true},
		"another id":                  {asks + `,` + strings.Replace(item, "_1", "_2", 1), false},
		"a made-up reply before it":   {says(`"Got it."`) + `,` + item, false},
	} {
		if got := of(responses.Format, c.list); (got == called) != c.same {
			t.Errorf("%s: the same %t, want %t", name, got == called, c.same)
		}
	}
	three := strings.Repeat(says(`"Yes."`)+`,`, 3) + asks
	if of(chat.Format, three) != of(chat.Format, three+`,`+says(`"No."`)) {
		t.Error("a fourth reply counts")
	}
}
