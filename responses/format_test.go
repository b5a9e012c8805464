package responses

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/view"
)

func parse(t *testing.T, items ...string) *view.Request {
	t.Helper()
	r, err := Parse(body(items...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shape describes the messages of a view: role, number of items, flags, calls and answered call.
func shape(r *view.Request) string {
	var b strings.Builder
	for i, m := range r.Messages() {
		n := 0
		for range items(m.Raw) {
			n++
		}
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%s:%d", m.Role(), n)
		for _, flag := range []struct {
			view.Flags
			mark string
		}{{view.Fixed, "!"}, {view.Unknown, "?"}, {view.Held, "*"}} {
			if m.Is(flag.Flags) {
				b.WriteString(flag.mark)
			}
		}
		for _, call := range m.ToolCalls() {
			b.WriteString("+" + call.ID)
		}
		if id := m.ToolCallID(); id != "" {
			b.WriteString("=" + id)
		}
		if m.Is(view.Several) != (n > 1) || m.HasCalls() != (len(m.ToolCalls()) > 0) {
			b.WriteString(" WRONG FLAGS")
		}
	}
	return b.String()
}

func TestItemsOfOneTurnAreOneMessage(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		items      []string
	}{
		{"none", "", nil},
		{"plain", "user:1 assistant:1 user:1", []string{userText, said, userText}},
		{"leading instructions", "developer:1 user:1", []string{developer, userParts}},
		{"reasoning, words and calls", "user:1 assistant:4+c1+c2 tool:1=c1 tool:1=c2 assistant:2",
			[]string{userText, reasoning, said, callRead, callCustom, readA, custom, reasoning,
				refused}},
		{"shells", "assistant:2+c3+c4 tool:1=c3 tool:1=c4",
			[]string{callLocal, callShell, local, shell}},
		{"patch and screen", "assistant:2+c5+c6 tool:1=c5 tool:1=c6",
			[]string{callPatch, callScreen, patched, screen}},
		{"a program that calls a tool", "assistant:2+c7+c1 tool:1=c1 tool:1=c7 assistant:1",
			[]string{program, callRead, readA, programRan, said}},
		{"what the server does", "assistant:6",
			[]string{web, fileSearch, code, picture, mcpCall, said}},
		{"a search for tools by the client", "assistant:1!+c8 tool:1!=c8",
			[]string{callSearch, found}},
		{"a search for tools by the server", "user:1 assistant:3!+c1 tool:1=c1",
			[]string{userText, ownSearch, ownFound, callRead, readA}},
		{"approval", "assistant:2!+mcpr_1 tool:1!=mcpr_1 assistant:2",
			[]string{reasoning, asks, approved, mcpCall, said}},
		{"settings", "developer:1! developer:1! user:1 developer:1! assistant:1",
			[]string{mcpTools, moreTools, userText, configures, said}},
		{"compaction", "user:1 assistant:1! :1!", []string{userText, compacted, trigger}},
		{"held by the server", "user:1 assistant:3*+c1 tool:1=c1 assistant:1* user:1",
			[]string{userText, reference, reference, callRead, readA, bareID, userText}},
		{"nobody described it", "assistant:1 :1? assistant:1", []string{said, newKind, said}},
		{"an unknown role", ":1?", []string{`{"type":"message","role":"critic","content":"x"}`}},
		{"no type", ":1?", []string{`{"content":"x"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shape(parse(t, tt.items...)); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCallsAsTranscriptsReadThem(t *testing.T) {
	for item, want := range map[string]string{
		callRead: `function c1 read "{\"path\":\"a.go\"}"`,
		callCustom: `custom c2 apply_patch ` +
			`"*** Begin Patch\n*** Add File: b.go\n+b\n*** End Patch"`,
		callLocal: `local_shell c3 local_shell {"type":"exec",` +
			`"command":["bash","-lc","go test ./..."],"env":{},"working_directory":"/src"}`,
		callShell: `shell c4 shell {"commands":["ls","pwd"],"timeout_ms":1000}`,
		callPatch: `apply_patch c5 apply_patch ` +
			`{"type":"update_file","path":"a.go","diff":"@@\n-a\n+b"}`,
		callScreen: `computer c6 computer {"type":"screenshot"}`,
		callSearch: `tool_search c8 tool_search {"query":"mail"}`,
		asks:       `function mcpr_1 send "{}"`,
		`{"type":"function_call","call_id":"c","namespace":"g","name":"log","arguments":"{}"}`: `` +
			`function c g.log "{}"`,
	} {
		calls := parse(t, reasoning, item).Messages()[0].ToolCalls()
		if len(calls) != 1 {
			t.Errorf("%d calls in %s", len(calls), item)
			continue
		}
		c := calls[0]
		got := fmt.Sprintf("%s %s %s %s", c.Type, c.ID, c.Name, c.Arguments)
		if got != want || string(c.Raw) != item {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestTextsAreQuotedAndReasoningIsNot(t *testing.T) {
	for _, tt := range []struct {
		want  string
		items []string
		types string
	}{
		{"do it", []string{userText}, "text"},
		{"do it", []string{userParts}, "input_text"},
		{"I look\nno", []string{reasoning, said, callRead, refused},
			"reasoning output_text refusal"},
		{"", []string{web, picture}, "web_search_call image_generation_call"},
		{"package a", []string{readA}, "text"},
		{"package a", []string{readParts}, "input_text"},
		{"a.go\nno", []string{shell}, "text text"},
		{"", []string{screen}, "input_image"},
		{"1", []string{programRan}, "text"},
		{"", []string{`{"type":"function_call_output","call_id":"c","output":""}`}, ""},
		{"", []string{`{"type":"apply_patch_call_output","call_id":"c","status":"failed"}`}, ""},
		{"", []string{found}, "tool_search_output"},
		{"", []string{moreTools}, "additional_tools"},
		{"", []string{newKind}, "dream"},
	} {
		m := parse(t, tt.items...).Messages()[0]
		var types []string
		for part := range m.Parts() {
			types = append(types, part.Type)
		}
		if m.Text() != tt.want || strings.Join(types, " ") != tt.types {
			t.Errorf("%s: text %q and parts %q, want %q and %q", tt.items, m.Text(), types,
				tt.want, tt.types)
		}
	}
}

func TestOutputsAreReplacedInTheirForm(t *testing.T) {
	const list = `[{"type":"input_text","text":"new"}]`
	for _, tt := range []struct{ item, content, want string }{
		{userText, `"new"`, `{"role":"user","content":"new"}`},
		{readA, `"new"`, `{"type":"function_call_output","call_id":"c1","output":"new"}`},
		{readA, list, `{"type":"function_call_output","call_id":"c1","output":` + list + `}`},
		{custom, `"new"`, `{"type":"custom_tool_call_output","call_id":"c2","output":"new"}`},
		{local, list, `{"type":"local_shell_call_output","id":"c3","output":"new"}`},
		{patched, list, `{"type":"apply_patch_call_output","call_id":"c5","status":"failed",` +
			`"output":"new"}`},
		{shell, `"new"`, `{"type":"shell_call_output","call_id":"c4","output":[{"stdout":"new",` +
			`"stderr":"","outcome":{"type":"exit","exit_code":2}}]}`},
		{shell, `["new"]`, `{"type":"shell_call_output","call_id":"c4","output":[{"stdout":"new",` +
			`"stderr":"","outcome":{"type":"exit","exit_code":2}}]}`},
		{readA, `[{"stdout":"a","stderr":"b"}]`,
			`{"type":"function_call_output","call_id":"c1","output":"a\nb"}`},
		{screen, `"new"`, screen},
		{programRan, `"new"`, programRan},
		{found, `"new"`, found},
		{callRead, `"new"`, callRead},
		{reasoning, `"new"`, reasoning},
	} {
		m := parse(t, tt.item).Messages()[0]
		if got := string(m.WithContent([]byte(tt.content))); got != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
	m := parse(t, shell).Messages()[0]
	if got := string(m.WithContent(m.Content())); got != shell {
		t.Errorf("its own content made %s", got)
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		want    view.Passthrough
		members string // after the input
		items   []string
	}{
		{"", ``, []string{userText}},
		{"", `,"previous_response_id":null,"conversation":null`, []string{userText}},
		{"", `,"context_management":[]`, []string{userText}},
		{"", ``, []string{mcpTools, newKind, callSearch, moreTools}},
		{"", ``, []string{userText, reasoning, said, userText, reference}},
		{"", ``, []string{bareID, callRead, readA}},
		{view.ServerState, `,"previous_response_id":"resp_1"`, []string{userText}},
		{view.ServerState, `,"conversation":{"id":"conv_1"}`, nil},
		{view.ServerState, `,"conversation":"conv_1"`, nil},
		{view.Managed, ``, []string{compacted, bareID}},
		{view.Managed, ``, []string{compacted, userText}},
		{view.Managed, ``, []string{reasoning, compacted, said}},
		{view.Managed, ``, []string{userText, trigger}},
		{view.Managed, `,"context_management":[{"type":"compaction"}]`, []string{userText}},
	} {
		r, err := Parse([]byte(`{"input":[` + strings.Join(c.items, ",") + `]` + c.members + `}`))
		if err != nil {
			t.Fatal(err)
		}
		got := Format.Rules(r)
		held := c.want != view.ServerState &&
			(slices.Contains(c.items, reference) || slices.Contains(c.items, bareID))
		if got.Passthrough != c.want || got.Held != held {
			t.Errorf("%s%s: %+v, want %q and %t", c.items, c.members, got, c.want, held)
		}
	}
}

func TestWhatIsSentAgainAtEveryTurn(t *testing.T) {
	r, err := Parse([]byte(`{"instructions":"be brief","tools":[{"type":"function"}],` +
		`"tool_choice":"none","text":{"format":{"type":"json_schema","name":"n","schema":{}}},` +
		`"max_output_tokens":7,"input":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := r.Preamble()
	if fmt.Sprintf("%s %s %s %s %d", s.Tools, s.Instructions, s.Choice, s.Schema,
		r.Limits().Output) !=
		`[[{"type":"function"}]] ["be brief"] "none" `+
			`{"type":"json_schema","name":"n","schema":{}} 7` {
		t.Errorf("%s", s)
	}
	r = parse(t)
	if s := r.Preamble(); len(s.Instructions) != 0 || s.Schema != nil || r.Limits().Output != 0 {
		t.Errorf("of a plain request: %s", s)
	}
}

func TestParseErrors(t *testing.T) {
	for body, want := range map[string]error{
		`{"input":"hi"}`:          view.ErrNoMessages,
		`{"model":"m"}`:           view.ErrNoMessages,
		`{"input":["hi"]}`:        view.ErrNoMessages,
		`{"input":[],"input":[]}`: view.ErrDuplicate,
		`{"input":[{"type":"reasoning","type":"message"}]}`:                    view.ErrDuplicate,
		`{"input":[{"role":"user","content":"a","c\u006fntent":1}]}`:           view.ErrDuplicate,
		`{"input":[{"call_id":"a","call_id":"b"}]}`:                            view.ErrDuplicate,
		`{"input":[{"output":"a","output":"b"}]}`:                              view.ErrDuplicate,
		`{"input":[{"role":"user","content":[{"text":"a","text":"b"}]}]}`:      view.ErrDuplicate,
		`{"input":[{"type":"function_call","arguments":"a","arguments":"b"}]}`: view.ErrDuplicate,
		`{"input":[{"output":[{"stdout":"","stdout":0}]}]}`:                    view.ErrDuplicate,
		`{"input":[{"output":{"type":"a","type":"b"}}]}`:                       view.ErrDuplicate,
		`{"input":[{"role":"user"}`:                                            view.ErrNotJSON,
	} {
		if _, err := Parse([]byte(body)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", body, err, want)
		}
	}
	for _, raw := range []string{``, `{`, `[]`, said + userText, said + `,` + userText,
		userText + `,` + said, said + `,`, said + ` `, said + `,` + newKind} {
		if m, err := ParseMessage([]byte(raw)); err == nil {
			t.Errorf("%s was read as %s", raw, m.Raw)
		}
	}
	m, err := ParseMessage(Format.Spelling().UserMessage([]byte(`"x"`)))
	if err != nil || m.Role() != view.User || m.Text() != "x" {
		t.Errorf("a message of ours: %v, %v", m, err)
	}
}

func FuzzParse(f *testing.F) {
	for i, item := range everyItem {
		f.Add(body(item), 0, 1)
		f.Add(body(reasoning, item, userText), i%2, 2)
	}
	f.Add(body(everyItem...), 3, 9)
	f.Add([]byte(`{"input":"hi"}`), 0, 0)
	f.Fuzz(func(t *testing.T, body []byte, from, to int) {
		viewtest.Check(t, Format, body, from, to)
	})
}
