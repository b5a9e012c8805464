package fakeresponses

import (
	"net/http"
	"strings"
	"testing"
)

func TestPreviousResponse(t *testing.T) {
	s := start(t, Config{Record: true, Reply: func(r *Request) Reply {
		if r.Last().Text("role") == "user" && r.Kept == 0 {
			return Reply{Calls: []Call{{ID: "a", Name: "read", Input: "{}"}}}
		}
		return Reply{Content: said(r.Items[0]) + " and " + said(r.Last())}
	}})
	first := accepted(t, s, with(list(user("one"))))
	previous := `"previous_response_id":"` + first.Text("id") + `"`
	second := accepted(t, s, with(list(result("a", "two")), previous))
	if got := said(itemOf(t, second, "message")); got != "one and two" {
		t.Errorf("the second response knows %q, want the first request too", got)
	}
	if first.Text("previous_response_id") != "" ||
		second.Text("previous_response_id") != first.Text("id") {
		t.Errorf("previous %q and %q, want none and the first",
			first.Text("previous_response_id"), second.Text("previous_response_id"))
	}
	if r := s.Requests(); r[1].Usage.Input <= r[0].Usage.Input {
		t.Errorf("%d tokens, then %d; want the history counted", r[0].Usage.Input,
			r[1].Usage.Input)
	}
	// A branch from the same response is another conversation.
	accepted(t, s, with(list(result("a", "three")), previous))
	refusal{400, "input", "", "No tool output found for function call a."}.
		check(t, ask(t, s, with(list(user("two")), previous)))
	fc := itemOf(t, first, "function_call")
	refusal{400, "input", "", "Duplicate item found with id " + fc.Text("id") +
		". Remove duplicate items from your input and try again."}.
		check(t, ask(t, s, with(append(encode(fc), result("a", "two")), previous)))
}

func TestPreviousResponseIsNotFound(t *testing.T) {
	s := start(t, Config{})
	notFound := func(id string) refusal {
		return refusal{400, "previous_response_id", "previous_response_not_found",
			"Previous response with id '" + id + "' not found."}
	}
	follow := func(id string) string {
		return with(list(user("y")), `"previous_response_id":"`+id+`"`)
	}
	notFound("resp_1").check(t, ask(t, s, follow("resp_1")))
	id := accepted(t, s, with(list(user("x")), `"store":false`)).Text("id")
	notFound(id).check(t, ask(t, s, follow(id)))
	id = accepted(t, s, with(list(user("x"))), "Authorization", "Bearer one").Text("id")
	accepted(t, s, follow(id), "Authorization", "Bearer one")
	notFound(id).check(t, ask(t, s, follow(id), "Authorization", "Bearer two"))
}

func TestStoredResponses(t *testing.T) {
	s := start(t, Config{})
	first := accepted(t, s, with(list(user("x"))))
	path := "/responses/" + first.Text("id")
	if g := send(t, s, http.MethodGet, path, ""); g.status != 200 ||
		canonical(g.body) != canonical(first) {
		t.Errorf("GET: %d %s, want %s", g.status, g.text, canonical(first))
	}
	if g := send(t, s, http.MethodDelete, path, ""); g.status != 200 || g.body["deleted"] != true {
		t.Errorf("DELETE: %d %s", g.status, g.text)
	}
	refusal{404, "", "", "Response with id '" + first.Text("id") + "' not found."}.
		check(t, send(t, s, http.MethodGet, path, ""))
	again := accepted(t, s, with(list(user("x"))))
	s.Reset()
	if g := send(t, s, http.MethodGet, "/responses/"+again.Text("id"), ""); g.status != 404 {
		t.Errorf("after a reset: status %d, want 404", g.status)
	}
}

func TestConversations(t *testing.T) {
	s := start(t, Config{Reply: func(r *Request) Reply {
		var all []string
		for _, item := range r.Items {
			if item.Text("role") == "user" {
				all = append(all, said(item))
			}
		}
		return Reply{Content: strings.Join(all, " ")}
	}})
	created := send(t, s, http.MethodPost, "/conversations",
		`{"items":[{"role":"user","content":"zero"}]}`).body
	id := created.Text("id")
	if !strings.HasPrefix(id, "conv_") || created.Text("object") != "conversation" {
		t.Fatalf("conversation %v", created)
	}
	accepted(t, s, with(list(user("one")), `"conversation":"`+id+`"`))
	last := accepted(t, s, with(list(user("two")), `"conversation":{"id":"`+id+`"}`))
	if got := said(itemOf(t, last, "message")); got != "zero one two" {
		t.Errorf("the conversation holds %q, want all three", got)
	}
	if got := last.Object("conversation").Text("id"); got != id {
		t.Errorf("the response is of conversation %q, want %q", got, id)
	}
	refusal{404, "conversation", "", "Conversation with id 'conv_x' not found."}.
		check(t, ask(t, s, with(list(user("x")), `"conversation":"conv_x"`)))
	if g := send(t, s, http.MethodPost, "/conversations", ""); g.status != 200 {
		t.Errorf("an empty conversation: %d %s", g.status, g.text)
	}
}

func TestReferences(t *testing.T) {
	s := start(t, Config{Reply: func(r *Request) Reply {
		return Reply{Content: said(r.Items[0]), NoReasoning: true}
	}})
	id := itemOf(t, accepted(t, s, with(list(user("x")))), "message").Text("id")
	for _, reference := range []string{`{"type":"item_reference","id":"` + id + `"}`,
		`{"id":"` + id + `"}`} {
		body := accepted(t, s, with(list(reference, user("y"))))
		if got := said(itemOf(t, body, "message")); got != "x" {
			t.Errorf("%s stands for %q, want what was said", reference, got)
		}
	}
	for unknown, header := range map[string][]string{
		"msg_x": nil, id: {"Authorization", "Bearer of another organization"},
	} {
		refusal{404, "input", "", "Item with id '" + unknown + "' not found. Items are not " +
			"persisted when `store` is set to false. Try again with `store` set to true, or " +
			"remove this item from your input."}.check(t, ask(t, s,
			with(list(`{"type":"item_reference","id":"`+unknown+`"}`)), header...))
	}
}

func TestStoreForgetsTheOldest(t *testing.T) {
	s := start(t, Config{})
	body := with(list(user("x")))
	first, second := accepted(t, s, body).Text("id"), accepted(t, s, body).Text("id")
	s.state.mu.Lock()
	s.state.bytes += maxStoredBytes - 3*len(body) // as if the first one were so large
	s.state.responses[first].bytes += maxStoredBytes - 3*len(body)
	s.state.mu.Unlock()
	stored := func(id string) int {
		return send(t, s, http.MethodGet, "/responses/"+id, "").status
	}
	accepted(t, s, body)
	if got := stored(first); got != 200 {
		t.Errorf("the first, with room left: status %d, want 200", got)
	}
	last := accepted(t, s, body).Text("id")
	if got := stored(first); got != 404 {
		t.Errorf("the first, with no room left: status %d, want 404", got)
	}
	if stored(second) != 200 || stored(last) != 200 {
		t.Errorf("the second: status %d, the last: %d, want 200", stored(second), stored(last))
	}
}
