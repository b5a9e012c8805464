//go:build !race

// Left out under the race detector: compiling the SDK for it takes minutes.

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"killick/internal/config"
	"killick/internal/fakeresponses"
	"killick/summary"
)

// compacting serves an upstream that has no compaction, behind a proxy that answers in its place.
func compacting(
	t *testing.T, set func(*config.Config),
) (up *fakeresponses.Server, metrics func(name string) string, url string) {
	t.Helper()
	up = fakeresponses.New(fakeresponses.Config{Record: true, NoCompact: true})
	t.Cleanup(up.Close)
	c := balanced()
	c.Upstream.BaseURL, c.Cache.InMemory = up.URL(), true
	c.Responses.Compact = config.CompactAnswer
	if set != nil {
		set(&c)
	}
	a, url := serving(t, c, slog.New(slog.DiscardHandler))
	metrics = func(name string) string {
		w := httptest.NewRecorder()
		a.Proxy.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return valueOf(t, w.Body.String(), name)
	}
	return up, metrics, url
}

// inputItems are a session of an agent as a client of the SDK sends it.
func inputItems(items ...string) (list []responses.ResponseInputItemUnionParam) {
	for _, item := range items {
		list = append(list,
			param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item)))
	}
	return list
}

var portingSession = []string{
	`{"type":"message","role":"user","content":"Port the parser of invoices to Go, please."}`,
	`{"type":"function_call","call_id":"c1","name":"write","arguments":"{\"path\":\"vat.go\"}"}`,
	`{"type":"function_call_output","call_id":"c1","output":"wrote 40 lines"}`,
	`{"type":"message","role":"assistant","content":[{"type":"output_text",` +
		`"text":"The parser is ported; rounding is open."}]}`,
	`{"type":"message","role":"user","content":"Then round half to even, as the law has it."}`,
}

// compactAndGoOn compacts a session with one client, and has another go on with the output.
func compactAndGoOn(
	t *testing.T, first, next openai.Client,
) (*responses.CompactedResponse, *responses.Response, error) {
	t.Helper()
	compacted, err := first.Responses.Compact(t.Context(), responses.ResponseCompactParams{
		Model: "gpt-5.1", Instructions: param.NewOpt("Be brief."),
		Input: responses.ResponseCompactParamsInputUnion{
			OfResponseInputItemArray: inputItems(portingSession...)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var items []string
	for _, item := range compacted.Output {
		items = append(items, item.RawJSON())
	}
	items = append(items, `{"type":"message","role":"user","content":"Go on."}`)
	res, err := next.Responses.New(t.Context(), responses.ResponseNewParams{
		Model: "gpt-5.1", Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: inputItems(items...)},
	})
	return compacted, res, err
}

// A client of the SDK compacts at an upstream that cannot, and goes on: the model sees the
// record.
func TestCompactionForUpstreamsWithoutIt(t *testing.T) {
	up, metric, url := compacting(t, nil)
	client := openAIAt(t, url+"/v1")
	compacted, _, err := compactAndGoOn(t, client, client)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(compacted.Output); n != 3 || compacted.Output[2].Type != "compaction" ||
		compacted.Usage.InputTokens == 0 || compacted.Usage.OutputTokens == 0 {
		t.Errorf("compacted to %s", compacted.RawJSON())
	}
	seen := up.Requests()
	if len(seen) != 1 {
		t.Fatalf("the upstream got %d requests, want the one that continues", len(seen))
	}
	var sent struct{ Input []struct{ Type, Role string } }
	if err := json.Unmarshal(seen[0].Body, &sent); err != nil || len(sent.Input) != 4 ||
		sent.Input[2].Role != "user" {
		t.Errorf("%v: %s", err, seen[0].Body)
	}
	for _, want := range []string{summary.Mark, "vat.go", "rounding is open", "half to even"} {
		if !bytes.Contains(seen[0].Body, []byte(want)) {
			t.Errorf("%q did not reach the model: %s", want, seen[0].Body)
		}
	}
	for name, want := range map[string]string{
		`killick_compact_requests_total{outcome="answered"}`: "1",
		`killick_compaction_items_total{outcome="opened"}`:   "1",
	} {
		if got := metric(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Nobody reads the record of another credential, and no upstream sees the item.
func TestCompactionItemsAreOfTheirCredential(t *testing.T) {
	up, metric, url := compacting(t, nil)
	_, _, err := compactAndGoOn(t, openAIAt(t, url+"/v1"),
		openAIAt(t, url+"/v1", option.WithAPIKey("sk-somebody-else")))
	var refused *openai.Error
	if !errors.As(err, &refused) || refused.StatusCode != 400 ||
		refused.Code != "compaction_item_refused" || refused.Type != "invalid_request_error" {
		t.Errorf("got %v", err)
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
	if got := metric(`killick_compaction_items_total{outcome="refused"}`); got != "1" {
		t.Errorf("%s refused", got)
	}
}

// What was answered is read after a restart, with the setting off, and where nothing is changed.
func TestCompactionItemsOutliveTheSetting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	kept := func(c *config.Config) { c.Cache.InMemory, c.Cache.Dir = false, dir }
	var item string
	t.Run("made", func(t *testing.T) {
		_, _, url := compacting(t, kept)
		client := openAIAt(t, url+"/v1")
		compacted, _, err := compactAndGoOn(t, client, client)
		if err != nil {
			t.Fatal(err)
		}
		item = compacted.Output[2].RawJSON()
	})
	for _, mode := range []config.Mode{"on", "observe"} {
		t.Run(string(mode), func(t *testing.T) {
			up, _, url := compacting(t, func(c *config.Config) {
				kept(c)
				c.Responses.Compact, c.Compaction.Mode = config.CompactPass, mode
			})
			body := `{"model":"gpt-5.1","store":false,"input":[` + portingSession[0] + `,` + item +
				`]}`
			for _, path := range []string{responsesPath, responsesPath + "/input_tokens"} {
				f := ask(t, url+path, []byte(body), "Authorization", "Bearer "+sdkKey,
					"Content-Type", "application/json")
				seen := up.Requests()
				if f.status != 200 || !bytes.Contains(seen[len(seen)-1].Body,
					[]byte(`{"role":"user","content":"`+summary.Mark)) {
					t.Errorf("%s: %d %s, sent %s", path, f.status, f.reply, seen[len(seen)-1].Body)
				}
			}
			f := ask(t, url+responsesPath+"/compact", []byte(body), "Authorization",
				"Bearer "+sdkKey, "Content-Type", "application/json")
			if seen := up.Requests(); f.status != 404 || len(seen) != 3 ||
				bytes.Contains(seen[2].Body, []byte(`"compaction"`)) {
				t.Errorf("compaction: %d %s", f.status, f.reply)
			}
		})
	}
}

// A client of Codex's kind asks with the last item of an ordinary request, over a stream.
func TestCompactionByTrigger(t *testing.T) {
	up, metric, url := compacting(t, nil)
	client := openAIAt(t, url+"/v1")
	stream := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{
		Model: "gpt-5.1", Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: inputItems(
			append(portingSession[:5:5], `{"type":"compaction_trigger"}`)...)},
	})
	var done []string
	var completed responses.Response
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseOutputItemDoneEvent:
			done = append(done, event.Item.RawJSON())
		case responses.ResponseCompletedEvent:
			completed = event.Response
		}
	}
	if err := stream.Err(); err != nil || len(done) != 1 || len(completed.Output) != 1 ||
		completed.Output[0].RawJSON() != done[0] || completed.Usage.InputTokens == 0 ||
		completed.Model != "gpt-5.1" {
		t.Fatalf("%v, got %q, %s", err, done, completed.RawJSON())
	}
	res, err := client.Responses.New(t.Context(), responses.ResponseNewParams{
		Model: "gpt-5.1", Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: inputItems(
			portingSession[0], done[0], portingSession[4])},
	})
	if err != nil {
		t.Fatal(res, err)
	}
	if seen := up.Requests(); len(seen) != 1 || !bytes.Contains(seen[0].Body, []byte("vat.go")) {
		t.Errorf("the upstream got %d requests: %s", len(seen), seen[0].Body)
	}
	if got := metric(`killick_compact_requests_total{outcome="answered"}`); got != "1" {
		t.Errorf("%s answered", got)
	}
}

