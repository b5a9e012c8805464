package cache

import (
	"fmt"
	"slices"
	"testing"

	"killick/internal/chattest"
)

func last(keys []Key) Key { return keys[len(keys)-1] }

var testScope = Scope{Who: "who", Upstream: "https://api.example.com/v1", Policy: "1"}

// conversation is a few messages of every kind.
var conversation = []string{
	`{"role":"user","content":"fix the test in a.go"}`,
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function"` +
		`,"function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]}`,
	`{"role":"tool","tool_call_id":"c1","content":"package a"}`,
	`{"role":"assistant","content":[{"type":"text","text":"done"}]}`,
}

func TestChainOfPrefixes(t *testing.T) {
	secret := NewSecret()
	msgs := chattest.Messages(t, conversation...)
	whole := secret.Chain(testScope, msgs)
	if len(whole) != len(msgs)+1 {
		t.Fatalf("%d keys for %d messages", len(whole), len(msgs))
	}
	for n := range len(msgs) + 1 {
		if got := secret.Chain(testScope, msgs[:n]); !slices.Equal(got, whole[:n+1]) {
			t.Errorf("the keys of %d messages are not the first of the whole", n)
		}
	}
	seen := map[Key]bool{}
	for _, key := range whole {
		seen[key] = true
	}
	if len(seen) != len(whole) {
		t.Errorf("%d different keys of %d", len(seen), len(whole))
	}
}

// TestChainSeesMeaning changes one thing in one message: keys before it stay,
// all after it change.
func TestChainSeesMeaning(t *testing.T) {
	secret := NewSecret()
	before := secret.Chain(testScope, chattest.Messages(t, conversation...))
	for _, c := range []struct {
		at      int
		message string
	}{
		{0, `{"role":"user","content":"fix the test in b.go"}`},
		{0, `{"role":"user","name":"ann","content":"fix the test in a.go"}`},
		{0, `{"role":"developer","content":"fix the test in a.go"}`},
		{0, `{"role":"user","content":[{"type":"text","text":"fix the test"` +
			`},{"type":"text","text":" in a.go"}]}`},
		{1, `{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function"` +
			`,"function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]}`},
		{1, `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function"` +
			`,"function":{"name":"read","arguments":"{\"path\":\"b.go\"}"}}]}`},
		{1, `{"role":"assistant","content":"reading","tool_calls":[{"id":"c1","type":"function"` +
			`,"function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]}`},
		{2, `{"role":"tool","tool_call_id":"c1","content":"package a\n"}`},
		{2, `{"role":"tool","tool_call_id":"c9","content":"package a"}`},
		{3, `{"role":"assistant","content":[{"type":"text","text":"done"` +
			`},{"type":"text","text":""},{"type":"text","text":"!"}]}`},
		{3, `{"role":"assistant","content":[{"type":"text","text":"\ud83d"}]}`},
	} {
		raw := slices.Clone(conversation)
		raw[c.at] = c.message
		after := secret.Chain(testScope, chattest.Messages(t, raw...))
		if !slices.Equal(after[:c.at+1], before[:c.at+1]) {
			t.Errorf("%s changes keys before it", c.message)
		}
		for i := c.at + 1; i < len(after); i++ {
			if after[i] == before[i] {
				t.Errorf("%s does not change key %d", c.message, i)
			}
		}
	}
}

// TestChainIgnoresSpelling hashes the same conversation as different clients encode it.
func TestChainIgnoresSpelling(t *testing.T) {
	secret := NewSecret()
	want := secret.Chain(testScope, chattest.Messages(t, conversation...))
	for _, c := range []struct {
		at      int
		message string
	}{
		{0, `{ "content" : "fix the test in a\u002ego"` +
			` , "role":"user", "cache_control":{"type":"ephemeral"}}`},
		{0, `{"role":"user","content":[{"type":"text","text":"fix the test in a.go"` +
			`,"cache_control":{"type":"ephemeral"}}]}`},
		{1, `{"role":"assistant","tool_calls":[{"cache_control":{"type":"ephemeral"},"id":"c1"` +
			`,"type":"function","function":{"name":"read"` +
			`,"arguments":"{\u0022path\":\"a.go\"}"}}]}`},
		{1, `{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":"c1"` +
			`,"type":"function","function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]}`},
		{3, `{"role":"assistant","content":"done","refusal":null,"annotations":[]}`},
	} {
		raw := slices.Clone(conversation)
		raw[c.at] = c.message
		if got := secret.Chain(testScope, chattest.Messages(t, raw...)); !slices.Equal(got, want) {
			t.Errorf("%s changes keys", c.message)
		}
	}
}

func TestChainScope(t *testing.T) {
	msgs := chattest.Messages(t, conversation...)
	secret := NewSecret()
	seen := map[Key]string{}
	add := func(what string, keys []Key) {
		for i, key := range keys {
			if other, ok := seen[key]; ok {
				t.Errorf("key %d of %s is one of %s", i, what, other)
			}
			seen[key] = what
		}
	}
	add("another secret", NewSecret().Chain(testScope, msgs))
	for _, scope := range []Scope{
		testScope,
		{Who: "other", Upstream: testScope.Upstream, Policy: testScope.Policy},
		{Who: testScope.Who, Upstream: "https://other.example.com", Policy: testScope.Policy},
		{Who: testScope.Who, Upstream: testScope.Upstream, Policy: "2"},
		{Who: "wh", Upstream: "o" + testScope.Upstream, Policy: testScope.Policy},
		{},
	} {
		add(fmt.Sprintf("%+v", scope), secret.Chain(scope, msgs))
	}
}

// However a conversation grows, its keys equal those computed at once.
func TestChainsGrow(t *testing.T) {
	secret := NewSecret()
	msgs := history(t)
	want := secret.Chain(testScope, msgs)
	for _, step := range []int{1, 2, 7, len(msgs)} {
		var digests []Digest
		var keys []Key
		for n := 0; n < len(msgs); {
			next := min(n+step, len(msgs))
			digests = Digests(digests, msgs[n:next])
			keys = secret.Extend(testScope, keys, digests)
			n = next
		}
		if !slices.Equal(keys, want) {
			t.Errorf("in steps of %d: other keys than at once", step)
		}
	}
}

// TestCraftedScopesStayApart tries values with which a client or an operator could make
// two scopes equal: parts that contain separators, lengths, or the end of the previous
// part.
func TestCraftedScopesStayApart(t *testing.T) {
	secret := NewSecret()
	parts := []string{"", "a", "aa", "a\x00", "\x00a",
		"\x01a", "\x01", "a\x01a", "a|a", "|", ";",
		"a;redact=off", "credential", "who", "chain", "https://a/v1"}
	roots, whos := map[Key][3]string{}, map[string][3]string{}
	for _, who := range parts {
		for _, upstream := range parts {
			for _, policy := range parts {
				scope := [3]string{who, upstream, policy}
				key := secret.Chain(Scope{Who: who, Upstream: upstream, Policy: policy}, nil)[0]
				if other, ok := roots[key]; ok {
					t.Errorf("%q and %q begin the same chain", scope, other)
				}
				roots[key] = scope
				hash := secret.Who(scope[:]...)
				if other, ok := whos[hash]; ok {
					t.Errorf("%q and %q are the same client", scope, other)
				}
				whos[hash] = scope
			}
		}
	}
	// Two lists of parts with the same concatenation are different clients.
	if secret.Who("a", "b") == secret.Who("ab") || secret.Who("a", "") == secret.Who("a") {
		t.Error("the number of parts does not count")
	}
}
