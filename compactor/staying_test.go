package compactor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// itemTurn is a turn of a conversation in items: what the model thought and called, and the output.
func itemTurn(i int, more ...string) []string {
	thought := fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],`+
		`"encrypted_content":"gAAA"}`, i)
	call := fmt.Sprintf(`{"type":"function_call","call_id":"c%d","name":"read",`+
		`"arguments":"{\"path\":\"src/file_%[1]d.go\"}"}`, i)
	output := fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"%s"}`, i,
		strings.Repeat(fmt.Sprintf(`func Handle%d() {}\n`, i), 30))
	return append(append(append([]string{thought}, more...), call), output)
}

// inOrder returns how many of the parts a body has, one after the other.
func inOrder(body []byte, parts []string) (n int) {
	for _, part := range parts {
		at := bytes.Index(body, []byte(part))
		if at < 0 {
			break
		}
		body, n = body[at+len(part):], n+1
	}
	return n
}

// What must be sent as received is there in every form, in its order, however much is folded; an
// item that nobody described keeps its neighbours, and reasoning what follows it.
func TestItemsThatMustStay(t *testing.T) {
	const (
		tools     = `{"type":"additional_tools","role":"developer","tools":[{"type":"x"}]}`
		configure = `{"type":"configuration_update","reasoning":{"effort":"low"}}`
		listed    = `{"type":"mcp_list_tools","id":"mcpl_1","server_label":"m","tools":[]}`
		search    = `{"type":"tool_search_call","call_id":"s1","execution":"client",` +
			`"arguments":{}}`
		found     = `{"type":"tool_search_output","call_id":"s1","tools":[{"type":"y"}]}`
		ownSearch = `{"type":"tool_search_call","execution":"server","arguments":{}}`
		ownFound  = `{"type":"tool_search_output","execution":"server","tools":[]}`
		asks      = `{"type":"mcp_approval_request","id":"a1","name":"n","arguments":"{}"}`
		approved  = `{"type":"mcp_approval_response","approval_request_id":"a1","approve":true}`
		dream     = `{"type":"dream","about":"sheep"}`
	)
	var stays []string
	input := []string{`{"role":"user","content":"Fix the handlers. Port 8443 stays."}`}
	add := func(items ...string) { input = append(input, items...) }
	keep := func(items ...string) {
		add(items...)
		stays = append(stays, items...)
	}
	policy := settings.Policy{Trigger: 3000, Target: 1500}
	f := newInFormat(tokenizer.New(tokenizer.Options{}), policy)
	folded := 0
	for i := range 60 {
		switch i {
		case 2:
			keep(tools)
		case 4:
			keep(configure, listed)
		case 6:
			keep(search, found)
		case 8: // the whole turn stays, with its result
			keep(itemTurn(1000, ownSearch, ownFound)...)
		case 9: // turns that stay and are side by side once what is between them is folded
			keep(ownSearch, ownFound)
			add(`{"role":"user","content":[{"type":"input_text",` +
				`"text":"<system-reminder>x</system-reminder>"}]}`)
			keep(ownSearch, ownFound, `{"type":"message","role":"assistant","content":"Good."}`)
		case 10:
			keep(asks, approved)
		case 12: // with its neighbours
			keep(itemTurn(1001)...)
			keep(dream)
			keep(itemTurn(1002)...)
		}
		add(itemTurn(i)...)
		in := []byte(`{"model":"gpt-5","input":[` + strings.Join(input, ",") + `]}`)
		res, out := f.compact(t, responses.Format, in)
		if res.Folded {
			folded++
		}
		if at := inOrder(res.Body, stays); at < len(stays) {
			t.Fatalf("turn %d: %s is missing in %.3000s", i, stays[at], res.Body)
		}
		for _, m := range out.Messages() {
			if m.Is(view.Signed) && !m.HasCalls() {
				t.Fatalf("turn %d: reasoning without what follows it: %s", i, m.Raw)
			}
		}
	}
	if folded < 5 {
		t.Errorf("%d requests were folded: nothing is shown", folded)
	}
}

// Turns of which only the server has a part are not folded, nor is what follows them. Their outputs
// are masked, and the turns before them are folded as ever.
func TestTurnsThatTheServerKeeps(t *testing.T) {
	f := newInFormat(tokenizer.New(tokenizer.Options{}),
		settings.Policy{Trigger: 3000, Target: 1500})
	input := []string{`{"role":"user","content":"Fix the handlers. Port 8443 stays."}`}
	var stays []string
	folded, masked := 0, 0
	for i := range 60 {
		turn := itemTurn(i)
		if i >= 20 {
			turn[0] = fmt.Sprintf(`{"type":"item_reference","id":"rs_%d"}`, i)
			said := fmt.Sprintf(`{"id":"msg_%d"}`, i)
			turn = []string{turn[0], said, turn[1], turn[2]}
			stays = append(stays, strings.Join(turn[:3], ","))
		}
		input = append(input, turn...)
		in := []byte(`{"model":"gpt-5","input":[` + strings.Join(input, ",") + `]}`)
		res, out := f.compact(t, responses.Format, in)
		if at := inOrder(res.Body, stays); at < len(stays) {
			t.Fatalf("turn %d: %s is missing in %.3000s", i, stays[at], res.Body)
		}
		switch left := 1 + 2*(i+1) - len(out.Messages()); {
		case i < 20:
			folded = max(folded, left)
		case left < folded || left > 2*20:
			t.Fatalf("turn %d: %d messages fewer, after %d", i, left, folded)
		case bytes.Count(res.Body, []byte("[Output masked")) > 5:
			masked++
		}
	}
	if folded == 0 || masked < 30 {
		t.Errorf("%d messages were folded, outputs masked in %d requests", folded, masked)
	}
}
