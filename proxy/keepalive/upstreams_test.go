package keepalive

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"killick/internal/fakemessages"
	"killick/internal/fakeresponses"
	"killick/internal/fakeupstream"
	"killick/proxy/format"
	"killick/rawjson"
	"killick/view"
)

// Strict upstreams of each format accept what is sent again, read all of it from their caches, and
// say so.
func TestEachFormatIsReadFromTheCache(t *testing.T) {
	chatUp := fakeupstream.New(fakeupstream.Config{Reply: func(*view.Request) fakeupstream.Reply {
		return fakeupstream.Reply{Content: "Yes."}
	}})
	defer chatUp.Close()
	messagesUp := fakemessages.New(fakemessages.Config{
		Reply: func(*fakemessages.Request) fakemessages.Reply {
			return fakemessages.Reply{NoThinking: true,
				Blocks: []fakemessages.Content{fakemessages.Text("Yes.")}}
		}})
	defer messagesUp.Close()
	responsesUp := fakeresponses.New(fakeresponses.Config{Breakpoints: true,
		Reply: func(*fakeresponses.Request) fakeresponses.Reply {
			return fakeresponses.Reply{Content: "Yes.", NoReasoning: true}
		}})
	defer responsesUp.Close()
	text := strings.Repeat("What a long question this is. ", 400)
	for _, test := range []struct {
		format    format.Format
		url, body string
	}{
		{format.Chat, chatUp.URL() + "/chat/completions", `{"model":"gpt-4.1","stream":true,` +
			`"stream_options":{"include_usage":true},` +
			`"messages":[{"role":"user","content":"` + text +
			`"}]}`},
		{format.Messages, messagesUp.URL() + "/v1/messages", `{"model":"claude-opus-5",` +
			`"max_tokens":900,"stream":true,"messages":[{"role":"user","content":[{"type":"text",` +
			`"text":"` + text + `","cache_control":{"type":"ephemeral"}}]}]}`},
		{format.Responses, responsesUp.URL() + "/responses", `{"model":"gpt-5.6","stream":true,` +
			`"input":[{"role":"user","content":"` + text + `"}]}`},
	} {
		at, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{"Content-Type": {"application/json"},
			"Anthropic-Version": {"2023-06-01"}, "Authorization": {"Bearer k"}}
		r, err := http.NewRequest(http.MethodPost, test.url, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header.Clone()
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(res.Body)
		if _ = res.Body.Close(); res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", test.format, res.StatusCode, said)
		}
		req, err := view.Parse(views[test.format], []byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		m, ok := shortened(test.format, req)
		if !ok {
			t.Fatalf("%s is left alone", test.format)
		}
		q := request{format: test.format, url: at, header: headerOf(header), output: m.output,
			body: rawjson.WithMembers([]byte(test.body), m.set),
			do:   http.DefaultTransport.RoundTrip}
		a := q.send(t.Context())
		if got := fmt.Sprint(a.outcome); got != "kept" ||
			a.usage.CachedTokens < a.usage.PromptTokens*9/10 || a.usage.WrittenTokens > 0 {
			t.Errorf("%s: %s, %+v", test.format, got, a)
		}
	}
}
