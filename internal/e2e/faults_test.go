package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/fakeupstream"
	"killick/internal/wire"
)

// The proxy's patience with the upstream's first byte and with its silence. What
// must not run into it is over long before; a machine that others load needs it
// longer, and the long run has the time.
const (
	faultLimit     = 6 * time.Second
	longFaultLimit = 10 * time.Second
)

// faultKind is one thing that goes wrong with a request, and what its client is
// promised then.
type faultKind struct {
	name    string
	weight  int // how often it is drawn
	fault   func(*rand.Rand) fakeupstream.Fault
	promise func(*faulted) error
	at      string // the gateway that it happens at; "": the one that is well
	leaves  bool   // the client does, at some moment
}

// faultKinds are the rows of the table in docs/reliability.md that one request
// can run into.
var faultKinds = []faultKind{
	{name: "nothing wrong", weight: 30, promise: whole},
	{name: "closed without a reply", weight: 8, fault: always(fakeupstream.Fault{Drop: true}),
		promise: refusal(502, "upstream_reset")},
	{name: "reset without a reply", weight: 8,
		fault:   always(fakeupstream.Fault{Drop: true, Reset: true}),
		promise: refusal(502, "upstream_reset")},
	{name: "connection refused", weight: 5, at: "refused",
		promise: refusal(502, "upstream_refused")},
	{name: "cut after the header", weight: 5, fault: always(fakeupstream.Fault{CutEvents: -1}),
		promise: cutEarly},
	{name: "cut in mid-reply", weight: 8, promise: brokenOff,
		fault: func(r *rand.Rand) fakeupstream.Fault {
			return fakeupstream.Fault{CutBytes: 1 + r.IntN(200)}
		}},
	{name: "reset in mid-reply", weight: 8, promise: resetUnderWay,
		fault: func(r *rand.Rand) fakeupstream.Fault {
			return fakeupstream.Fault{CutBytes: 1 + r.IntN(200), Reset: true}
		}},
	{name: "an error of the upstream's", weight: 10, promise: upstreamsOwn,
		fault: func(r *rand.Rand) fakeupstream.Fault {
			statuses := []int{400, 401, 404, 429, 500, 502, 503, 529}
			return fakeupstream.Fault{Status: statuses[r.IntN(len(statuses))],
				Header: http.Header{"Retry-After": {"7"}}}
		}},
	{name: "slow to begin", weight: 3, promise: whole,
		fault: func(r *rand.Rand) fakeupstream.Fault {
			return fakeupstream.Fault{Hang: time.Duration(r.IntN(100)) * time.Millisecond}
		}},
	{name: "in pieces of any size", weight: 5, promise: whole,
		fault: func(r *rand.Rand) fakeupstream.Fault {
			return fakeupstream.Fault{PieceBytes: 1 + r.IntN(50)}
		}},
	{name: "never begins", weight: 1, fault: always(fakeupstream.Fault{Hang: time.Hour}),
		promise: refusal(504, "upstream_timeout")},
	{name: "falls silent in mid-reply", weight: 1,
		fault: always(fakeupstream.Fault{PieceBytes: 60, Pause: time.Hour}), promise: brokenOff},
	{name: "the store is gone", weight: 8, at: "storeless", promise: whole},
	{name: "the client leaves", weight: 6, leaves: true,
		promise: func(*faulted) error { return nil },
		fault: func(r *rand.Rand) fakeupstream.Fault {
			return fakeupstream.Fault{Pause: time.Duration(r.IntN(3)) * time.Millisecond}
		}},
}

func always(f fakeupstream.Fault) func(*rand.Rand) fakeupstream.Fault {
	return func(*rand.Rand) fakeupstream.Fault { return f }
}

// faulted is one request and what its client got.
type faulted struct {
	stream bool
	fault  fakeupstream.Fault
	none   error // no reply at all
	status int
	header http.Header
	body   []byte
	broken error // reading the body
}

// complete reports whether the client takes what it got for a whole completion.
func (f *faulted) complete() bool {
	if f.none != nil || f.broken != nil || f.status != http.StatusOK {
		return false
	}
	if f.stream {
		return bytes.HasSuffix(f.body, []byte("data: [DONE]\n\n"))
	}
	return json.Valid(f.body) && bytes.Contains(f.body, []byte(`"choices"`))
}

func whole(f *faulted) error {
	if !f.complete() {
		return errors.New("want a whole completion")
	}
	return nil
}

// refusal is an error of ours in OpenAI's shape.
func refusal(status int, code string) func(*faulted) error {
	return func(f *faulted) error {
		var e struct {
			Error struct{ Message, Type, Code string }
		}
		if f.none != nil || f.broken != nil || f.status != status ||
			json.Unmarshal(f.body, &e) != nil || e.Error.Code != code || e.Error.Message == "" {
			return fmt.Errorf("want status %d and the code %s", status, code)
		}
		return nil
	}
}

