package fakeresponses

import (
	"strings"
	"testing"
)

// long is a text of about this many tokens, as four bytes a token.
func long(tokens int) string { return strings.Repeat("abc ", tokens) }

func TestCompact(t *testing.T) {
	s := start(t, Config{})
	items := list(`{"role":"developer","content":"d"}`, user("one"), assistant(long(2000)),
		call("a"), result("a", long(2000)), `{"role":"user","content":"two"}`)
	g := send(t, s, "POST", "/responses/compact", with(items))
	output := g.body.Objects("output")
	if g.status != 200 || g.body.Text("object") != "response.compaction" || len(output) != 3 ||
		said(output[0]) != "one" || said(output[1]) != "two" ||
		output[2].Text("type") != "compaction" {
		t.Fatalf("%d %s, want both messages of the user and one compaction item", g.status, g.text)
	}
	usage := g.body.Object("usage")
	if in := usage.int("input_tokens"); in < 4000 || usage.int("output_tokens") == 0 {
		t.Errorf("usage %v, want 4,000 tokens and more of input, and some output", usage)
	}
	body := with(append(encode(output...), user("three")), `"store":false`)
	if n := accepted(t, s, body).Object("usage").int("input_tokens"); n > 1000 {
		t.Errorf("%d tokens after compaction, want fewer than 1,000", n)
	}
	none := start(t, Config{NoCompact: true})
	if g := send(t, none, "POST", "/responses/compact", with(items)); g.status != 404 {
		t.Errorf("without the path: status %d, want 404", g.status)
	}
}

func TestCompactionItemsAreChecked(t *testing.T) {
	s := start(t, Config{})
	output := send(t, s, "POST", "/responses/compact", with(list(user("x")))).body.Objects("output")
	item, reasoning := output[1], turn(t, s, list(user("x")))[0]
	accepted(t, s, with(encode(item.without("id"))))
	for _, changed := range []Object{
		{"type": "compaction", "id": "cmp_other", "encrypted_content": item["encrypted_content"]},
		{"type": "compaction", "encrypted_content": item.Text("encrypted_content") + "AAAA"},
		{"type": "compaction", "encrypted_content": reasoning["encrypted_content"]},
	} {
		g := ask(t, s, with(encode(changed)))
		if g.status != 400 || g.body.Object("error").Text("code") != "invalid_encrypted_content" {
			t.Errorf("%v: %d %s", changed, g.status, g.text)
		}
	}
}

func TestContextManagement(t *testing.T) {
	s := start(t, Config{})
	management := `"context_management":[{"type":"compaction","compact_threshold":2000}]`
	short := accepted(t, s, with(list(user(long(1500))), management)).Objects("output")
	if short[0].Text("type") == "compaction" {
		t.Errorf("%v, want nothing compacted below the threshold", short[0])
	}
	items := list(user("one"), assistant(long(2500)), user("two"))
	output := accepted(t, s, with(items, management)).Objects("output")
	if output[0].Text("type") != "compaction" || output[1].Text("type") != "reasoning" ||
		output[2].Text("type") != "message" {
		t.Fatalf("output %v, want a compaction item, reasoning and a message", output)
	}
	// What precedes the newest one may be left out, and costs nothing.
	for name, items := range map[string][]string{
		"left out": append(encode(output...), user("three")),
		"sent":     append(append(items, encode(output...)...), user("three")),
	} {
		body := accepted(t, s, with(items, `"store":false`, management))
		if n := body.Object("usage").int("input_tokens"); n > 1000 ||
			body.Objects("output")[0].Text("type") == "compaction" {
			t.Errorf("%s: %d tokens, output %v, want fewer than 1,000 and no compaction", name, n,
				body.Objects("output"))
		}
	}
}

func TestCompactionTrigger(t *testing.T) {
	const trigger = `{"type":"compaction_trigger"}`
	s := start(t, Config{})
	items := list(user("one"), assistant(long(2500)), user("two"))
	output := accepted(t, s, with(append(items, trigger), `"store":false`)).Objects("output")
	if len(output) != 1 || output[0].Text("type") != "compaction" {
		t.Fatalf("output %v, want exactly one compaction item", output)
	}
	accepted(t, s, with(append(encode(output...), user("three"))))
	refusal{400, "input", "invalid_value",
		"The 'compaction_trigger' item must be the final input item."}.
		check(t, ask(t, s, with(list(user("x"), trigger, user("y")))))
	g := send(t, s, "POST", "/responses/compact", with(list(user("x"), trigger)))
	if g.status != 400 {
		t.Errorf("a trigger where compaction is asked for: %d %s, want 400", g.status, g.text)
	}
	// The trigger is not an item of what is stored.
	first := accepted(t, s, with(append(items, trigger)))
	accepted(t, s, with(list(user("y")), `"previous_response_id":"`+first.Text("id")+`"`))
}

func TestInputTokens(t *testing.T) {
	s := start(t, Config{Count: func(model, text string) int {
		if model != "gpt-6.1" {
			return 0
		}
		return len(strings.Fields(text))
	}})
	body := with(list(user("one two three"), assistant("four")), `"instructions":"be very brief"`)
	g := send(t, s, "POST", "/responses/input_tokens", body)
	const want = 3 + 1 + 3 + 3*tokensOfItem
	if g.status != 200 || g.body.Text("object") != "response.input_tokens" ||
		g.body.int("input_tokens") != want {
		t.Errorf("%d %s, want %d tokens", g.status, g.text, want)
	}
	if n := accepted(t, s, body).Object("usage").int("input_tokens"); n != want {
		t.Errorf("%d tokens in the usage of a response, want %d", n, want)
	}
	if g := send(t, s, "POST", "/responses/input_tokens", `{"input":"x"}`); g.status != 200 {
		t.Errorf("without a model: %d %s, want 200", g.status, g.text)
	}
	refusal{400, "input", "", "No tool call found for function call output with call_id a."}.
		check(t, send(t, s, "POST", "/responses/input_tokens", with(list(result("a", "x")))))
}

// said returns the text of an item: the content of a message, the output of a call, or what a call
// is given.
func said(item Object) string {
	for _, name := range []string{"content", "output", "arguments", "input", "result"} {
		switch v := item[name].(type) {
		case string:
			return v
		case []any:
			var text strings.Builder
			for _, part := range objectsOf(v) {
				text.WriteString(part.Text("text") + part.Text("refusal") + part.Text("stdout"))
			}
			return text.String()
		}
	}
	return ""
}
