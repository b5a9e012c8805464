package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"killick/compaction"
	"killick/proxy/tap"
)

const refusalBody = `{"error":{"message":"This model's maximum context length is 100 tokens. ` +
	`However, your messages resulted in 200 tokens.","type":"invalid_request_error",` +
	`"param":"messages","code":"context_length_exceeded"}}`

// shrinking is a Compactor that halves what it is asked to make smaller, and
// otherwise lets all requests fit.
func shrinking(o *Options) {
	o.Compactor = fake{
		fits: func([]byte) bool { return true },
		compact: func(_ context.Context, r Request) compaction.Outcome {
			if r.Overflow == nil {
				return compaction.Outcome{Body: r.Chat.Raw(), Reason: compaction.ReasonFits}
			}
			left := 1000 >> r.Overflow.Try
			return compaction.Outcome{Body: fmt.Appendf(nil, `{"messages":[],"try":%d}`,
				r.Overflow.Try), Folded: true, Raw: 1000, Sent: left}
		},
	}
}

// refusing answers the first n requests with a refusal, the rest as the handler
// does.
func refusing(n int64, then http.HandlerFunc) (http.HandlerFunc, *atomic.Int64) {
	seen := new(atomic.Int64)
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if seen.Add(1) <= n {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, refusalBody)
			return
		}
		then(w, r)
	}, seen
}

func TestEveryOutcomeOfARefusalIsReported(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }
	for name, test := range map[string]struct {
		refusals int64
		then     http.HandlerFunc
		change   func(*Options)
		status   int
		attempts int64
		counted  map[string]float64
	}{
		"recovered": {1, ok, shrinking, 200, 2,
			map[string]float64{"retried": 1, "recovered": 1}},
		"recovered at two": {2, ok, shrinking, 200, 3,
			map[string]float64{"retried": 2, "recovered": 1}},
		"given up": {9, ok, shrinking, 400, 3,
			map[string]float64{"retried": 2, "gave_up": 1}},
		"nothing to gain": {9, ok, unchanged, 400, 1, map[string]float64{"nothing_to_gain": 1}},
		"failed otherwise": {1, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
		}, shrinking, 429, 2,
			map[string]float64{"retried": 1, "failed": 1}},
		"no compactor": {9, ok, func(*Options) {}, 400, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			upstream, seen := refusing(test.refusals, test.then)
			r := newRig(t, upstream, test.change)
			got := r.chat(threeTurns)
			if got.StatusCode != test.status || seen.Load() != test.attempts {
				t.Fatalf("%d after %d attempts, want %d after %d", got.StatusCode, seen.Load(),
					test.status, test.attempts)
			}
			if test.status == 400 && string(got.body) != refusalBody {
				t.Errorf("got %s, want the upstream's own error", got.body)
			}
			if action := got.Header.Get("Killick-Action"); strings.Contains(action,
				"retry") != (test.attempts > 1) {
				t.Errorf("action %q after %d attempts", action, test.attempts)
			}
			for outcome, want := range test.counted {
				if n := r.metric("killick_overflows_total", `outcome="`+outcome+`"`); n != want {
					t.Errorf("%s counted %v times, want %v", outcome, n, want)
				}
				if !strings.Contains(r.logs.String(),
					`"msg":"context overflow","outcome":"`+outcome+`"`) {
					t.Errorf("the log does not tell %s: %s", outcome, r.logs)
				}
			}
			if strings.Contains(r.logs.String(), "maximum context length") {
				t.Error("the log quotes the upstream")
			}
		})
	}
}

// Other paths are nobody's to send twice.
func TestOtherPathsAreNotRetried(t *testing.T) {
	upstream, seen := refusing(9, nil)
	r := newRig(t, upstream, shrinking)
	got := r.do(r.request("POST", "/v1/embeddings", strings.NewReader(threeTurns)))
	if got.StatusCode != 400 || string(got.body) != refusalBody || seen.Load() != 1 {
		t.Errorf("%d after %d attempts: %s", got.StatusCode, seen.Load(), got.body)
	}
}

// long is a request that is large enough for its good replies to be inspected.
var long = `{"messages":[{"role":"user","content":"` + strings.Repeat("x", minPeeked) + `"}]}`

