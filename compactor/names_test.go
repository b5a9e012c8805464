package compactor

import (
	"strings"
	"testing"
)

// A credential that is known by the words around it must not be listed without
// them, where nothing would tell it.
func TestNoCredentialIsListedAsAName(t *testing.T) {
	const token = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
	policy := Policy{Trigger: 2000, Target: 1000, MinMaskTokens: 60, IndexTokens: 1000, RecordTokens: 900}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore(), Redact: func(text string) string {
		return strings.ReplaceAll(text, "Bearer "+token, "Bearer [redacted]")
	}})
	msgs := []string{
		`{"role":"user","content":"Call it with the token that you have and mend shop_server.go."}`,
		`{"role":"assistant","content":"I use Bearer ` + token + `.","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"command\":\"for service in cart order stock mail search login pay; do sleep 1; done; curl -H 'Bearer ` + token + `' https://host/shop_server.go\"}"}}]}`,
		`{"role":"tool","tool_call_id":"a","content":"sent Bearer ` + token + ` to shop_router.go ` + strings.Repeat("and so on ", 900) + `"}`,
	}
	for range 30 {
		msgs = append(msgs, `{"role":"assistant","content":"Next. `+strings.Repeat("I think about it. ", 30)+`"}`, `{"role":"user","content":"Go on."}`)
	}
	res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	if !res.Folded || !strings.Contains(string(res.Body), "shop_router.go") {
		t.Fatalf("nothing was folded into a record with an index: %s", res.Reason)
	}
	if at := strings.Index(string(res.Body), token); at >= 0 {
		t.Errorf("the token is told by itself: %.200q", res.Body[max(0, at-100):])
	}
}
