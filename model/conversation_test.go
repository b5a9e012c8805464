package model

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
)

// body is a client's request with messages.
func body(fields string, messages ...string) []byte {
	return []byte(`{ "model" : "gpt-5.1",` + fields + ` "messages":[ ` + strings.Join(messages, " , ") + " ] }\n")
}

func messages(t *testing.T, raw ...string) []chat.Message {
	t.Helper()
	all := make([]chat.Message, len(raw))
	for i, text := range raw {
		m, err := chat.ParseMessage([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all[i] = m
	}
	return all
}

func message(role, text string) string {
	return `{"role":"` + role + `","content":` + string(quote(text)) + `}`
}

// session is a long conversation of a coding agent, written for these tests: a
// task, a rule, then edits with their outputs, each with a fact of its own.
func session(turns int) []string {
	all := []string{
		message("system", "You are a coding agent. "+strings.Repeat("Be careful with the files of the user. ", 40)),
		message("user", "Port the billing service to the new queue. Never touch the file migrations/0042.sql. The server listens on port 8443."),
	}
	for i := range turns {
		call := fmt.Sprintf("call_%d", i)
		arguments := quote(fmt.Sprintf(`{"path":"src/part%d/queue.go","text":"package part%d"}`, i, i))
		all = append(all,
			fmt.Sprintf(`{"role":"assistant","content":"I decided to use channel%d instead of mutex%d because it is simpler.","tool_calls":[{"id":%q,"type":"function","function":{"name":"write_file","arguments":%s}}]}`, i, i, call, arguments),
			fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, call, quote(strings.Repeat(fmt.Sprintf("line of output %d\n", i), 30))))
	}
	return append(all, message("assistant", "I fixed the hash comparison in src/auth.go. Next I will write the tests."), message("user", "Go on."))
}

// oneTurn is a span of a short session.
func oneTurn(t *testing.T) Span {
	t.Helper()
	return Span{Messages: messages(t, session(1)[1:]...)}
}

const tools = `"tools":[{"type":"function","function":{"name":"write_file","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],`