// brokenOff is a reply whose end does not come.
func brokenOff(f *faulted) error {
	if f.none != nil || f.broken == nil || f.status != http.StatusOK {
		return errors.New("want a reply that breaks off")
	}
	return nil
}

// cutEarly is an error of ours, or brokenOff if the header had been sent before the cut.
func cutEarly(f *faulted) error {
	if refusal(http.StatusBadGateway, "upstream_cut")(f) == nil {
		return nil
	}
	return brokenOff(f)
}

// resetUnderWay is cutEarly, or a reset without a reply: a reset makes what came
// before it and was not read yet disappear.
func resetUnderWay(f *faulted) error {
	if refusal(http.StatusBadGateway, "upstream_reset")(f) == nil {
		return nil
	}
	return cutEarly(f)
}

// upstreamsOwn is the upstream's error as it was, status, header and body.
func upstreamsOwn(f *faulted) error {
	if f.status != f.fault.Status || f.broken != nil || f.header.Get("Retry-After") != "7" ||
		!json.Valid(f.body) || bytes.Contains(f.body, []byte("upstream_")) {
		return fmt.Errorf("want the upstream's own %d", f.fault.Status)
	}
	return nil
}

// faultRun is clients that talk to an upstream at which things go wrong.
type faultRun struct {
	t       *testing.T
	apps    map[string]*wire.App
	urls    map[string]string
	plans   sync.Map // of a request's name: its fakeupstream.Fault
	client  *http.Client
	sent    atomic.Int64
	changed atomic.Int64 // requests that arrived compacted

	mu       sync.Mutex
	done     map[string]int
	failures map[string]int
}

const (
	headerRequest = "X-Test-Request" // a request's name
	headerOwner   = "X-Test-Owner"   // whose conversation it is
)

// owners finds whose text a forwarded body holds.
var owners = regexp.MustCompile(`zq[0-9]+zq`)

func newFaultRun(t *testing.T, limit time.Duration) *faultRun {
	t.Helper()
	f := &faultRun{t: t, apps: map[string]*wire.App{}, urls: map[string]string{},
		done: map[string]int{}, failures: map[string]int{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	t.Cleanup(f.client.CloseIdleConnections)
	up := fakeupstream.New(fakeupstream.Config{Fault: f.at})
	t.Cleanup(up.Close)
	const nobody = "http://127.0.0.1:1/v1" // a port that no program is given
	for name, base := range map[string]string{"": up.URL(), "storeless": up.URL(),
		"refused": nobody} {
		c := balanced()
		c.Upstream.BaseURL = base
		c.Cache.InMemory = true
		c.Timeouts.FirstByte, c.Timeouts.Idle = limit, limit
		between(2000, 1000)(&c)
		paying(&c)
		f.apps[name], f.urls[name] = serving(t, c, slog.New(slog.DiscardHandler))
	}
	if err := f.apps["storeless"].Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

// at is what goes wrong with a request at the upstream. It also looks at what
// was forwarded: the text of another client must never be in it.
func (f *faultRun) at(_ int, r *http.Request) fakeupstream.Fault {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	own := r.Header.Get(headerOwner)
	for _, owner := range owners.FindAllString(string(body), -1) {
		if owner != own {
			f.t.Errorf("a request of %s holds a text of %s", own, owner)
			break
		}
	}
	if r.ContentLength < originalLength(r) {
		f.changed.Add(1)
	}
	fault, _ := f.plans.LoadAndDelete(r.Header.Get(headerRequest))
	planned, _ := fault.(fakeupstream.Fault)
	return planned
}

const headerLength = "X-Test-Length" // of the body as it was sent

func originalLength(r *http.Request) int64 {
	n, _ := strconv.ParseInt(r.Header.Get(headerLength), 10, 64)
	return n
}

// talk is an agent's conversation whose every text names its owner.
func talk(owner string, number, turns int) []string {
	filler := strings.Repeat("what the tool printed ", 30)
	msgs := []string{fmt.Sprintf(`{"role":"system","content":"You help `+
		`%s."},{"role":"user","content":"Task %d of %[1]s: mend it."}`, owner, number)}
	for i := range turns {
		msgs = append(msgs,
			fmt.Sprintf(`,{"role":"assistant","content":"Step %d for `+
				`%s.","tool_calls":[{"id":"c%[1]d","type":"function",`+
				`"function":{"name":"read","arguments":"{\"path\":\"src/%[3]d_%[1]d.go\"}"}}]},`+
				`{"role":"tool","tool_call_id":"c%[1]d","content":"%[2]s %[3]d.%[1]d %[4]s"}`,
				i, owner, number, filler))
	}
	return msgs
}

// clientTurns are the turns of one conversation: some 5,000 tokens in the end.
const clientTurns = 30

// run sends requests of one credential, one conversation after another, until
// all clients together have sent so many.
func (f *faultRun) run(who int, requests int64, random *rand.Rand) {
	owner := fmt.Sprintf("zq%dzq", who)
	var msgs []string // of the conversation, the turns after what begins it
	total := 0
	for _, k := range faultKinds {
		total += k.weight
	}
	for n := 0; f.sent.Add(1) <= requests; n++ {
		turn := (n + who) % clientTurns // not all begin at the beginning
		if turn == 0 || n == 0 {
			msgs = talk(owner, n, clientTurns)
		}
		draw, kind := random.IntN(total), faultKinds[0]
		for _, kind = range faultKinds {
			if draw -= kind.weight; draw < 0 {
				break
			}
		}
		a := faulted{stream: random.IntN(2) == 0}
		body := fmt.Sprintf(`{"model":"gpt-5.1","stream":%t,"messages":[%s]}`, a.stream,
			strings.Join(msgs[:turn+2], ""))
		if kind.fault != nil {
			a.fault = kind.fault(random)
		}
		f.send(fmt.Sprint(owner, n), owner, &kind, body, &a, random)
		err := kind.promise(&a)
		f.mu.Lock()
		f.done[kind.name]++
		if err != nil {
			f.failures[kind.name]++
			if f.failures[kind.name] < 5 {
				f.t.Errorf("%s, stream %t, %+v: got %d, %.300q, %v, %v; %v", kind.name, a.stream,
					a.fault, a.status, a.body, a.none, a.broken, err)
			}
		}
		f.mu.Unlock()
	}
}

func (f *faultRun) send(name, owner string, kind *faultKind, body string, a *faulted,
	random *rand.Rand) {
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	if kind.leaves {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(8000))*time.Microsecond)
	}
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.urls[kind.at]+chatPath,
		strings.NewReader(body))
	if err != nil {
		f.t.Error(err)
		return
	}
	f.plans.Store(name, a.fault)
	defer f.plans.Delete(name)
	for key, value := range map[string]string{"Content-Type": "application/json",
		"Authorization": "Bearer sk-" + owner,
		headerRequest:   name, headerOwner: owner, headerLength: strconv.Itoa(len(body))} {
		req.Header.Set(key, value)
	}
	res, err := f.client.Do(req)
	if err != nil {
		a.none = err
		return
	}
	defer res.Body.Close()
	a.status, a.header = res.StatusCode, res.Header
	a.body, a.broken = io.ReadAll(res.Body)
}

