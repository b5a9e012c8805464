package fakeresponses

import (
	"fmt"
	"strings"
	"testing"

	"killick/internal/fakeserver/openaiapi"
	"killick/tokenizer"
)

// tokensOf counts an input of one item, without what each item costs.
func tokensOf(t *testing.T, s *Server, items ...string) int {
	t.Helper()
	body := accepted(t, s, with(items, `"store":false`))
	return body.Object("usage").int("input_tokens") - len(items)*tokensOfItem
}

func TestCountsWithATokenizer(t *testing.T) {
	counter := tokenizer.New(tokenizer.Options{})
	s := start(t, Config{Count: func(model, text string) int {
		return counter.For(model).Text(text)
	}})
	text := strings.Repeat("It counts as the models of OpenAI do. ", 30)
	want := counter.For("gpt-6.1").Text(text)
	if want == openaiapi.TokensIn(len(text)) {
		t.Fatal("the text counts the same without a tokenizer: take another one")
	}
	if got := tokensOf(t, s, user(text)); got != want {
		t.Errorf("%d tokens, want %d as the tokenizer counts", got, want)
	}
}

func TestWhatCosts(t *testing.T) {
	s := start(t, Config{Count: func(_, text string) int { return len(strings.Fields(text)) }})
	large := strings.Repeat("A", 100_000)
	image := `{"role":"user","content":[{"type":"input_text","text":"see this"},` +
		`{"type":"input_image","image_url":"data:image/png;base64,` + large + `"}]}`
	if got := tokensOf(t, s, image); got != 2+tokensOfImage {
		t.Errorf("%d tokens with an image, want %d whatever its size", got, 2+tokensOfImage)
	}
	file := `{"role":"user","content":[{"type":"input_file","file_data":"` + large + `"}]}`
	if got := tokensOf(t, s, file); got != tokensOfFile {
		t.Errorf("%d tokens with a file, want %d whatever its size", got, tokensOfFile)
	}
	pair := list(`{"type":"function_call","call_id":"a","name":"read","arguments":"{} {}"}`,
		result("a", "one two three"))
	if got := tokensOf(t, s, pair...); got != 1+2+3 {
		t.Errorf("%d tokens of a call and its output, want 6", got)
	}
	shell := list(`{"type":"shell_call","call_id":"a","action":{"commands":["ls -l","pwd"],`+
		`"timeout_ms":7}}`, `{"type":"shell_call_output","call_id":"a","output":[{"stdout":`+
		`"a b","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`)
	if got := tokensOf(t, s, shell...); got != 3+1+2+1 {
		t.Errorf("%d tokens of a shell call and its output, want 7", got)
	}
	thinking := start(t, Config{})
	output := accepted(t, thinking, with(list(user("x"))))
	details := output.Object("usage").Object("output_tokens_details")
	if n := details.int("reasoning_tokens"); n != reasoningTokens {
		t.Errorf("%d reasoning tokens, want %d", n, reasoningTokens)
	}
	reasoning := output.Objects("output")[0]
	if n := tokensOf(t, thinking, canonical(reasoning), assistant("")); n != reasoningTokens {
		t.Errorf("%d tokens of a reasoning item that comes back, want %d", n, reasoningTokens)
	}
	if size := len(reasoning.Text("encrypted_content")); size < 4*reasoningTokens {
		t.Errorf("%d bytes of encrypted content, want four and more a token", size)
	}
}

// BenchmarkCreate answers requests of 200 turns with a tool call each, some 400 KB.
func BenchmarkCreate(b *testing.B) {
	s := New(Config{})
	defer s.Close()
	var items []string
	for i := range 200 {
		id := fmt.Sprint("call_", i)
		items = append(items, call(id), result(id, long(500)))
	}
	r := &Request{Body: Object{}, Model: "m"}
	body := with(items)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		o, err := parseObject([]byte(body))
		if err != nil {
			b.Fatal(err)
		}
		if r.Items, _ = s.checkInput(o["input"]); s.checkConversation(r, toCreate) != nil {
			b.Fatal("refused")
		}
		s.use(r, s.prompt(r))
	}
}
