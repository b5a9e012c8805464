package fakeupstream

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// hundred counts every message as 100 tokens and the rest as fixed.
func hundred(fixed int) func(*view.Request) ([]int, int) {
	return func(req *view.Request) ([]int, int) {
		counts := make([]int, len(req.Messages()))
		for i := range counts {
			counts[i] = 100
		}
		return counts, fixed
	}
}

// turns is a conversation of n messages.
func turns(n int) []string {
	var messages []string
	for i := range n {
		role := [2]string{"user", "assistant"}[i%2]
		messages = append(messages, fmt.Sprintf(`{"role":%q,"content":"message %d"}`, role, i))
	}
	return messages
}

func TestPromptCache(t *testing.T) {
	conversation := turns(40)
	with := func(head string, messages ...string) string {
		return `{` + head + `,"messages":[` + strings.Join(messages, ",") + `]}`
	}
	const plain = `"model":"gpt-5.1"`
	respelled := `{ "content" : "m\u0065ssage 0" , "cache_control":{"type":"ephemeral"}, ` +
		`"role":"user"}`
	for _, test := range []struct {
		name   string
		first  string // sent under key one
		second string
		key    string
		want   int
	}{
		// of 100 + 40 × 100
		{"the same again", with(plain, conversation...), with(plain, conversation...), "one", 4096},
		// of 2,100
		{"grown", with(plain, conversation[:20]...), with(plain, conversation...), "one", 2048},
		{"shrunk", with(plain, conversation...), with(plain, conversation[:20]...), "one", 2048},
		{"branched", with(plain, conversation...),
			with(plain, append(conversation[:30:30], user)...), "one", 3072},
		{"changed at the start", with(plain, conversation...),
			with(plain, append([]string{user}, conversation[1:]...)...), "one", 0},
		{"spelled in another way", with(plain, conversation...),
			with(plain, append([]string{respelled}, conversation[1:]...)...), "one", 4096},
		{"another credential", with(plain, conversation...), with(plain, conversation...), "two",
			0},
		{"another model", with(plain, conversation...), with(`"model":"gpt-4o"`, conversation...),
			"one", 0},
		{"other tools", with(plain, conversation...), with(plain+`,"tools":[]`, conversation...),
			"one", 0},
		{"another response format", with(plain, conversation...),
			with(plain+`,"response_format":{"type":"json_object"}`, conversation...), "one", 0},
		{"another choice of tools", with(plain, conversation...),
			with(plain+`,"tool_choice":"none"`, conversation...), "one", 0},
		{"another effort", with(plain, conversation...),
			with(plain+`,"reasoning_effort":"low"`, conversation...), "one", 0},
		{"other options", with(plain, conversation...),
			with(plain+`,"temperature":0.5`, conversation...), "one", 4096},
		{"under 1,024", with(plain, conversation[:9]...), with(plain, conversation[:9]...), "one",
			0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, Config{Count: hundred(100)})
			if a := ask(t, s, test.first, "Authorization", "Bearer one"); a.status !=
				http.StatusOK || cached(a) != 0 {
				t.Fatalf("first: status %d, %d cached, want 200 and none: %s", a.status,
					cached(a), a.body)
			}
			a := ask(t, s, test.second, "Authorization", "Bearer "+test.key)
			if got := cached(a); got != test.want {
				t.Errorf("%d tokens cached, want %d: %s", got, test.want, a.body)
			}
		})
	}
}

func cached(a answer) int {
	u, _ := chat.ParseUsage([]byte(a.body))
	return u.CachedTokens
}

func TestRefusedRequestsAreNotCached(t *testing.T) {
	s := start(t, Config{Count: hundred(0), Window: 2500})
	long := turns(30)
	if a := ask(t, s, chatBody(long...)); a.status != http.StatusBadRequest {
		t.Fatalf("status %d, want 400", a.status)
	}
	if a := ask(t, s, chatBody(long[:20]...)); cached(a) != 0 {
		t.Errorf("%d tokens cached, want none", cached(a))
	}
}

func TestUsage(t *testing.T) {
	s := start(t, Config{})
	body := chatBody(turns(7)...)
	a := ask(t, s, body)
	want := 0
	for _, message := range turns(7) {
		want += (len(message) + 3) / 4
	}
	u, ok := chat.ParseUsage([]byte(a.body))
	if !ok || u.PromptTokens != want {
		t.Errorf("usage %+v, want %d prompt tokens: %s", u, want, a.body)
	}
	total, _ := value(a.body, "usage", "total_tokens").Int()
	if u.CompletionTokens == 0 || total != u.PromptTokens+u.CompletionTokens {
		t.Errorf("usage %+v, total %d; want completion tokens, and the sum of both", u, total)
	}
}

func TestWindow(t *testing.T) {
	s := start(t, Config{Window: 1000, Count: hundred(0)})
	if a := ask(t, s, chatBody(turns(10)...)); a.status != http.StatusOK {
		t.Errorf("at the window: status %d, want 200: %s", a.status, a.body)
	}
	a := ask(t, s, chatBody(turns(11)...))
	const want = `{"error":{"message":"This model's maximum context length is 1000 tokens. ` +
		`However, your messages resulted in 1100 tokens. ` +
		`Please reduce the length of the ` +
		`messages.","type":"invalid_request_error","param":"messages",` +
		`"code":"context_length_exceeded"}}`
	if a.status != http.StatusBadRequest || a.body != want {
		t.Errorf("past the window: %d %s, want 400 %s", a.status, a.body, want)
	}
	s = start(t, Config{Window: 1000, Count: hundred(250)})
	a = ask(t, s, `{"model":"gpt-5.1","tools":[],"messages":[`+strings.Join(turns(8), ",")+`]}`)
	const both = "However, your messages resulted in 1050 tokens (800 in the messages, 250 in " +
		"the functions)."
	if a.status != http.StatusBadRequest || !strings.Contains(a.body, both) {
		t.Errorf("past the window with tools: %d %s, want 400 %s", a.status, a.body, both)
	}
}

func BenchmarkPrefixes(b *testing.B) {
	var c promptCache
	c.init()
	req, err := chat.Parse([]byte(chatBody(turns(2000)...)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(req.Raw())))
	for b.Loop() {
		c.prefixes("key", req)
	}
}
