package fakeresponses

import (
	"strings"
	"testing"
)

// turn asks for a response without storing it, and returns its output.
func turn(t *testing.T, s *Server, items []string, header ...string) []Object {
	t.Helper()
	return accepted(t, s, with(items, `"store":false`), header...).Objects("output")
}

func TestRepliesReason(t *testing.T) {
	s := start(t, Config{Reply: func(*Request) Reply {
		return Reply{Summary: "It is about files.", Content: "I will look.",
			Calls: []Call{{Name: "read", Input: "{}"}, {Name: "list", Input: "{}"}}}
	}})
	output := turn(t, s, list(user("x")))
	var types []string
	for _, item := range output {
		types = append(types, item.Text("type"))
	}
	if got := strings.Join(types, " "); got != "reasoning message function_call function_call" {
		t.Fatalf("output %s, want reasoning, a message and two calls", got)
	}
	if !strings.HasPrefix(output[0].Text("encrypted_content"), "gAAAA") ||
		output[0].Objects("summary")[0].Text("text") != "It is about files." {
		t.Errorf("reasoning %v, want a summary and encrypted content", output[0])
	}
	if phase := output[1].Text("phase"); phase != "commentary" {
		t.Errorf("phase %q of a message before calls, want commentary", phase)
	}
	plain := start(t, Config{})
	if phase := turn(t, plain, list(user("x")))[1].Text("phase"); phase != "final_answer" {
		t.Errorf("phase %q of a message alone, want final_answer", phase)
	}
	for name, body := range map[string]string{
		"no effort": with(list(user("x")), `"reasoning":{"effort":"none"}`),
	} {
		if n := len(accepted(t, plain, body).Objects("output")); n != 1 {
			t.Errorf("%s: %d items, want one without reasoning", name, n)
		}
	}
}

func TestEncryptedContent(t *testing.T) {
	s := start(t, Config{})
	const one, two = "Bearer one", "Bearer two"
	output := turn(t, s, list(user("x")), "Authorization", one)
	reasoning, message := output[0], output[1]
	back := func(reasoning Object) string {
		return with(append(encode(reasoning, message), user("y")), `"store":false`)
	}
	for name, same := range map[string]Object{"as it came": reasoning,
		"without its id": reasoning.without("id")} {
		if g := ask(t, s, back(same), "Authorization", one); g.status != 200 {
			t.Errorf("%s: %d %s, want 200", name, g.status, g.text)
		}
	}
	second := start(t, Config{}) // another replica knows the content
	accepted(t, second, back(reasoning), "Authorization", one)

	sealed := reasoning.Text("encrypted_content")
	middle := len(sealed) / 2
	altered := "A"
	if sealed[middle] == 'A' {
		altered = "B"
	}
	oneAltered := sealed[:middle] + altered + sealed[middle+1:]
	for name, change := range map[string]func(Object){
		"altered":    func(o Object) { o["encrypted_content"] = oneAltered },
		"shortened":  func(o Object) { o["encrypted_content"] = sealed[:middle] },
		"made up":    func(o Object) { o["encrypted_content"] = "gAAAAAmadeup" },
		"another id": func(o Object) { o["id"] = "rs_other" },
	} {
		changed := reasoning.without()
		change(changed)
		content := changed.Text("encrypted_content")
		refusal{400, "", "invalid_encrypted_content", "The encrypted content " + content[:4] +
			"..." + content[len(content)-4:] + " could not be verified. Reason: Encrypted " +
			"content could not be decrypted or parsed."}.
			check(t, ask(t, s, back(changed), "Authorization", one))
		t.Log(name)
	}
	g := ask(t, s, back(reasoning), "Authorization", two)
	if g.status != 400 || g.body.Object("error").Text("code") != "invalid_encrypted_content" {
		t.Errorf("another organization: %d %s", g.status, g.text)
	}
}

