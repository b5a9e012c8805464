// Package chattest builds chat messages for tests. It only writes JSON; package chat interprets it.
package chattest

import (
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/rawjson"
	"killick/view"
)

// Message parses one message.
func Message(t testing.TB, raw string) *view.Message {
	t.Helper()
	m, err := chat.ParseMessage([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &m
}

// Messages parses messages.
func Messages(t testing.TB, raw ...string) []view.Message {
	t.Helper()
	all := make([]view.Message, len(raw))
	for i := range raw {
		all[i] = *Message(t, raw[i])
	}
	return all
}

// Quote returns a text as a JSON string.
func Quote(text string) string { return string(rawjson.AppendQuoted(nil, text)) }

// Says is a message of a role.
func Says(role view.Role, text string) string {
	return `{"role":"` + string(role) + `","content":` + Quote(text) + `}`
}

// Call is an assistant message that makes one call.
func Call(id, name, args string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id +
		`","type":"function","function":{"name":` + Quote(name) +
		`,"arguments":` + Quote(args) + `}}]}`
}

// Result is a message that answers a call.
func Result(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":` + Quote(text) + `}`
}

// Called parses a call and its result, which may have further members.
func Called(t testing.TB, tool, args, result string, members ...string) []view.Message {
	t.Helper()
	return Messages(t, Call("c1", tool, args), `{"role":"tool","tool_call_id":"c1",`+
		strings.Join(append(members, ""), ",")+`"content":`+Quote(result)+`}`)
}

// Object is a JSON object of texts: names and values alternately.
func Object(pairs ...string) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, Quote(pairs[i])+":"+Quote(pairs[i+1]))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Part is a part of text.
func Part(text string) string { return `{"type":"text","text":` + Quote(text) + `}` }

// Image is a part that is not text.
const Image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`

// UserParts is a message of the user in parts.
func UserParts(parts ...string) string {
	return `{"role":"user","content":[` + strings.Join(parts, ", ") + `]}`
}

// Follow is a conversation that continues for n requests, the assistant having the last word.
func Follow(messages []string, n int) []string {
	for i := range n {
		messages = append(messages,
			Says(view.Assistant, fmt.Sprintf("Step %d is done.", i)),
			Says(view.User, fmt.Sprintf("Then go on with step %d of the plan, please.", i)))
	}
	return append(messages, Says(view.Assistant, "All of it is done."))
}
