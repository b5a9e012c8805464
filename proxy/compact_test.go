package proxy

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"killick/compaction"
	"killick/responses"
)

const compactPath = "/v1/responses/compact"

// recorderFunc is a Recorder.
type recorderFunc func(Request) (compaction.Record, error)

func (f recorderFunc) Record(_ context.Context, r Request) (compaction.Record, error) {
	return f(r)
}

// recording is a proxy that answers requests for compaction with a fixed record.
func recording(o *Options) {
	o.Recorder = recorderFunc(func(r Request) (compaction.Record, error) {
		if len(r.Who) < 16 || r.Chat.Model() != "m" {
			return compaction.Record{}, errors.New("a request without its sender or model")
		}
		return compaction.Record{Text: "[the record]", Input: 90, Size: 4,
			FailOpens: []compaction.FailOpen{{Reason: "summary_unproven"}}}, nil
	})
}

const (
	compactInput = `{"type":"message","role":"user","content":"a task"},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}`
	compactBody   = `{"model":"m","input":[` + compactInput + `]}`
	recordMessage = `{"role":"user","content":"[the record]"}`
)

// itemOf asks for compaction and returns the item of the answer.
func itemOf(t *testing.T, r *rig) string {
	t.Helper()
	res := r.do(r.request("POST", compactPath, strings.NewReader(compactBody)))
	var answer struct{ Output []json.RawMessage }
	if err := json.Unmarshal(res.body, &answer); err != nil || res.StatusCode != 200 ||
		len(answer.Output) != 2 || res.Header.Get("Killick-Action") != "answer" ||
		res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v, got %d %v %s", err, res.StatusCode, res.Header, res.body)
	}
	return string(answer.Output[1])
}

func TestCompactionItemsAreReplaced(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"alone": func(*Options) {}, "left as it is": unchanged, "fits": func(o *Options) {
			o.Compactor = fake{fits: always}
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := &recorder{}
			r := newRig(t, up, recording, set)
			item := itemOf(t, r)
			body := func(in string) string {
				return "{ \"model\" : \"m\",\n\"input\":[" + in + " , {\"role\":\"user\"," +
					"\"content\":\"killick-1.\"}],\"x\":1.50}"
			}
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, _ = w.Write([]byte(body(item)))
			_ = w.Close()
			r.do(r.request("POST", "/v1/responses", &packed, "Content-Encoding", "gzip", "Digest",
				"sha-256=x"))
			got := up.last()
			if string(got.body) != body(recordMessage) || got.Header["Content-Encoding"] != nil ||
				got.Header["Digest"] != nil || got.ContentLength != int64(len(got.body)) {
				t.Errorf("forwarded %v %s", got.Header, got.body)
			}
			foreign := body(`{"type":"compaction","encrypted_content":"gAAB"}`)
			r.do(r.request("POST", "/v1/responses", strings.NewReader(foreign)))
			if got := up.last(); string(got.body) != foreign {
				t.Errorf("another's item was forwarded as %s", got.body)
			}
			if n := r.metric("killick_compaction_items_total", `"opened"`); n != 1 {
				t.Errorf("%v items opened", n)
			}
		})
	}
}

// A form that is made of a request with an item is made of its record.
func TestCompactorsSeeRecords(t *testing.T) {
	up := &recorder{}
	r := newRig(t, up, recording, compacting)
	item := itemOf(t, r)
	res := r.do(r.request("POST", "/v1/responses", strings.NewReader(
		`{"model":"m","input":[`+compactInput+`,`+item+`]}`)))
	if got := string(up.last().body); got != `{"model":"m","input":[`+recordMessage+`]}` {
		t.Errorf("forwarded %s", got)
	}
	if got := res.Header.Get("Killick-Tokens"); got != "raw=1000, sent=400" {
		t.Errorf("reported %q", got)
	}
}

// Observing forwards the record, and reports what came as what was sent.
func TestObservingReplacesItems(t *testing.T) {
	up := &recorder{}
	sealer := responses.NewSealer([32]byte{1})
	shared := func(o *Options) {
		o.Sealer, o.Who = sealer, func(...string) string { return "0123456789abcdef" }
	}
	item := itemOf(t, newRig(t, up, recording, shared))
	r := newRig(t, up, compacting, shared, func(o *Options) { o.Mode = ModeObserve })
	res := r.do(r.request("POST", "/v1/responses", strings.NewReader(
		`{"model":"m","input":[`+compactInput+`,`+item+`]}`)))
	want := `{"model":"m","input":[` + compactInput + `,` + recordMessage + `]}`
	if got := string(up.last().body); got != want {
		t.Errorf("forwarded %s", got)
	}
	if got := res.Header.Get("Killick-Action") + " " + res.Header.Get("Killick-Tokens"); got !=
		"observe raw=1000, sent=1000" {
		t.Errorf("reported %q", got)
	}
}

func TestRecordersThatFail(t *testing.T) {
	up := &recorder{}
	for name, fail := range map[string]recorderFunc{
		"an error": func(Request) (compaction.Record, error) {
			return compaction.Record{}, errors.New("no room for \"secret words\"")
		},
		"a panic": func(Request) (compaction.Record, error) { panic("secret words") },
	} {
		r := newRig(t, up, func(o *Options) { o.Recorder = fail })
		for _, body := range []string{compactBody,
			`{"model":"m","input":[` + compactInput + `,{"type":"compaction_trigger"}]}`} {
			path := compactPath
			if body != compactBody {
				path = "/v1/responses"
			}
			res := r.do(r.request("POST", path, strings.NewReader(body)))
			if res.StatusCode != http.StatusInternalServerError ||
				!bytes.Contains(res.body, []byte(`"compact_failed"`)) ||
				bytes.Contains(res.body, []byte("secret")) {
				t.Errorf("%s: %d %s", name, res.StatusCode, res.body)
			}
		}
		if line := r.logLine(1); strings.Contains(r.logs.String(), "secret") ||
			!strings.Contains(line, "compact_failed") {
			t.Errorf("%s: logged %s", name, r.logs)
		}
		if n := r.metric("killick_compact_requests_total", `"compact_failed"`); n != 2 {
			t.Errorf("%s: %v counted", name, n)
		}
	}
	if n := up.count(); n != 0 {
		t.Errorf("%d requests were forwarded", n)
	}
}

func TestCompactionRequestsAreLogged(t *testing.T) {
	r := newRig(t, &recorder{}, recording)
	item := itemOf(t, r)
	r.logLine(0)
	logs := r.logs.String()
	for _, want := range []string{`"msg":"compaction request","outcome":"answered",` +
		`"raw_tokens":90,"record_tokens":4,"client":"`, `"reason":"summary_unproven"`} {
		if !strings.Contains(logs, want) {
			t.Errorf("%s is missing in %s", want, logs)
		}
	}
	if strings.Contains(logs, "the record") || strings.Contains(logs, item) {
		t.Errorf("a record in %s", logs)
	}
	if n := r.metric("killick_fail_opens_total", `"summary_unproven"`); n != 1 {
		t.Errorf("%v fail-opens", n)
	}
	r.do(r.request("POST", "/v1/responses", strings.NewReader(`{"model":"m","input":[`+item+`]}`),
		"Authorization", "Bearer somebody-else"))
	if line := r.logLine(1); !strings.Contains(line, `"fault":"compaction_item_refused"`) {
		t.Errorf("logged %s", line)
	}
}