// gauge reads a metric without labels.
func gauge(t *testing.T, a *wire.App, name string) float64 {
	t.Helper()
	w := httptest.NewRecorder()
	a.Proxy.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	n, err := strconv.ParseFloat(valueOf(t, w.Body.String(), name), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFaultedRequests draws a fault for every request, from many clients at
// once, compaction on, and holds each answer to what the fault promises. It
// takes KILLICK_FAULTS requests (make faults: 100,000) under KILLICK_FAULTS_SEED.
func TestFaultedRequests(t *testing.T) {
	noLeaks(t)
	normal, clients := 400, 64
	if raceEnabled {
		normal, clients = 150, 16
	}
	n, seed := numberFrom(t, "KILLICK_FAULTS", normal), numberFrom(t, "KILLICK_FAULTS_SEED", 1)
	limit := faultLimit
	if n > normal {
		limit = longFaultLimit
	}
	f := newFaultRun(t, limit)
	var wg sync.WaitGroup
	for who := range clients {
		wg.Go(func() { f.run(who, int64(n), rand.New(rand.NewPCG(uint64(seed), uint64(who)))) })
	}
	wg.Wait()
	report := "\n| fault | requests | not as promised |\n|---|---|---|\n"
	sent, failed := 0, 0
	for _, k := range faultKinds {
		report += fmt.Sprintf("| %s | %d | %d |\n", k.name, f.done[k.name], f.failures[k.name])
		sent, failed = sent+f.done[k.name], failed+f.failures[k.name]
		if f.done[k.name] == 0 && n > 10*normal {
			t.Errorf("%s was never drawn", k.name)
		}
	}
	t.Logf("%s| **all** | **%d** | **%d** |\n\n%d requests arrived compacted; seed %d", report,
		sent, failed, f.changed.Load(), seed)
	if f.changed.Load() < int64(n/10) {
		t.Errorf("of %d requests only %d arrived compacted", n, f.changed.Load())
	}
	f.client.CloseIdleConnections()
	for name, a := range f.apps {
		waitFor(t, func() bool {
			return gauge(t, a, "killick_requests_in_flight") == 0 &&
				gauge(t, a, "killick_bodies_held_bytes") == 0
		})
		if n := gauge(t, a, "killick_panics_total"); n != 0 {
			t.Errorf("gateway %q: %v panics", name, n)
		}
	}
}
