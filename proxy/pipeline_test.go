package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/proxy/coding/codingtest"
	"killick/rawjson"
)

const (
	threeTurns = `{"model": "m", "temperature":2.50,"messages":[{"role":"user","content":"a"}, ` +
		`{"role":"assistant","content":"b"}, {"role":"user","content":"c \ud83d"}],"x":1}`
	lastTurn = `{"model": "m", "temperature":2.50,"messages":[` +
		`{"role":"user","content":"c \ud83d"}],"x":1}`
)

func TestChangedBodyIsForwarded(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, compacting)
	for _, path := range []string{chatPath, "/chat/completions",
		"/openai/deployments/d/chat/completions?api-version=1", "/api/v1/chat/completions"} {
		a := r.do(r.request("POST", path, strings.NewReader(threeTurns), "Content-MD5", "x",
			"Content-Type", "application/json"))
		got := up.last()
		if string(got.body) != lastTurn || got.ContentLength != int64(len(lastTurn)) ||
			got.TransferEncoding != nil {
			t.Errorf("%s: got %q, length %d, %v", path, got.body, got.ContentLength,
				got.TransferEncoding)
		}
		if got.Header.Get("Content-Md5") != "" ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers: %v", path, got.Header)
		}
		for name, want := range map[string]string{
			"Killick-Action": "mask, summary",
			"Killick-Tokens": "raw=1000, sent=400",
			"Killick-Probe": "coverage=0.92; repaired=1; model=0.83; verdict=pass; " +
				"verified=14/16; asked=3",
			"Killick-Dropped": "tool_output; count=3; tokens=500, turn; count=2",
			"Killick-Reason":  "over the trigger",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", path, name, got, want)
			}
		}
		if string(a.body) != completion {
			t.Errorf("%s: got reply %q", path, a.body)
		}
	}
}

func TestOtherPathsAndMethodsAreNotCompacted(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, compacting)
	for _, to := range []string{"PUT /v1/chat/completions", "POST /v1/chat/completions/",
		"POST /v1/chat/completions/id",
		"POST /v1/completions", "PATCH /chat/completions",
		"POST /v1/xchat%2Fcompletions"} {
		method, path, _ := strings.Cut(to, " ")
		a := r.do(r.request(method, path, strings.NewReader(threeTurns)))
		if got := up.last(); string(got.body) != threeTurns ||
			a.Header.Get("Killick-Action") != "" {
			t.Errorf("%s: got %q, action %q", to, got.body, a.Header.Get("Killick-Action"))
		}
	}
}

// The Compactor knows where no call of its own can go.
func TestAddressesForTheClientAlone(t *testing.T) {
	var got Request
	r := newRig(t, new(recorder), func(o *Options) {
		o.Compactor = fake{compact: func(_ context.Context, req Request) compaction.Outcome {
			got = req
			return compaction.Outcome{Body: req.Chat.Raw()}
		}}
	})
	const contents = `"contents":[{"parts":[{"text":"a"}]}]`
	const messages = `{"model":"m","messages":[{"role":"user","content":"a"}]}`
	for path, test := range map[string]struct {
		body, model string
		clientOnly  bool
	}{
		chatPath:                           {messages, "m", false},
		"/v1beta/models/m:countTokens":     {`{` + contents + `}`, "", false}, // not compacted
		"/v1beta/models/m:generateContent": {`{` + contents + `}`, "m", true},
		"/v1internal:generateContent": {`{"request":{` + contents + `},"model":"m"}`, "m",
			true},
	} {
		got = Request{}
		r.do(r.request("POST", path, strings.NewReader(test.body)))
		model := ""
		if got.Chat != nil {
			model = got.Chat.Model()
		}
		if model != test.model || got.ClientOnly != test.clientOnly {
			t.Errorf("%s: model %q, the client alone: %t", path, model, got.ClientOnly)
		}
	}
}

func TestFitsIsNotParsed(t *testing.T) {
	var parsed atomic.Bool
	var seen []byte
	up := new(recorder)
	r := newRig(t, up, func(o *Options) {
		o.Compactor = fake{
			fits: func(b []byte) bool { seen = b; return len(b) < 1000 },
			compact: func(context.Context, Request) compaction.Outcome {
				parsed.Store(true)
				return compaction.Outcome{}
			},
		}
	})
	a := r.chat(codingtest.Encode("gzip", threeTurns), "Content-Encoding", "gzip")
	if parsed.Load() || string(seen) != threeTurns {
		t.Errorf("parsed: %t; the bound was found from %q", parsed.Load(), seen)
	}
	if a.Header.Get("Killick-Action") != "none" ||
		a.Header.Get("Killick-Reason") != "under the trigger" ||
		a.Header.Get("Killick-Tokens") != "" {
		t.Errorf("got headers %v", a.Header)
	}
}

