package fakeupstream

import (
	"bytes"
	"strings"
	"testing"

	"killick/internal/fakeserver/openaiapi"
	"killick/rawjson"
	"killick/view"
)

func TestInterleaved(t *testing.T) {
	req, refused := parse(Interleaved())
	if refused != nil {
		t.Fatal(refused.Message)
	}
	replay(t, req)
	if tokens := openaiapi.TokensIn(len(req.Raw())); tokens < 10_000 {
		t.Errorf("about %d tokens, want 10,000 at least by bytes", tokens)
	}
	found := map[string]int{}
	messages := req.Messages()
	for i := range messages {
		m := &messages[i]
		noteMessage(found, i, m)
		noteCalls(found, messages, i)
	}
	for _, want := range []string{
		"system at the start", "system in the middle", "developer in the middle", "user named",
		"tool named", "string content", "array content", "null content", "empty content",
		"mark on message", "mark on part", "mark on call", "parallel", "out of order",
		"custom call",
		"legacy call", "legacy result", "data image from user", "https image from user",
		"data image from tool", "https image from tool",
	} {
		if found[want] == 0 {
			t.Errorf("nothing in it is: %s", want)
		}
	}
	for _, want := range []string{`\ud83d (`, `\udc9f`, `\/`, `"temperature":0.70`,
		`9007199254740993`, `1E+3`, `-0.0`, `12345678901234567890`, "{ \"role\" :"} {
		if !bytes.Contains(req.Raw(), []byte(want)) {
			t.Errorf("%s is not in it", want)
		}
	}
}

// noteMessage counts what is special about message i.
func noteMessage(found map[string]int, i int, m *view.Message) {
	role := string(m.Role())
	if m.Role().Instructs() {
		place := " in the middle"
		if i < 2 {
			place = " at the start"
		}
		found[role+place]++
	}
	if m.Name() != "" {
		found[role+" named"]++
	}
	if m.Role() == view.Function {
		found["legacy result"]++
	}
	switch content := m.Content(); {
	case content.Kind() == rawjson.Null:
		found["null content"]++
	case content.Kind() == rawjson.Array:
		found["array content"]++
	case content.Is(""):
		found["empty content"]++
	default:
		found["string content"]++
	}
	if m.Field("cache_control") != nil {
		found["mark on message"]++
	}
	for part := range m.Parts() {
		if part.Raw.Kind() != rawjson.Object {
			continue
		}
		if part.Raw.Get("cache_control") != nil {
			found["mark on part"]++
		}
		if scheme, _, ok := strings.Cut(part.Raw.Get("image_url").Get("url").Text(), ":"); ok {
			found[scheme+" image from "+role]++
		}
	}
}

// noteCalls counts what is special about the calls of message i and the order
// of their results.
func noteCalls(found map[string]int, messages []view.Message, i int) {
	calls := messages[i].ToolCalls()
	if len(calls) > 1 {
		found["parallel"]++
	}
	for n, call := range calls {
		switch {
		case call.Legacy:
			found["legacy call"]++
		case call.Type == "custom":
			found["custom call"]++
		}
		if call.Raw.Get("cache_control") != nil {
			found["mark on call"]++
		}
		if !call.Legacy && messages[i+1+n].ToolCallID() != call.ID {
			found["out of order"]++
		}
	}
}
