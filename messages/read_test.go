package messages

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/viewtest"
	"killick/rawjson"
	"killick/view"
)

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	tests := []struct {
		name, body string
		want       error
	}{
		{"empty", ``, view.ErrNotJSON},
		{"torn in a block", `{"messages":[{"role":"user","content":[{"type":"te`, view.ErrNotJSON},
		{"trailing", `{"messages":[]} x`, view.ErrNotJSON},
		{"no messages", `{"model":"m"}`, view.ErrNoMessages},
		{"message no object", `{"messages":["hi"]}`, view.ErrNoMessages},
		{"message without a role", `{"messages":[{"content":"hi"}]}`, view.ErrNoMessages},
		{"role no string", `{"messages":[{"role":1,"content":"hi"}]}`, view.ErrNoMessages},
		{"twice", `{"messages":[],"mess\u0061ges":[]}`, view.ErrDuplicate},
		{"content twice", `{"messages":[{"role":"user","content":"a","content":[]}]}`,
			view.ErrDuplicate},
		{"text of a block twice", `{"messages":[{"role":"user","content":[` +
			`{"type":"text","text":"a","text":"b"}]}]}`, view.ErrDuplicate},
		{"text in a result twice", `{"messages":[{"role":"user","content":[{"type":"tool_result",` +
			`"content":[{"type":"text","text":"a","text":"b"}]}]}]}`, view.ErrDuplicate},
		{"input of a call twice", `{"messages":[{"role":"assistant","content":[` +
			`{"type":"tool_use","id":"a","input":{},"input":{}}]}]}`, view.ErrDuplicate},
		{"type of a block twice",
			`{"messages":[{"role":"user","content":[{"type":"text","type":"tool_result"}]}]}`,
			view.ErrDuplicate},
		{"id of a result twice", `{"messages":[{"role":"user","content":[` +
			`{"type":"tool_result","tool_use_id":"a","tool_use_\u0069d":"b"}]}]}`,
			view.ErrDuplicate},
		{"too deep", `{"x":` + deep + `,"messages":[]}`, rawjson.ErrTooDeep},
		{"too many messages", `{"messages":[{"role":"user"}` +
			strings.Repeat(`,{"role":"user"}`, view.MaxMessages) + `]}`, view.ErrTooMany},
		{"too many blocks of one message", `{"messages":[{"role":"user","content":[{}` +
			strings.Repeat(`,{}`, view.MaxMessages) + `]}]}`, view.ErrTooMany},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.body)); !errors.Is(err, tt.want) {
				t.Errorf("Parse: %v, want %v", err, tt.want)
			}
		})
	}
}

// describe returns a description of a message in one line.
func describe(m *view.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", m.Role())
	if id := m.ToolCallID(); id != "" {
		fmt.Fprintf(&b, " %s", id)
	}
	for _, flag := range []struct {
		is   view.Flags
		name string
	}{{view.Several, "several"}, {view.Fixed, "fixed"}, {view.Unknown, "unknown"},
		{view.Signed, "signed"}, {view.StartsSigned, "starts"}} {
		if m.Is(flag.is) {
			b.WriteString(" " + flag.name)
		}
	}
	for part := range m.Parts() {
		if part.Text != nil {
			fmt.Fprintf(&b, " %q", part.Text.Text())
		} else {
			fmt.Fprintf(&b, " <%s>", part.Type)
		}
	}
	for _, call := range m.ToolCalls() {
		fmt.Fprintf(&b, " %s=%s(%s)", call.ID, call.Name, call.Arguments)
	}
	return b.String()
}

