package e2e

import (
	"bytes"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// breaches holds a forwarded body against the request that it came from, by the
// rules that never bend. It knows nothing of how requests are compacted: it
// looks at messages, roles and bytes only.
func breaches(in, out []byte) (found []string) {
	if bytes.Equal(in, out) {
		return nil
	}
	was, err := chat.Parse(in)
	if err != nil {
		return []string{"a body that is no chat request was changed"}
	}
	is, err := chat.Parse(out)
	if err != nil {
		return []string{"what was forwarded is no chat request: " + err.Error()}
	}
	if len(out) > len(in) {
		found = append(found, "the request grew")
	}
	found = append(found, pairBreaches(was.Messages(), is.Messages())...)
	if !bytes.Equal(instructions(was.Messages()), instructions(is.Messages())) {
		found = append(found, "a system or developer message changed")
	}
	if !sameFields(in, was, out, is) {
		found = append(found, "a field beside the messages changed")
	}
	text := allText(is.Messages())
	requests := realRequests(was.Messages())
	if len(requests) > 0 {
		for name, m := range map[string]*view.Message{"task": requests[0],
			"latest request": requests[len(requests)-1]} {
			if !holdsText(text, m.Text()) {
				found = append(found, "the "+name+" is lost")
			}
		}
	}
	return found
}

// pairBreaches counts results without a call before them and calls without a result after them.
func pairBreaches(was, is []view.Message) (found []string) {
	orphans, open := unpaired(was)
	newOrphans, newOpen := unpaired(is)
	if newOrphans > orphans {
		found = append(found, "a tool result lost its call")
	}
	if newOpen > open {
		found = append(found, "a tool call lost its result")
	}
	return found
}

func unpaired(msgs []view.Message) (orphans, open int) {
	waiting := map[string]int{}
	for i := range msgs {
		m := &msgs[i]
		switch m.Role() {
		case view.Assistant:
			for _, call := range m.ToolCalls() {
				if call.Legacy {
					waiting["function "+call.Name]++
				} else {
					waiting[call.ID]++
				}
			}
		case view.Tool, view.Function:
			id := m.ToolCallID()
			if m.Role() == view.Function {
				id = "function " + m.Name()
			}
			if waiting[id] == 0 {
				orphans++
			} else {
				waiting[id]--
			}
		}
	}
	for _, n := range waiting {
		open += n
	}
	return orphans, open
}

func instructions(msgs []view.Message) (all []byte) {
	for i := range msgs {
		if msgs[i].Role() == view.System || msgs[i].Role() == view.Developer {
			all = append(append(all, msgs[i].Raw...), '\n')
		}
	}
	return all
}

// sameFields compares every byte outside the messages.
func sameFields(in []byte, was *view.Request, out []byte, is *view.Request) bool {
	b1, a1, _ := bytes.Cut(in, was.Field("messages"))
	b2, a2, _ := bytes.Cut(out, is.Field("messages"))
	return bytes.Equal(b1, b2) && bytes.Equal(a1, a2)
}

func allText(msgs []view.Message) string {
	var b strings.Builder
	for i := range msgs {
		b.WriteString(msgs[i].Text())
		b.WriteByte(0)
	}
	return b.String()
}

// realRequests returns the user messages that a person wrote.
func realRequests(msgs []view.Message) (requests []*view.Message) {
	for i := range msgs {
		text := strings.TrimSpace(msgs[i].Text())
		if msgs[i].Role() != view.User || text == "" || strings.HasPrefix(text, "<") ||
			strings.HasPrefix(text, "/") ||
			strings.HasPrefix(text, "[Request interrupted") ||
			strings.HasPrefix(text, "Caveat: The messages below") ||
			strings.HasPrefix(text, "This session is being continued") ||
			strings.HasPrefix(text, "[Record of earlier turns, kept by Killick:") {
			continue
		}
		requests = append(requests, &msgs[i])
	}
	return requests
}

// holdsText looks for a pinned text: whole, or of a very long one its head and
// its tail.
func holdsText(all, text string) bool {
	const long = 3500 // tokens: of more than 4,000 the middle may go, and models count differently
	if strings.Contains(all, text) {
		return true
	}
	if requestCounter.For("gpt-4o").Text(text) < long {
		return false
	}
	return strings.Contains(all, text[:2000]) && strings.Contains(all, text[len(text)-1000:])
}

func TestBreachesAreSeen(t *testing.T) {
	const in = `{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user",` +
		`"content":"fix it"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f",` +
		`"arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"long"},{"role":"user","content":"and ` +
		`this"}],"n":1}`
	for name, edit := range map[string][2]string{
		"a tool result lost its call": {`{"role":"assistant","content":null,` +
			`"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},`, ``},
		"a tool call lost its result": {`{"role":"tool","tool_call_id":"1",` +
			`"content":"long"},`, ``},
		"a system or developer message changed": {`"S"`, `""`},
		"a field beside the messages changed":   {`"n":1`, `"n":2`},
		"the task is lost":                      {`fix it`, `fix`},
		"the latest request is lost":            {`and this`, `and`},
		"the request grew":                      {`"long"`, `"longer"`},
	} {
		out := strings.Replace(in, edit[0], edit[1], 1)
		if got := breaches([]byte(in), []byte(out)); len(got) != 1 || got[0] != name {
			t.Errorf("%s: found %q", name, got)
		}
	}
	if got := breaches([]byte(in), []byte(strings.Replace(in, "long", "m", 1))); got != nil {
		t.Errorf("a masked output: %q", got)
	}
}
