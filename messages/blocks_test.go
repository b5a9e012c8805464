package messages

import (
	"strings"
	"testing"

	"killick/rawjson"
	"killick/view"
)

// An array of messages is of this format if one has a block that only this format has.
func TestHoldsBlocks(t *testing.T) {
	for array, want := range map[string]bool{
		`[{"content":"tool_use"},{"content":[{"type":"text","text":"tool_use"}]}]`: false,
		`[{"content":{"type":"tool_use"}}]`:                                        false,
		`[{"content":"a"},{"content":[{"type":"text"},{"type":"tool_use"}]}]`:      true,
		`[{"content":[{"type":"tool_result"}]}]`:                                   true,
		`[{"content":[{"type":"thinking"}]}]`:                                      true,
		`[{"content":[{"type":"redacted_thinking"}]}]`:                             true,
		`[]`: false, `{}`: false,
	} {
		if got := HoldsBlocks(rawjson.Value(array)); got != want {
			t.Errorf("%s: %t, want %t", array, got, want)
		}
	}
}

// What is read on its own is a message, a result or a run of blocks beside results, with the flags
// of all of its blocks.
func TestMessagesOnTheirOwn(t *testing.T) {
	const (
		text    = `{"type":"text","text":"a"}`
		result  = `{"type":"tool_result","tool_use_id":"1","content":"r"}`
		program = `{"type":"tool_use","id":"1","name":"f","caller":{"type":"code_execution"}}`
		call    = `{"type":"tool_use","id":"2","name":"f"}`
	)
	message := func(role, blocks string) string {
		return `{"role":"` + role + `","content":[` + blocks + `]}`
	}
	for raw, want := range map[string]struct {
		role  view.Role
		flags view.Flags
		parts int
	}{
		text:                                    {view.User, view.Several, 1},
		text + `, ` + text:                      {view.User, view.Several, 2},
		result:                                  {view.Tool, 0, 1},
		text + `,{"type":"new"}`:                {view.User, view.Several | view.Unknown, 2},
		`{"type":"new"},` + text:                {view.User, view.Several | view.Unknown, 2},
		text + `,` + result:                     {view.User, view.Several | view.Unknown, 2},
		result + `,` + text:                     {view.User, view.Several | view.Unknown, 2},
		`{"role":"user","content":""}`:          {view.User, 0, 0},
		`{"role":"user","content":"a"}`:         {view.User, 0, 1},
		message("user", text+`,`+call):          {view.User, view.Unknown, 2},
		message("system", text):                 {view.System, 0, 1},
		message("system", text+`,`+call):        {view.System, view.Unknown, 2},
		message("assistant", program+`,`+call):  {view.Assistant, view.Programmed, 0},
		message("assistant", call+`,`+program):  {view.Assistant, view.Programmed, 0},
		message("assistant", text+`,`+call):     {view.Assistant, 0, 1},
		message("assistant", `{"type":"text"}`): {view.Assistant, 0, 1},
	} {
		m, err := Format.Message([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		n := 0
		for range m.Parts() {
			n++
		}
		const all = view.Several | view.Unknown | view.Programmed | view.Fixed | view.Signed |
			view.Hosts | view.Defers | view.Resumes
		if m.Role() != want.role || m.Fields().Flags&all != want.flags || n != want.parts {
			t.Errorf("%s: %s with flags %b and %d parts, want %s, %b, %d", raw, m.Role(),
				m.Fields().Flags, n, want.role, want.flags, want.parts)
		}
	}
	for _, raw := range []string{``, `{`, `{"role":"user"`, `{"type":"tool_result"`, text + `,`,
		text + ` ` + text, message("user", text) + `x`} {
		if _, err := Format.Message([]byte(raw)); err == nil {
			t.Errorf("%s is a message", raw)
		}
	}
}

// All marks of a message count: those within results, in blocks, and on a result.
func TestReadMarks(t *testing.T) {
	mark := func(n string) string { return `"cache_control":{"n":` + n + `}` }
	for raw, want := range map[string]string{
		`{"role":"user","content":[{"type":"text","text":"a","cache_control":null}]}`: "",
		`{"role":"user","content":"a",` + mark("9") + `}`:                             "",
		`{"type":"tool_result","content":[{"type":"text",` + mark("1") + `}],` +
			mark("2") + `}`: `{"n":1} {"n":2} 2`,
		`{"role":"user","content":[{"type":"text",` + mark("1") + `},{"type":"document",` +
			`"content":[{"type":"text",` + mark("2") + `}],` + mark("3") + `}]}`: `{"n":1} ` +
			`{"n":3} 3`,
	} {
		m, err := Format.Message([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		first, last, n := readMarks(&m)
		got := ""
		if n > 0 {
			got = strings.Join([]string{string(first), string(last), string(rune('0' + n))}, " ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// A user message or a result gets a mark on its last block, unless the API refuses one there.
func TestWithMark(t *testing.T) {
	caller, err := Format.Message([]byte(`{"role":"assistant","content":[{"type":"tool_use","id":` +
		`"1","caller":{"type":"code_execution"}},{"type":"tool_use","id":"2"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const mark = `"cache_control":{"type":"ephemeral"}`
	for raw, want := range map[string]string{
		`{"role":"user","content":"a"}`: `{"role":"user","content":[{"type":"text",` +
			`"text":"a",` + mark + `}]}`,
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image"}]}`: `{"role":` +
			`"user","content":[{"type":"text","text":"a"},{"type":"image",` + mark + `}]}`,
		`{"type":"tool_result","tool_use_id":"2"}`: `{"type":"tool_result","tool_use_id":"2",` +
			mark + `}`,
		`{"type":"tool_result","tool_use_id":"1"}`:                               "",
		`{"role":"user","content":""}`:                                           "",
		`{"role":"user","content":[]}`:                                           "",
		`{"role":"user","content":[{"type":"image"},{"type":"text","text":""}]}`: "",
		`{"role":"user","content":[{"type":"new"}]}`:                             "",
		`{"role":"assistant","content":"a"}`:                                     "",
	} {
		m, err := Format.Message([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		got := string(withMark(&m, &caller, rawjson.Value(`{"type":"ephemeral"}`)))
		if got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
