package responses

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
)

func TestWithoutTrigger(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		asks     bool
	}{
		"last": {`{"input":[` + userText + " ,\n" + trigger + ` ],"x":1e2}`,
			`{"input":[` + userText + ` ],"x":1e2}`, true},
		"alone":     {`{"input":[ ` + trigger + ` ]}`, `{"input":[ ]}`, true},
		"not last":  {`{"input":[` + trigger + `,` + userText + `]}`, "", false},
		"a text":    {`{"input":"compaction_trigger"}`, "", false},
		"in a text": {`{"input":[{"role":"user","content":"compaction_trigger"}]}`, "", false},
		"none":      {`{"input":[` + userText + `]}`, "", false},
		"torn":      {`{"input":[` + trigger + `]`, "", false},
		"empty":     {`{"input":[],"x":"compaction_trigger"}`, "", false},
	} {
		if !c.asks {
			c.want = c.in
		}
		in := []byte(c.in)
		got, asks := WithoutTrigger(in)
		if asks != c.asks || string(got) != c.want || string(in) != c.in {
			t.Errorf("%s: %t %s", name, asks, got)
		}
	}
}

// answersTo returns the response to a request for compaction, and the items of its events.
func answersTo(t *testing.T, fields string) (response responses.Response, stream bool, done int) {
	t.Helper()
	r, err := Parse([]byte(`{"model":"gpt \"6\"",` + fields + `"input":[` + userText + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := Compaction{secretRecord, 1_700_000_000, 900, 100}
	answer, stream := sealer(1).AnswerTrigger(r, "ann", c)
	if !stream {
		if err := json.Unmarshal(answer, &response); err != nil {
			t.Fatal(err)
		}
		return response, false, 0
	}
	events := ssestream.NewStream[responses.ResponseStreamEventUnion](ssestream.NewDecoder(
		&http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: io.NopCloser(bytes.NewReader(answer))}), nil)
	var types []string
	for n := 0; events.Next(); n++ {
		event := events.Current()
		types = append(types, strings.TrimPrefix(event.Type, "response."))
		if event.SequenceNumber != int64(n) {
			t.Errorf("event %d has the number %d", n, event.SequenceNumber)
		}
		switch event.Type {
		case "response.output_item.done":
			done++
		case "response.completed":
			response = event.AsResponseCompleted().Response
		}
	}
	if got := strings.Join(types, " "); events.Err() != nil || got !=
		"created in_progress output_item.added output_item.done completed" {
		t.Errorf("%v: %s", events.Err(), got)
	}
	return response, true, done
}

func TestAnswerToATrigger(t *testing.T) {
	for fields, streams := range map[string]bool{
		"": false, `"stream":false,`: false, `"stream":true,`: true,
	} {
		res, stream, done := answersTo(t, fields)
		if stream != streams || stream != (done == 1) || len(res.Output) != 1 ||
			res.Status != "completed" || res.Model != `gpt "6"` || res.Usage.TotalTokens != 1000 ||
			res.CreatedAt != 1_700_000_000 || !strings.HasPrefix(res.ID, "resp_") {
			t.Fatalf("%s: stream %t, %d items, %s", fields, stream, done, res.RawJSON())
		}
		item := res.Output[0].RawJSON()
		body := []byte(`{"input":[` + item + `]}`)
		got, found := sealer(1).Unseal("ann", body)
		if !bytes.Contains(got, []byte("port 8443")) || found.Records != 1 {
			t.Errorf("%s: %+v %s", fields, found, got)
		}
	}
}
