package results_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/transcript"
	"killick/transcript/results"
	"killick/view"
)

type Status = results.Status

const (
	Unknown = results.Unknown
	OK      = results.OK
	Failed  = results.Failed
	Refused = results.Refused
)

// conversation returns an assistant message that makes one call, and the result.
func conversation(t testing.TB, tool, arguments, result string, members ...string) []view.Message {
	t.Helper()
	quote := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	call := fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c1",`+
		`"type":"function","function":{"name":%s,"arguments":%s}}]}`,
		quote(tool), quote(arguments))
	answer := fmt.Sprintf(`{"role":"tool","tool_call_id":"c1",%s"content":%s}`,
		strings.Join(append(members, ""), ","), quote(result))
	var msgs []view.Message
	for _, raw := range []string{call, answer} {
		m, err := chat.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatalf("parsing %s: %v", raw, err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}

func calling(t testing.TB, tool, arguments, result string, members ...string) transcript.Call {
	t.Helper()
	return transcript.ReadAll(conversation(t, tool, arguments, result, members...)).Calls[0]
}