func TestReasoningIsFollowed(t *testing.T) {
	s := start(t, Config{Reply: func(r *Request) Reply {
		if r.Last().Text("type") == "message" {
			return Reply{Calls: []Call{{ID: "a", Name: "read", Input: "{}"}}}
		}
		return Reply{}
	}})
	output := turn(t, s, list(user("x")))
	reasoning := output[0]
	turn(t, s, append(append(list(user("x")), encode(output...)...), result("a", "y")))
	want := refusal{400, "input", "", "Item '" + reasoning.Text("id") + "' of type 'reasoning' " +
		"was provided without its required following item."}
	for name, items := range map[string][]string{
		"at the end":         {user("x"), canonical(reasoning)},
		"a user after it":    {canonical(reasoning), user("x")},
		"an output after it": {call("b"), canonical(reasoning), result("b", "x")},
	} {
		t.Log(name)
		want.check(t, ask(t, s, with(items, `"store":false`)))
	}
}

func TestMovedReasoningIsCounted(t *testing.T) {
	s := start(t, Config{Record: true, Reply: func(*Request) Reply {
		return Reply{Calls: []Call{{ID: "a", Name: "read", Input: "{}"}}}
	}})
	output := turn(t, s, list(user("x")))
	turn(t, s, append(encode(output...), result("a", "y")))
	turn(t, s, append(encode(output[0]), call("b"), result("b", "y")))
	turn(t, s, append(encode(output[0]), assistant("y"), user("z")))
	var moved []int
	for _, r := range s.Requests() {
		moved = append(moved, r.MovedReasoning)
	}
	if len(moved) != 4 || moved[0] != 0 || moved[1] != 0 || moved[2] != 1 || moved[3] != 1 {
		t.Errorf("moved %v, want 0 0 1 1", moved)
	}
}

func TestReasoningThatIsNotStored(t *testing.T) {
	s := start(t, Config{})
	output := turn(t, s, list(user("x")))
	bare := output[0].without("encrypted_content")
	refusal{404, "input", "", "Item with id '" + bare.Text("id") + "' not found. Items are not " +
		"persisted when `store` is set to false. Try again with `store` set to true, or remove " +
		"this item from your input."}.
		check(t, ask(t, s, with(append(encode(bare, output[1]), user("y")), `"store":false`)))
}

func TestStoredReasoning(t *testing.T) {
	s := start(t, Config{})
	output := accepted(t, s, with(list(user("x")))).Objects("output")
	bare, message := output[0].without("encrypted_content"), output[1]
	accepted(t, s, with(append(encode(bare, message), user("y"))))
	accepted(t, s, with(append(encode(output[0], message.without("id")), user("y"))))
	refusal{400, "input", "", "Item '" + message.Text("id") + "' of type 'message' was provided " +
		"without its required 'reasoning' item: '" + bare.Text("id") + "'."}.
		check(t, ask(t, s, with(append(encode(message), user("y")))))
	accepted(t, s, with(append(encode(message.without("id")), user("y"))))
	// Looked up by its id, it asks for the very item that it was made for.
	refusal{400, "input", "", "Item '" + bare.Text("id") + "' of type 'reasoning' was provided " +
		"without its required following item."}.
		check(t, ask(t, s, with(append(encode(bare, message.without("id")), user("y")))))
}

func TestPhases(t *testing.T) {
	const lacking = `{"role":"assistant","content":"x"}`
	s := start(t, Config{Record: true})
	output := turn(t, s, list(user("x")))
	turn(t, s, append(encode(output...), user("y")))
	other := output[1].without()
	other["phase"] = "commentary"
	turn(t, s, append(encode(output[0], other), lacking, user("y")))
	if n := s.MissingPhases(); n != 2 {
		t.Errorf("%d phases missing, want one that was changed and one that is not there", n)
	}
	if r := s.Requests(); r[1].MissingPhases != 0 || r[2].MissingPhases != 2 {
		t.Errorf("missing by request: %d and %d, want 0 and 2", r[1].MissingPhases,
			r[2].MissingPhases)
	}
	strict := start(t, Config{RequirePhase: true})
	accepted(t, strict, with(list(user("x"), assistant("y"), user("z"))))
	refusal{400, "input[1].phase", "missing_required_parameter",
		"Missing required parameter: 'input[1].phase'."}.
		check(t, ask(t, strict, with(list(user("x"), lacking, user("z")))))
	if n := strict.MissingPhases(); n != 1 {
		t.Errorf("%d phases missing, want one", n)
	}
}