// Requests for compaction that cannot be answered get an error that says why.
func TestCompactionRefused(t *testing.T) {
	up, metric, url := compacting(t, nil)
	session := strings.Join(portingSession, ",")
	foreign := `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAB"}`
	for name, c := range map[string]struct{ body, code, says string }{
		"no JSON": {`{"model":`, "compact_unreadable", "not JSON"},
		"no body": {``, "compact_unreadable", "not JSON"},
		"a text":  {`{"model":"m","input":"x"}`, "nothing_to_compact", "no model turn"},
		"no turns": {`{"model":"m","input":[` + portingSession[0] + `]}`, "nothing_to_compact",
			"no model turn"},
		"state": {`{"model":"m","previous_response_id":"r","input":[` + session + `]}`,
			"compact_unavailable", "at its provider only"},
		"another's item": {`{"model":"m","input":[` + foreign + `,` + session + `]}`,
			"compact_unavailable", "its provider's own"},
	} {
		f := ask(t, url+responsesPath+"/compact", []byte(c.body), "Authorization", "Bearer k",
			"Content-Type", "application/json")
		var e struct {
			Error struct{ Code, Message, Type string }
		}
		if err := json.Unmarshal(f.reply, &e); err != nil || f.status != 400 ||
			e.Error.Code != c.code || !strings.Contains(e.Error.Message, c.says) ||
			e.Error.Type != "invalid_request_error" {
			t.Errorf("%s: %d %s", name, f.status, f.reply)
		}
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
	for code, want := range map[string]string{
		"compact_unreadable": "2", "nothing_to_compact": "2", "compact_unavailable": "2",
	} {
		if got := metric(fmt.Sprintf(`killick_compact_requests_total{outcome=%q}`, code)); got !=
			want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

// Where nothing may be changed, by the operator's word or the client's, the upstream answers.
func TestCompactionPasses(t *testing.T) {
	body := []byte(`{"model":"gpt-5.1","input":[` + strings.Join(portingSession, ",") + `]}`)
	for name, c := range map[string]struct {
		set    func(*config.Config)
		header []string
	}{
		"by default": {set: func(c *config.Config) { c.Responses = config.Default().Responses }},
		"observe":    {set: func(c *config.Config) { c.Compaction.Mode = "observe" }},
		"off":        {set: func(c *config.Config) { c.Compaction.Mode = "off" }},
		"the client": {header: []string{"Killick-Mode", "off"}},
	} {
		t.Run(name, func(t *testing.T) {
			up, _, url := compacting(t, c.set)
			f := ask(t, url+responsesPath+"/compact", body, append([]string{"Authorization",
				"Bearer k", "Content-Type", "application/json"}, c.header...)...)
			if seen := up.Requests(); f.status != http.StatusNotFound || len(seen) != 1 ||
				!bytes.Equal(seen[0].Body, body) {
				t.Errorf("%d %s, %d requests", f.status, f.reply, len(seen))
			}
		})
	}
}