func TestModes(t *testing.T) {
	for _, test := range []struct {
		operator     Mode
		asked        string
		action, body string
	}{
		{ModeOn, "", "mask, summary", lastTurn},
		{ModeOn, "on", "mask, summary", lastTurn},
		{ModeOn, "nonsense", "mask, summary", lastTurn},
		{ModeOn, "observe", "observe", threeTurns},
		{ModeOn, "off", "bypass", threeTurns},
		{ModeOn, "OFF ", "bypass", threeTurns},
		{ModeObserve, "", "observe", threeTurns},
		{ModeObserve, "on", "observe", threeTurns},
		{ModeObserve, "off", "bypass", threeTurns},
		{ModeOff, "", "bypass", threeTurns},
		{ModeOff, "on", "bypass", threeTurns},
		{ModeOff, "observe", "bypass", threeTurns},
	} {
		up := new(recorder)
		r := newRig(t, up, compacting, func(o *Options) { o.Mode = test.operator })
		var header []string
		if test.asked != "" {
			header = []string{modeHeader, test.asked}
		}
		a := r.chat(threeTurns, header...)
		if got := a.Header.Get("Killick-Action"); got != test.action ||
			string(up.last().body) != test.body {
			t.Errorf("%s, asked for %q: got action %q and %q", test.operator, test.asked, got,
				up.last().body)
		}
		if up.last().Header.Get(modeHeader) != "" {
			t.Errorf("%s reached the upstream", modeHeader)
		}
	}
}

func TestObserveReportsWhatIsNotDone(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, compacting, func(o *Options) { o.Mode = ModeObserve })
	a := r.chat(threeTurns)
	for name, want := range map[string]string{
		"Killick-Tokens":  "raw=1000, sent=1000",
		"Killick-Reason":  "would send 400 tokens: mask, summary",
		"Killick-Dropped": "",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	r.logLine(0)
	for metric, want := range map[string]float64{
		`killick_tokens_total`: 0, `killick_compactions_total`: 0,
		`killick_probe_verdicts_total`:   0,
		`killick_observe_requests_total`: 1, `killick_observe_compactions_total`: 2,
	} {
		if got := r.metric(metric); got != want {
			t.Errorf("%s: got %v, want %v", metric, got, want)
		}
	}
	if got := r.metric("killick_observe_tokens_total", `kind="saved"`); got != 600 {
		t.Errorf("observed savings: got %v, want 600", got)
	}
}

// TestFailOpen: whatever the Compactor does, the client is answered.
func TestFailOpen(t *testing.T) {
	secret := errors.New("the prompt was: my password is hunter2")
	giving := func(o compaction.Outcome) func(context.Context, Request) compaction.Outcome {
		return func(context.Context, Request) compaction.Outcome { return o }
	}
	panicking := func(context.Context, Request) compaction.Outcome { panic(secret) }
	indexing := func(context.Context, Request) compaction.Outcome {
		return compaction.Outcome{Body: []byte{}[1:]}
	}
	grown := compaction.Outcome{Body: []byte("{}"), Masked: true, Raw: 10, Sent: 11}
	for name, test := range map[string]struct {
		compact func(context.Context, Request) compaction.Outcome
		fits    func([]byte) bool
		reason  string
	}{
		"panic":         {compact: panicking, reason: "panic"},
		"runtime panic": {compact: indexing, reason: "panic"},
		"fits panics": {
			fits:    func([]byte) bool { panic(secret) },
			compact: panicking, reason: "panic",
		},
		"hangs":   {reason: "deadline"},
		"empty":   {compact: giving(compaction.Outcome{}), reason: "empty"},
		"grew":    {compact: giving(grown), reason: "grew"},
		"unnamed": {compact: giving(compaction.Outcome{Body: []byte("{}")}), reason: "unnamed"},
		"survived": {compact: func(_ context.Context, r Request) compaction.Outcome {
			return compaction.Outcome{Body: r.Chat.Raw(),
				FailOpens: []compaction.FailOpen{{Reason: "store",
					Err: errors.New("reading a checkpoint: it is gone")}}}
		}, reason: "store"},
	} {
		t.Run(name, func(t *testing.T) {
			stuck := make(chan struct{})
			compact := test.compact
			if name == "hangs" {
				compact = func(context.Context, Request) compaction.Outcome {
					<-stuck
					return compaction.Outcome{}
				}
			}
			up := new(recorder)
			r := newRig(t, up, func(o *Options) {
				o.Compactor = fake{fits: test.fits, compact: compact}
				if o.Timeouts.Compact = time.Minute; name == "hangs" {
					o.Timeouts.Compact = 50 * time.Millisecond
				}
			})
			defer close(stuck)
			a := r.chat(threeTurns)
			if a.StatusCode != 200 || string(up.last().body) != threeTurns ||
				a.Header.Get("Killick-Action") != "none" {
				t.Errorf("got %d, action %q, forwarded %q", a.StatusCode,
					a.Header.Get("Killick-Action"), up.last().body)
			}
			r.logLine(0)
			if got := r.metric("killick_fail_opens_total",
				fmt.Sprintf("reason=%q", test.reason)); got != 1 {
				t.Errorf("fail-opens of reason %s: got %v, want 1", test.reason, got)
			}
			if strings.Contains(r.logs.String(), "hunter2") {
				t.Errorf("the log quotes a panic: %s", r.logs)
			}
		})
	}
}

