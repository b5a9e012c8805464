package probe

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/rawjson"
	"killick/view"
)

// parse reads messages written as "role: text"; "call name {arguments}" is a call, whose result is
// the next line.
func parse(t testing.TB, lines ...string) (msgs []view.Message) {
	t.Helper()
	quoted := func(s string) string { return string(rawjson.AppendQuoted(nil, s)) }
	for _, line := range lines {
		role, text, _ := strings.Cut(line, ": ")
		raw := `{"role":"` + role + `","content":` + quoted(text) + `}`
		if rest, ok := strings.CutPrefix(line, "call "); ok {
			name, arguments, _ := strings.Cut(rest, " ")
			raw = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",` +
				`"function":{"name":` + quoted(name) + `,"arguments":` + quoted(arguments) + `}}]}`
		} else if role == "tool" {
			raw = `{"role":"tool","tool_call_id":"c","content":` + quoted(text) + `}`
		}
		m, err := chat.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}
