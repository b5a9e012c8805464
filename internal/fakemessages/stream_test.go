package fakemessages

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakemessages/request"
	"killick/internal/fakeserver"
)

type event struct {
	name string
	data map[string]any
}

// events reads a stream, and fails where the name of an event is not its type.
func events(t *testing.T, stream string) (all []event) {
	t.Helper()
	for text := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(strings.TrimPrefix(text, "event: "), "\ndata: ")
		e := event{name: name}
		err := json.Unmarshal([]byte(data), &e.data)
		if !ok || err != nil || e.data["type"] != name {
			t.Fatalf("event %q: %v", text, err)
		}
		all = append(all, e)
	}
	return all
}

func TestStreams(t *testing.T) {
	long := strings.Repeat("Grüße aus 東京. ", 8)
	s := start(t, Config{Reply: func(*Request) Reply {
		return Reply{Blocks: []Content{Thinking("I read it first."), Text(long),
			Call("", "read", `{"path":"internal/ledger/posting.go"}`), Redacted()}}
	}})
	const summarized = `"stream":true,"thinking":{"type":"adaptive","display":"summarized"}`
	a := ask(t, s, bodyOf(checks, summarized, hi), "Anthropic-Beta", request.BetaBinding)
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("content type %q", got)
	}
	all := events(t, a.body)
	first, _ := all[0].data["message"].(map[string]any)
	if all[0].name != "message_start" || first["stop_reason"] != nil ||
		first["input_transformations"] == nil ||
		first["usage"].(map[string]any)["input_tokens"] == nil {
		t.Fatalf("the stream starts with %+v", all[0])
	}
	var blocks []map[string]any
	pieces, input, kinds := 0, "", map[string]int{}
	for _, e := range all[1:] {
		delta, _ := e.data["delta"].(map[string]any)
		switch e.name {
		case "content_block_start":
			blocks = append(blocks, e.data["content_block"].(map[string]any))
			if int(e.data["index"].(float64)) != len(blocks)-1 {
				t.Errorf("%+v, want index %d", e, len(blocks)-1)
			}
		case "content_block_delta":
			b := blocks[len(blocks)-1]
			pieces++
			kinds[delta["type"].(string)]++
			for _, field := range []string{"text", "thinking", "signature"} {
				if piece, ok := delta[field].(string); ok {
					b[field] = b[field].(string) + piece
				}
			}
			piece, _ := delta["partial_json"].(string)
			input += piece
		case "message_delta":
			if delta["stop_reason"] != "tool_use" || e.data["usage"] == nil {
				t.Errorf("message_delta %+v", e)
			}
		}
	}
	last := all[len(all)-1].name
	if len(kinds) != 4 || pieces < 12 || last != "message_stop" || all[2].name != "ping" {
		t.Errorf("%d deltas of %v, ended by %s", pieces, kinds, last)
	}
	blocks[2]["input"] = json.RawMessage(input)
	var sent []string
	for _, b := range blocks {
		text, _ := json.Marshal(b)
		sent = append(sent, string(text))
	}
	if blocks[1]["text"] != long {
		t.Errorf("text %q, want %q", blocks[1]["text"], long)
	}
	// What it says is accepted when it is sent back.
	id := blocks[2]["id"].(string)
	accepted(t, s, bodyOf(checks, summarized[len(`"stream":true,`):], hi,
		turnOf("assistant", sent...), turnOf("user", results(id, "x"))))
}

func streamed(t *testing.T, s *Server) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/messages",
		strings.NewReader(bodyOf(newer, `"stream":true`, hi)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	return req
}

func drain(resp *http.Response) error {
	_, err := io.Copy(io.Discard, resp.Body)
	return err
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		fault fakeserver.Fault
		typ   string
		retry string
	}{
		{fakeserver.Fault{Status: 429}, "rate_limit_error", "1"},
		{fakeserver.Fault{Status: 529, Header: http.Header{"Retry-After": {"7"}}},
			"overloaded_error", "7"},
		{fakeserver.Fault{Status: 500}, "api_error", ""},
		{fakeserver.Fault{Status: 403}, "permission_error", ""},
	} {
		s := start(t, Config{Fault: func(int, *http.Request) fakeserver.Fault {
			return test.fault
		}})
		a := ask(t, s, bodyOf(newer, "", hi))
		a.refusal(t, test.fault.Status, test.typ)
		if got := a.header.Get("Retry-After"); got != test.retry {
			t.Errorf("%d: Retry-After %q, want %q", a.status, got, test.retry)
		}
	}
	s := start(t, Config{})
	large := bodyOf(newer, "", hi) + strings.Repeat(" ", maxBody)
	ask(t, s, large).refusal(t, 413, "request_too_large")
	cut := start(t, Config{Fault: func(int, *http.Request) fakeserver.Fault {
		return fakeserver.Fault{CutEvents: 4}
	}})
	resp, err := http.DefaultClient.Do(streamed(t, cut))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := drain(resp); err == nil {
		t.Error("a stream that was cut ends as if it were whole")
	}
}

func TestRepliesWithStatusAndStopReason(t *testing.T) {
	reply := Reply{Status: 529}
	s := start(t, Config{Reply: func(*Request) Reply { return reply }})
	ask(t, s, bodyOf(newer, "", hi)).refusal(t, 529, "overloaded_error")
	const raw = `{"type":"text","text":"x","citations":null}`
	reply = Reply{Blocks: []Content{Raw(raw)}, StopReason: "refusal", NoThinking: true}
	m := accepted(t, s, bodyOf(newer, "", hi))
	if m.Stop != "refusal" || string(m.Content[0]) != raw {
		t.Errorf("%+v %s", m, m.Content)
	}
}