// TestCompactorHandsOverLate: one that heeds its context is waited for.
func TestCompactorHandsOverLate(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) {
		o.Compactor = fake{compact: func(ctx context.Context, r Request) compaction.Outcome {
			<-ctx.Done()
			return keepLast(ctx, r)
		}}
		o.Timeouts.Compact = 20 * time.Millisecond
	})
	// The grace is short, and a busy machine may let it pass once.
	r.eventually("what it made to be taken", func() bool {
		return r.chat(threeTurns).Header.Get("Killick-Action") == "mask, summary"
	})
}

func TestEqualBytesAreNoChange(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) {
		o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
			return compaction.Outcome{Body: bytes.Clone(r.Chat.Raw()), Masked: true}
		}}
	})
	body := codingtest.Encode("gzip", threeTurns)
	a := r.chat(body, "Content-Encoding", "gzip")
	if a.Header.Get("Killick-Action") != "none" || string(up.last().body) != body {
		t.Errorf("got action %q and %d bytes", a.Header.Get("Killick-Action"), len(up.last().body))
	}
}

func TestUnparsableBodiesSayWhy(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, compacting)
	for odd, want := range map[string]string{
		"not JSON": "not JSON", "no messages": "no messages",
		"messages twice": "a duplicate member", "deep": "not JSON", "empty": "under the trigger",
	} {
		if a := r.chat(oddBodies[odd]); a.Header.Get("Killick-Reason") != want ||
			a.Header.Get("Killick-Action") != "none" {
			t.Errorf("%s: got reason %q, want %q", odd, a.Header.Get("Killick-Reason"), want)
		}
	}
	deep := `{"messages":[],"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}"
	if a := r.chat(deep); a.Header.Get("Killick-Reason") != "nested too deeply" ||
		string(up.last().body) != deep {
		t.Errorf("deep: got reason %q", a.Header.Get("Killick-Reason"))
	}
}

// checkError checks that an answer has the OpenAI error shape with a code.
func checkError(t *testing.T, a answer, code string) {
	t.Helper()
	e := rawjson.Value(a.body).Get("error")
	if e.Get("code").Text() != code || e.Get("message").Text() == "" ||
		e.Get("type").Text() == "" ||
		a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s as %s, want an error with code %s", a.body, a.Header.Get("Content-Type"),
			code)
	}
}

func TestLearn(t *testing.T) {
	heard := make(chan chat.Usage, 1)
	learning := func(f func(chat.Usage)) func(*Options) {
		return func(o *Options) {
			o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
				return compaction.Outcome{Body: r.Chat.Raw(), Learn: f}
			}}
		}
	}
	r := newRig(t, new(recorder), learning(func(u chat.Usage) { heard <- u }))
	r.chat(threeTurns)
	if got, want := <-heard, (chat.Usage{PromptTokens: 70, CompletionTokens: 5,
		CachedTokens: 64}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r.logLine(0)
	for kind, want := range map[string]float64{"prompt": 70, "cached": 64, "completion": 5} {
		if got := r.metric("killick_upstream_tokens_total",
			fmt.Sprintf("kind=%q", kind)); got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}

	r = newRig(t, new(recorder), learning(func(chat.Usage) { panic("no") }))
	if a := r.chat(threeTurns); a.StatusCode != 200 || a.err != nil {
		t.Errorf("a panic reached the client: %d, %v", a.StatusCode, a.err)
	}
	r.logLine(0)
	if r.metric("killick_panics_total") != 1 {
		t.Error("the panic was not counted")
	}

	// An error states no usage.
	r = newRig(t, &recorder{answer: func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, completion)
	}}, learning(func(u chat.Usage) { t.Error("learned from an error") }))
	r.chat(threeTurns)
	r.logLine(0)
}

// TestClientLeavesWhileCompacting: nothing is sent upstream for nobody.
func TestClientLeavesWhileCompacting(t *testing.T) {
	up := new(recorder)
	entered := make(chan struct{})
	r := newRig(t, up, func(o *Options) {
		o.Compactor = fake{compact: func(ctx context.Context, r Request) compaction.Outcome {
			close(entered)
			<-ctx.Done()
			return compaction.Outcome{Body: r.Chat.Raw()}
		}}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	if _, err := r.client.Do(r.request("POST", chatPath,
		strings.NewReader(threeTurns)).WithContext(ctx)); err == nil {
		t.Fatal("want the client's own cancellation")
	}
	if line := r.logLine(0); !strings.Contains(line, `"status":499`) || up.count() != 0 {
		t.Errorf("%d requests went upstream; log: %s", up.count(), line)
	}
}