// An event of a normal stream reaches the client when the upstream sends it, and every byte as
// received.
func TestStreamsAreNotHeldUp(t *testing.T) {
	for name, pieces := range map[string][]string{
		"chunks": {"data: {\"choices\":[]}\n\n", "data: {\"choices\":[{}]}\n\n",
			"data: [DONE]\n\n"},
		"comments first": {": ping\n\n: ping\n\ndata: {}\n\n", "data: [DONE]\n\n"},
		"an error of its own": {"data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n",
			"data: [DONE]\n\n"},
		"an event cut anywhere": {"data: {\"a\":1}\r\n\r\nda", "ta: {}\r\n\r\n"},
		"no event at all":       {"data\n\n", "event: x\n\n\n", "data: 1\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{})
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				for i, piece := range pieces {
					if i > 0 {
						<-next
					}
					_, _ = io.WriteString(w, piece)
					_ = http.NewResponseController(w).Flush()
				}
			}), shrinking)
			res, err := r.client.Do(r.request("POST", chatPath, strings.NewReader(long)))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			for i, want := range pieces {
				got := make([]byte, len(want))
				if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
					t.Fatalf("piece %d: %q, %v, want %q", i, got, err, want)
				}
				if i+1 < len(pieces) {
					next <- struct{}{}
				}
			}
		})
	}
}

// An upstream that sends its header and then thinks holds nothing up for long.
func TestASilentBeginningIsWaitedForOnlySoLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as a beginning is waited for")
	}
	t.Parallel()
	answer := make(chan struct{})
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-answer
		_, _ = io.WriteString(w, "data: {\"error\":{\"code\":\"context_length_exceeded\"}}\n\n")
	}), shrinking)
	start := time.Now()
	res, err := r.client.Do(r.request("POST", chatPath, strings.NewReader(long)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if took := time.Since(start); took < tap.PeekTimeout/2 {
		t.Errorf("the header came after %v: nobody looked", took)
	}
	close(answer)
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, "context_length_exceeded") ||
		strings.Contains(res.Header.Get("Killick-Action"), "retry") {
		t.Errorf("got %q, %v, %s", line, err, res.Header.Get("Killick-Action"))
	}
}

// Errors inside a 200 that is not a stream are seen; answers are not held up.
func TestErrorsInsideAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		body    string
		retried bool
	}{
		"an error":      {" \n" + refusalBody, true},
		"another error": {`{"error":{"message":"overloaded","code":503}}`, false},
		"an answer": {`{"id":"x","choices":[],` +
			`"error":{"code":"context_length_exceeded"}}`, false},
		"no error":                      {`{"error":null,"choices":[]}`, false},
		"a text that is said to be one": {`{"error`, false},
	} {
		first := new(atomic.Bool)
		r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			if first.CompareAndSwap(false, true) {
				_, _ = io.WriteString(w, test.body)
				return
			}
			_, _ = io.WriteString(w, `{"second":true}`)
		}), shrinking)
		got := r.chat(long)
		want := test.body
		if test.retried {
			want = `{"second":true}`
		}
		if string(got.body) != want {
			t.Errorf("%s: got %q, want %q", name, got.body, want)
		}
	}
}

// Models may have modes of their own, which a request may lower and not raise.
func TestModesByModel(t *testing.T) {
	modes := map[string]Mode{"off": ModeOff, "observe": ModeObserve}
	for model, want := range map[string]string{"off": string(compaction.ActionBypass),
		"observe": string(compaction.ActionObserve), "other": "mask, summary"} {
		r := newRig(t, new(recorder), compacting, func(o *Options) {
			o.ModeOf = func(model string) Mode {
				if m, ok := modes[model]; ok {
					return m
				}
				return ModeOn
			}
		})
		for _, asked := range []string{"", "off", "on"} {
			body := strings.Replace(threeTurns, `"m"`, `"`+model+`"`, 1)
			got := r.chat(body, "Killick-Mode", asked).Header.Get("Killick-Action")
			expect := want
			if asked == "off" {
				expect = string(compaction.ActionBypass)
			}
			if got != expect {
				t.Errorf("model %s asking for %q: %s, want %s", model, asked, got, expect)
			}
		}
	}
}