func TestMessagesOfTheView(t *testing.T) {
	const (
		resA = `{"type":"tool_result","tool_use_id":"a","content":"ra"}`
		resB = `{"tool_use_id":"b","content":[{"type":"text","text":"rb"}],"type":"tool_result"}`
		text = `{"type":"text","text":"hi"}`
	)
	user := func(content string) string { return `{"role":"user","content":` + content + `}` }
	assistant := func(content string) string {
		return `{"content":[` + content + `],"role":"assistant"}`
	}
	tests := []struct {
		name, element string
		want          []string
	}{
		{"string", user(`"hi"`), []string{`user "hi"`}},
		{"blocks", user(`[` + text + `,{"type":"image"}]`), []string{`user "hi" <image>`}},
		{"no content", `{"role":"user"}`, []string{`user`}},
		{"no blocks", user(`[]`), []string{`user`}},
		{"null", user(`null`), []string{`user`}},
		{"a result", user(`[` + resA + `]`), []string{`tool a "ra"`}},
		{"two results", user(`[ ` + resA + ` , ` + resB + ` ]`),
			[]string{`tool a "ra"`, `tool b "rb"`}},
		{"results and text", user(`[` + resA + `,` + resB + `,` + text + `,` + text + `]`),
			[]string{`tool a "ra"`, `tool b "rb"`, `user several "hi" "hi"`}},
		{"text between", user(`[` + text + `,` + resA + `,` + text + `,` + resB + `]`), []string{
			`user several "hi"`, `tool a "ra"`, `user several "hi"`, `tool b "rb"`}},
		{"a result without content", user(`[{"type":"tool_result","tool_use_id":"a"}]`),
			[]string{`tool a`}},
		{"escaped", user(`[{"t\u0079pe":"tool\u005fresult","tool_use_id":"a","content":"x"}]`),
			[]string{`tool a "x"`}},
		{"a call", assistant(text + `,{"type":"tool_use","id":"a","name":"f","input":{"p":1}}`),
			[]string{`assistant "hi" a=f({"p":1})`}},
		{"thinking", assistant(`{"type":"thinking","thinking":"hm","signature":"s"},` + text),
			[]string{`assistant signed starts <thinking> "hi"`}},
		{"thinking later", assistant(text + `,{"type":"redacted_thinking","data":"d"}`),
			[]string{`assistant signed "hi" <redacted_thinking>`}},
		{"a tool of the API's", assistant(`{"type":"server_tool_use","id":"s","name":"w"},` +
			`{"type":"web_search_tool_result","tool_use_id":"s","content":[]},` + text),
			[]string{`assistant <server_tool_use> <web_search_tool_result> "hi"`}},
		{"a system message", `{"role":"system","content":"be kind","clear_at":"next_user_message"}`,
			[]string{`system "be kind"`}},
		{"tools added", user(`[{"type":"tool_addition","tool":{}}]`),
			[]string{`user fixed <tool_addition>`}},
		{"tools added beside results", user(`[` + resA + `,{"type":"tool_removal","tool":{}}]`),
			[]string{`tool a "ra"`, `user several fixed <tool_removal>`}},
		{"a tool found", user(`[{"type":"tool_result","tool_use_id":"a","content":` +
			`[{"type":"tool_reference","tool_name":"f"}]}]`),
			[]string{`tool a fixed <tool_reference>`}},
		{"a compaction", assistant(`{"type":"compaction","content":"c"}`),
			[]string{`assistant fixed <compaction>`}},
		{"a file of the container", user(`[{"type":"container_upload","file_id":"f"}]`),
			[]string{`user fixed <container_upload>`}},
		{"a listing", assistant(`{"type":"mcp_tool_listing"}`),
			[]string{`assistant fixed <mcp_tool_listing>`}},
		{"an unknown block", assistant(`{"type":"dream"},` + text),
			[]string{`assistant unknown <dream> "hi"`}},
		{"an unknown block in a result", user(`[{"type":"tool_result","tool_use_id":"a",` +
			`"content":[{"type":"dream"}]}]`), []string{`tool a unknown <dream>`}},
		{"an unknown role", `{"role":"oracle","content":"hi"}`, []string{`oracle unknown "hi"`}},
		{"a block that is no object", user(`["hi"]`), []string{`user unknown <>`}},
		{"a result beside one", user(`["hi",` + resA + `]`),
			[]string{`user unknown <> <tool_result>`}},
		{"a block with a role", user(`[` + resA + `,{"type":"text","role":"user","text":"x"}]`),
			[]string{`user unknown <tool_result> "x"`}},
		{"a result of the assistant's", assistant(resA),
			[]string{`assistant unknown <tool_result>`}},
		{"a call of the user's", user(`[{"type":"tool_use","id":"a"}]`),
			[]string{`user unknown <tool_use>`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Parse([]byte(`{"messages":[` + tt.element + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range r.Messages() {
				m := &r.Messages()[i]
				got = append(got, describe(m))
				alone, err := ParseMessage(m.Raw)
				if err != nil || describe(&alone) != describe(m) {
					t.Errorf("%s alone is %s (%v)", m.Raw, describe(&alone), err)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestErrorsOfResultsAreRead(t *testing.T) {
	r, err := Parse([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result",` +
		`"tool_use_id":"a","is_error":true,"content":"no"},{"type":"text","text":"x"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Messages()[0].Field("is_error")); got != "true" {
		t.Errorf("is_error is %q", got)
	}
	if got := r.Messages()[1].Field("type"); got != nil {
		t.Errorf("a run of blocks has a member type: %s", got)
	}
}

// Older models with thinking enabled need an unfinished turn whole, from its thinking on, even if
// the user added text after results.
func TestTurnsThatMustStartWithThinkingAreOneGroup(t *testing.T) {
	const (
		user   = `{"role":"user","content":"u"}`
		starts = `{"role":"assistant","content":[{"type":"thinking"},{"type":"tool_use","id":"1"}]}`
		goesOn = `{"role":"assistant","content":[{"type":"tool_use","id":"1"}]}`
		result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`
		both   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},` +
			`{"type":"text","text":"x"}]}`
	)
	tests := []struct {
		name     string
		elements []string
		want     []int // where groups end
	}{
		{"a loop", []string{user, starts, result, goesOn, result, goesOn, result},
			[]int{1, 7}},
		{"what the user adds", []string{starts, both, goesOn, result, user, goesOn, result},
			[]int{8}},
		{"a new turn", []string{starts, result, starts, result, user, starts, result},
			[]int{2, 4, 5, 7}},
		{"no thinking", []string{user, goesOn, result, user}, []int{1, 3, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			msgs := parse(t, `{"messages":[`+strings.Join(tt.elements, ",")+`]}`).Messages()
			for split := range msgs {
				g := view.Grouping{}.Extend(msgs[:split], view.Rules{StartSigned: true})
				var got []int
				for _, group := range g.Extend(msgs, view.Rules{StartSigned: true}).Groups {
					got = append(got, group.End)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("groups end at %v, want %v (%d messages first)", got, tt.want, split)
				}
			}
		})
	}
}

func TestPreambleAndLimits(t *testing.T) {
	r, err := Parse([]byte(`{"model":"claude-opus-5","max_tokens":77,"tools":[{"name":"f"}],` +
		`"tool_choice":{"type":"any"},"system":[{"type":"text","text":` +
		`"x-anthropic-billing-header: a=1;"},{"type":"text","text":"one"},{"type":"text"},` +
		`{"type":"text","text":"t\u0077o","cache_control":{"type":"ephemeral"}}],"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := r.Preamble()
	if len(s.Instructions) != 2 || s.Instructions[1].Text() != "two" ||
		len(s.Uncached) != 1 ||
		string(s.Tools[0]) != `[{"name":"f"}]` || string(s.Choice) != `{"type":"any"}` {
		t.Errorf("%q", s)
	}
	if r.Limits().Output != 77 {
		t.Errorf("max output %d", r.Limits().Output)
	}
	r, err = Parse([]byte(`{"system":"one","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Preamble(); len(s.Instructions) != 1 || s.Instructions[0].Text() != "one" {
		t.Errorf("%q", s)
	}
}

// everyBlock is a conversation with every type of block.
func everyBlock() []byte {
	var user, assistant []string
	for typ, k := range kinds {
		switch k {
		case result:
		case call, signed:
			assistant = append(assistant, typ)
		default:
			user, assistant = append(user, typ), append(assistant, typ)
		}
	}
	slices.Sort(user)
	slices.Sort(assistant)
	blocks := func(types []string) string {
		var all []string
		for i, typ := range types {
			all = append(all, fmt.Sprintf(`{"type":%q,"id":"i%d","text":"t","content":`+
				`[{"type":%[1]q,"text":"u"}],"cache_control":{"type":"ephemeral"}}`, typ, i))
		}
		return strings.Join(all, " , ")
	}
	return []byte(`{"max_tokens":1,"system":"S","messages":[{"role":"user","content":[` +
		blocks(user) + `]},{"role":"assistant","content":[` + blocks(assistant) +
		`]},{"content" : [ {"type":"tool_result","tool_use_id":"i0","content":[` + blocks(user) +
		`]} ,` + blocks(user) + `] , "role":"user"},{"role":"system","content":"s"}]}`)
}

func FuzzParse(f *testing.F) {
	f.Add(everyBlock(), 1, 3)
	f.Add([]byte(unusual), 2, 4)
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result"},{"role":"x"}]}]}`),
		0, 1)
	f.Add([]byte(`{"messages":[{"role":"assistant","content":[ 1 ,"x",[{"type":"text"}]]}]}`), 0, 0)
	f.Add([]byte(`{"messages":[{"role":"user","content":"\u00`), 0, 1)
	f.Fuzz(func(t *testing.T, body []byte, from, to int) {
		viewtest.Check(t, Format, body, from, to)
		r, err := Parse(body)
		if err != nil {
			return
		}
		for i := range r.Messages() {
			m := &r.Messages()[i]
			without := Format.WithoutSigned(m)
			if without == nil {
				continue
			}
			if n, err := ParseMessage(without); err != nil || n.Is(view.Signed) {
				t.Fatalf("%q without what is signed is %q: %v", m.Raw, without, err)
			}
		}
		_ = Format.Rules(r)
		checkMarked(t, r, []view.Piece{{To: min(max(from, 0), len(r.Messages()))},
			{Raw: Format.Spelling().UserMessage([]byte(`"new"`))},
			{From: min(max(from, 0), len(r.Messages())), To: len(r.Messages())}})
	})
}
