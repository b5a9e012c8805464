package fakeupstream

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"killick/chat"
	"killick/view"
)

func TestAnswersWhole(t *testing.T) {
	s := start(t, Config{})
	a := ask(t, s, chatBody(turns(3)...))
	for path, want := range map[string]string{
		"object": "chat.completion", "id": "chatcmpl-1", "model": "gpt-5.1",
		"choices.0.finish_reason":   "stop",
		"choices.0.message.role":    "assistant",
		"choices.0.message.content": "This is the scripted answer to a request of 3 messages.",
	} {
		if got := value(a.body, strings.Split(path, ".")...).Text(); got != want {
			t.Errorf("%s is %q, want %q: %s", path, got, want, a.body)
		}
	}
	for name, want := range map[string]string{
		"X-Request-Id": "req_0000000000000001", "X-Ratelimit-Remaining-Requests": "9999",
		"Content-Type": "application/json",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestAnswersEachChoice(t *testing.T) {
	s := start(t, Config{})
	a := ask(t, s, `{"model":"gpt-5.1","n":3,"messages":[`+user+`]}`)
	var indexes []int
	for choice := range value(a.body, "choices").Elements() {
		i, _ := choice.Get("index").Int()
		indexes = append(indexes, i)
	}
	if fmt.Sprint(indexes) != "[0 1 2]" {
		t.Errorf("choices %v, want 0, 1 and 2: %s", indexes, a.body)
	}
	one := ask(t, s, hello)
	ofOne, _ := chat.ParseUsage([]byte(one.body))
	if u, _ := chat.ParseUsage([]byte(a.body)); u.CompletionTokens != 3*ofOne.CompletionTokens {
		t.Errorf("%d completion tokens for three choices, want three times %d", u.CompletionTokens,
			ofOne.CompletionTokens)
	}
}

func TestScriptedReply(t *testing.T) {
	reply := Reply{Content: "Reading.", Reasoning: "think", ToolCalls: []ToolCall{
		{Name: "read", Arguments: `{"path":"main.go"}`},
		{ID: "call_q", Name: "sql", Arguments: "select 1", Custom: true},
	}}
	s := start(t, Config{Reply: func(*view.Request) Reply { return reply }})
	const want = `{"role":"assistant","content":"Reading.","reasoning_content":"think",` +
		`"tool_calls":[` +
		`{"id":"call_1_0","type":"function","function":{"name":"read",` +
		`"arguments":"{\"path\":\"main.go\"}"}},` +
		`{"id":"call_q","type":"custom","custom":{"name":"sql","input":"select ` +
		`1"}}],"refusal":null,"annotations":[]}`
	a := ask(t, s, hello)
	if got := string(value(a.body, "choices", "0", "message")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := value(a.body, "choices", "0", "finish_reason").Text(); got != "tool_calls" {
		t.Errorf("finish reason %q, want tool_calls", got)
	}
	// What it answers is accepted when a client sends it back.
	back := chatBody(user, want, result("call_q"), result("call_1_0"))
	if a := ask(t, s, back); a.status != http.StatusOK {
		t.Errorf("sending the reply back: %d %s, want 200", a.status, a.body)
	}
	refusing := start(t, Config{Reply: func(*view.Request) Reply {
		return Reply{Refusal: "No.", FinishReason: "content_filter"}
	}})
	a = ask(t, refusing, hello)
	if got := string(value(a.body, "choices", "0", "message")); got !=
		`{"role":"assistant","content":null,"refusal":"No.","annotations":[]}` {
		t.Errorf("refusal: %s", got)
	}
	if got := value(a.body, "choices", "0", "finish_reason").Text(); got != "content_filter" {
		t.Errorf("finish reason %q, want content_filter", got)
	}
}

func TestKeys(t *testing.T) {
	s := start(t, Config{Keys: []string{"sk-one", "sk-two"}})
	for _, test := range []struct {
		header []string
		status int
		code   string
	}{
		{[]string{"Authorization", "Bearer sk-one"}, 200, ""},
		{[]string{"Authorization", "Bearer sk-two"}, 200, ""},
		{[]string{"Api-Key", "sk-one"}, 200, ""},
		{[]string{"Authorization", "Bearer sk-three"}, 401, "invalid_api_key"},
		{nil, 401, ""},
	} {
		a := ask(t, s, hello, test.header...)
		if a.status != test.status || value(a.body, "error", "code").Text() != test.code {
			t.Errorf("%v: %d %s, want %d and code %q", test.header, a.status, a.body,
				test.status, test.code)
		}
		if strings.Contains(a.body, "sk-") {
			t.Errorf("%v: the answer repeats a key: %s", test.header, a.body)
		}
	}
}

func TestPathsOfChat(t *testing.T) {
	s := start(t, Config{})
	for _, path := range []string{"/v1/chat/completions", "/chat/completions",
		"/openai/deployments/d/chat/completions?api-version=2024-10-21"} {
		a, err := send(http.MethodPost, s.Origin()+path, hello)
		if err != nil || a.status != http.StatusOK ||
			value(a.body, "object").Text() != "chat.completion" {
			t.Errorf("%s: %v, %d %s, want a completion", path, err, a.status, a.body)
		}
	}
	a, err := send(http.MethodPost, s.Origin()+"/openai/deployments/d/chat/completions",
		`{"messages":[`+user+`]}`)
	if err != nil || a.status != http.StatusOK {
		t.Errorf("a deployment without a model: %v, %d %s, want 200", err, a.status, a.body)
	}
	if a, err = send(http.MethodGet, s.URL()+"/chat/completions", ""); err != nil ||
		a.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v, %d, want 405", err, a.status)
	}
}

func TestEncodedBodies(t *testing.T) {
	s := start(t, Config{})
	var zipped, deflated bytes.Buffer
	for _, w := range []io.WriteCloser{gzip.NewWriter(&zipped), zlib.NewWriter(&deflated)} {
		if _, err := io.WriteString(w, hello); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		encoding, body string
		status         int
	}{
		{"gzip", zipped.String(), 200}, {"deflate", deflated.String(), 200},
		{"identity", hello, 200},
		{"gzip", hello, 400}, {"gzip", zipped.String()[:30], 400}, {"deflate", hello, 400},
		{"br", hello, 400},
	} {
		if a := ask(t, s, test.body, "Content-Encoding", test.encoding); a.status != test.status {
			t.Errorf("%s of %d bytes: %d %s, want %d", test.encoding, len(test.body), a.status,
				a.body, test.status)
		}
	}
}

func TestCompressedAnswers(t *testing.T) {
	plain := start(t, Config{})
	s := start(t, Config{Compress: true})
	streamed := strings.Replace(hello, `{`, `{"stream":true,`, 1)
	for _, body := range []string{hello, streamed} {
		want := ask(t, plain, body, "Accept-Encoding", "identity").body
		for _, test := range []struct{ accept, encoding string }{
			{"gzip, deflate, br", "gzip"}, {"br;q=1, deflate;q=0.5", "deflate"}, {"gzip;q=0", ""},
			{"br", ""},
		} {
			s.Reset() // ids are those of the first request again
			a := ask(t, s, body, "Accept-Encoding", test.accept)
			if got := a.header.Get("Content-Encoding"); got != test.encoding {
				t.Errorf("accepting %q: encoding %q, want %q", test.accept, got, test.encoding)
				continue
			}
			if got := decode(t, test.encoding, a.body); withoutTime(got) != withoutTime(want) {
				t.Errorf("accepting %q: %q, want %q", test.accept, got, want)
			}
		}
		plain.Reset()
	}
}

// withoutTime blanks the member created of an answer or of every chunk.
func withoutTime(body string) string {
	parts := strings.Split(body, `"created":`)
	for i := range parts[1:] {
		parts[i+1] = strings.TrimLeft(parts[i+1], "0123456789")
	}
	return strings.Join(parts, `"created":`)
}

func decode(t *testing.T, encoding, body string) string {
	t.Helper()
	var reader io.Reader = strings.NewReader(body)
	var err error
	switch encoding {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "deflate":
		reader, err = zlib.NewReader(reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(decoded)
}

func TestRecords(t *testing.T) {
	s := start(t, Config{Record: true})
	ask(t, s, chatBody(turns(5)...), "Authorization", "Bearer k", "X-Many", "1", "X-Many", "2")
	if _, err := send(http.MethodPut, s.Origin()+"/v1/files/a%2Fb?x=1&x=2",
		"\x00\xff"); err != nil {
		t.Fatal(err)
	}
	all := s.Requests()
	if len(all) != 2 {
		t.Fatalf("%d requests recorded, want 2", len(all))
	}
	first, second := all[0], all[1]
	if string(first.Body) != chatBody(turns(5)...) ||
		fmt.Sprint(first.Header["X-Many"]) != "[1 2]" || first.Usage.PromptTokens == 0 {
		t.Errorf("first: %+v", first)
	}
	if !first.Done || first.Broken || first.Status != 200 || first.N != 1 ||
		first.Ended.Before(first.Arrived) {
		t.Errorf("first: %+v", first)
	}
	if second.Method != http.MethodPut || second.Path != "/v1/files/a%2Fb" ||
		second.Query != "x=1&x=2" || string(second.Body) != "\x00\xff" || second.N != 2 {
		t.Errorf("second: %+v", second)
	}
	s.Reset()
	if left := s.Requests(); len(left) != 0 {
		t.Errorf("%d requests after Reset, want none", len(left))
	}
	silent := start(t, Config{})
	ask(t, silent, hello)
	if all := silent.Requests(); len(all) != 0 {
		t.Errorf("%d requests recorded unasked", len(all))
	}
}

func TestCloseTwiceAndUnderLoad(t *testing.T) {
	s := New(Config{Record: true})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 20 {
				if _, err := send(http.MethodPost, s.URL()+"/chat/completions", hello); err != nil {
					return // closed
				}
			}
		})
	}
	s.Close()
	s.Close()
	clients.Wait()
	if _, err := send(http.MethodPost, s.URL()+"/chat/completions", hello); err == nil {
		t.Error("a closed server answers")
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestLargeBodies(t *testing.T) {
	s := start(t, Config{Record: true})
	text := strings.Repeat("a long line of text, and another one. ", 20<<20/38)
	body := chatBody(`{"role":"user","content":"` + text + `"}`)
	if a := ask(t, s, body); a.status != http.StatusOK {
		t.Fatalf("status %d, want 200: %s", a.status, a.body)
	}
	if got := s.Requests()[0].Body; string(got) != body {
		t.Errorf("%d bytes recorded, want the %d that were sent", len(got), len(body))
	}
}

func BenchmarkChat(b *testing.B) {
	s := New(Config{})
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	for _, messages := range []int{20, 2_000, 20_000} {
		body := chatBody(turns(messages)...)
		b.Run(fmt.Sprintf("%dKB", len(body)>>10), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				a, err := send(http.MethodPost, s.URL()+"/chat/completions", body)
				if err != nil || a.status != http.StatusOK {
					b.Fatalf("%v, status %d", err, a.status)
				}
			}
		})
	}
}
