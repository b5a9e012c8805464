package responses

import (
	"strings"
	"testing"

	"killick/view"
)

// A turn that is read on its own is the one that is read in a list of items.
func TestTurnsOnTheirOwn(t *testing.T) {
	for _, turn := range [][]string{
		{said}, {callRead}, {reasoning}, {web}, {said, callRead}, {callRead, said},
		{reasoning, said, callRead, callRead}, {callRead, web, callRead}, {said, web},
		{said, reference},
	} {
		want := parse(t, turn...).Messages()[0]
		got, err := Format.Message(want.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if *got.Fields() != *want.Fields() || string(got.Raw) != string(want.Raw) {
			t.Errorf("%s: fields %+v, want %+v", turn, got.Fields(), want.Fields())
		}
		parts := func(m *view.Message) (all []string) {
			for part := range m.Parts() {
				all = append(all, string(part.Raw))
			}
			return all
		}
		if g, w := parts(&got), parts(&want); strings.Join(g, " ") != strings.Join(w, " ") {
			t.Errorf("%s: parts %s, want %s", turn, g, w)
		}
		if len(got.ToolCalls()) != strings.Count(strings.Join(turn, ","), `"function_call"`) {
			t.Errorf("%s: %d calls", turn, len(got.ToolCalls()))
		}
	}
	for _, raw := range []string{said + ` ` + callRead, said + `,`, said + `,` + userText,
		userText + `,` + said, said + `]`, said + `,{`, `{`} {
		if _, err := Format.Message([]byte(raw)); err == nil {
			t.Errorf("%s is a message", raw)
		}
	}
}

// What must be known of an item to edit what is around it.
func TestFlagsOfItems(t *testing.T) {
	const all = view.Fixed | view.Unknown | view.Held | view.Hosts | view.Programmed |
		view.Signed | view.StartsSigned
	for item, want := range map[string]struct {
		role   view.Role
		flags  view.Flags
		callID string
		calls  int
	}{
		callRead: {view.Assistant, 0, "", 1},
		strings.Replace(callRead, `"call_id"`, `"caller":{"type":"program"},"call_id"`, 1): {
			view.Assistant, view.Programmed, "", 1},
		strings.Replace(callRead, `"call_id"`, `"caller":{"type":"direct"},"call_id"`, 1): {
			view.Assistant, 0, "", 1},
		readA: {view.Tool, 0, "c1", 0},
		strings.Replace(readA, `"call_id"`, `"caller":{"type":"program"},"call_id"`, 1): {
			view.Tool, view.Programmed, "c1", 0},
		reasoning: {view.Assistant, view.Signed | view.StartsSigned, "", 0},
		`{"type":"local_shell_call_output","id":"c3","output":"a"}`: {view.Tool, 0, "c3", 0},
		`{"type":"local_shell_call_output","id":"x","call_id":"c3","output":"a"}`: {
			view.Tool, 0, "c3", 0},
		`{"type":"function_call_output","id":"x","output":"a"}`: {view.Tool, 0, "", 0},
		`{"type":"mcp_approval_response","approval_request_id":"m","id":"x"}`: {
			view.Tool, view.Fixed, "m", 0},
		`{"type":"web_search_call","id":"w"}`: {view.Assistant, view.Hosts, "", 0},
		`{"type":"tool_search_call","call_id":"c8","arguments":{}}`: {
			view.Assistant, view.Fixed, "", 1},
		`{"type":"tool_search_call","call_id":null,"arguments":{}}`: {
			view.Assistant, view.Fixed, "", 0},
		`{"type":"tool_search_call","call_id":"c8","execution":"server","arguments":{}}`: {
			view.Assistant, view.Fixed, "", 0},
	} {
		m, err := Format.Message([]byte(item))
		if err != nil {
			t.Fatal(err)
		}
		if m.Role() != want.role || m.Fields().Flags&all != want.flags ||
			m.ToolCallID() != want.callID || len(m.ToolCalls()) != want.calls ||
			m.HasCalls() != (want.calls > 0) {
			t.Errorf("%s: %s, flags %b, answers %q, %d calls; want %+v", item, m.Role(),
				m.Fields().Flags&all, m.ToolCallID(), len(m.ToolCalls()), want)
		}
	}
}
