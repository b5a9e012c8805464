package compactor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"killick/chat"
)

var small = Policy{Trigger: 2000, Target: 1000, MinMaskTokens: 60}

// policies are the small one and all that can be added to it.
func policies() map[string]Policy {
	appending, door := small, small
	appending.RecordTokens, appending.IndexTokens = 900, 300
	door.RecordTokens, door.IndexTokens, door.Ingest = 900, 300, 300
	strict := door
	strict.StrictTurns = true
	return map[string]Policy{"small": small, "appending": appending, "door": door, "strict": strict}
}

func newEngine(store Store) *Engine {
	return New(Options{Policy: small, Counter: byBytes, Store: store})
}

func TestEveryTurnOfRandomConversationsIsValid(t *testing.T) {
	for name, policy := range policies() {
		for seed := range randomSeeds(8) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				everyTurn(t, conversation(seed, 60), policy)
			})
		}
	}
}

func everyTurn(t *testing.T, msgs []string, policy Policy) {
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	compacted := 0
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		if len(res.FailOpens) > 0 {
			t.Errorf("turn %d: %+v", n, res.FailOpens)
		}
		if res.Sent > res.Raw {
			t.Errorf("turn %d: %d tokens of %d sent", n, res.Sent, res.Raw)
		}
		if got := recount(parse(t, res.Body)); got != res.Sent {
			t.Errorf("turn %d: says %d tokens, sent %d", n, res.Sent, got)
		}
		if res.Folded {
			compacted++
		}
	})
	if compacted == 0 {
		t.Error("nothing was ever folded")
	}
}

func recount(r *chat.Request) int {
	n := byteCounter{}.Overhead(r)
	for i := range r.Messages() {
		n += byteCounter{}.Message(&r.Messages()[i])
	}
	return n
}

// The forwarded prefix changes at compactions and only there, and compactions
// are rare: that is what keeps the provider's prompt cache.
func TestPrefixIsStableBetweenCompactions(t *testing.T) {
	for seed := range randomSeeds(4) {
		msgs := conversation(seed, 80)
		e := New(Options{Policy: Policy{Trigger: 16000, Target: 8000}, Counter: byBytes, Store: newMemStore()})
		var last []byte
		requests, changes := 0, 0
		turns(t, msgs, func(n int) {
			res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
			_, sent, _ := bytes.Cut(res.Body, []byte(`"messages": [`))
			sent, _, _ = bytes.Cut(sent, []byte(`], "temperature"`))
			requests++
			if !bytes.HasPrefix(sent, last) {
				changes++
				if !slices.Contains(res.Made, MadeMask) && !slices.Contains(res.Made, MadeSummary) && n > 3 {
					t.Errorf("seed %d, turn %d: the prefix changed though nothing was made", seed, n)
				}
			}
			last = sent
		})
		if changes*4 > requests {
			t.Errorf("seed %d: %d of %d requests changed the prefix", seed, changes, requests)
		}
	}
}

func TestEmptyStoreGivesTheSameBytes(t *testing.T) {
	for name, policy := range policies() {
		for seed := range randomSeeds(2) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				msgs := conversation(seed, 30)
				fresh := func() *Engine { return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()}) }
				warm := fresh()
				turns(t, msgs, func(n int) {
					in := body(msgs[:n])
					turnByTurn := warm.Compact(t.Context(), parse(t, in), "ann")
					again := warm.Compact(t.Context(), parse(t, in), "ann")
					afresh := fresh().Compact(t.Context(), parse(t, in), "ann")
					if !bytes.Equal(turnByTurn.Body, again.Body) {
						t.Errorf("turn %d: sent twice, it differs", n)
					}
					if !bytes.Equal(turnByTurn.Body, afresh.Body) {
						t.Errorf("turn %d: an empty store gives other bytes", n)
					}
				})
			})
		}
	}
}

func TestStoreFaultsCostNoRequest(t *testing.T) {
	msgs := conversation(3, 60)
	in := body(msgs)
	want := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
	store := newMemStore()
	store.failing = errors.New("disk full")
	got := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
	if !bytes.Equal(got.Body, want.Body) {
		t.Error("a failing store changed what is forwarded")
	}
	var reasons []string
	for _, f := range got.FailOpens {
		reasons = append(reasons, f.Reason)
	}
	if !slices.Contains(reasons, "store_read") || !slices.Contains(reasons, "store_write") {
		t.Errorf("fail-opens %q", reasons)
	}
}

func TestDamagedCheckpointsAreMadeAnew(t *testing.T) {
	msgs := conversation(3, 60)
	in := body(msgs)
	want := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
	for _, value := range []string{"", "{", "null", `{"v":99}`, `{"v":1,"covers":1000000}`, `{"v":1,"covers":2,"fold":2}`, `{"v":1,"masks":[{"i":-1}]}`} {
		store := newMemStore()
		newEngine(store).Compact(t.Context(), parse(t, in), "ann")
		for key := range store.values {
			store.values[key] = []byte(value)
		}
		got := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
		if !bytes.Equal(got.Body, want.Body) {
			t.Errorf("%q in the store changed what is forwarded", value)
		}
	}
}

func TestTwoCredentialsShareNothing(t *testing.T) {
	store := newMemStore()
	in := body(conversation(5, 60))
	ann := newEngine(store).Compact(t.Context(), parse(t, in), "ann")
	bob := newEngine(store).Compact(t.Context(), parse(t, in), "bob")
	if ann.Reused || bob.Reused || len(bob.Made) == 0 {
		t.Error("one credential was served what another's request made")
	}
}

func TestManyAtOnceSendTheSameBytes(t *testing.T) {
	e := newEngine(newMemStore())
	in := body(conversation(6, 60))
	bodies := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() { bodies[i] = e.Compact(context.Background(), parse(t, in), "ann").Body })
	}
	wg.Wait()
	for i := range bodies {
		if !bytes.Equal(bodies[i], bodies[0]) {
			t.Errorf("request %d got other bytes", i)
		}
	}
}

// A conversation whose first request comes after the first fold: the record of
// that fold holds no task, so the next one must.
func TestTheTaskMayComeLate(t *testing.T) {
	var msgs []string
	for i := range 60 {
		if i == 25 {
			msgs = append(msgs, `{"role":"user","content":"Rename the widget:\n  to gadget."}`)
		}
		msgs = append(msgs, fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"f%[1]d.go\"}"}}]}`, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, strings.Repeat(fmt.Sprintf("line of f%d.go ", i), 100)))
	}
	e := New(Options{Policy: Policy{Trigger: 5000, Target: 2500, RecordTokens: 1200, ExcludeTools: []string{"read"}}, Counter: byBytes, Store: newMemStore()})
	records := 0
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		records = max(records, bytes.Count(res.Body, []byte(recordMark)))
	})
	if records < 2 {
		t.Errorf("%d records at most: no second one told of the task", records)
	}
}

func TestUnderTheTriggerNothingIsTouched(t *testing.T) {
	in := body(conversation(1, 2)[:3])
	req := parse(t, in)
	res := newEngine(newMemStore()).Compact(t.Context(), req, "ann")
	if &res.Body[0] != &in[0] || res.Reason != ReasonFits || res.Masked || res.Folded {
		t.Errorf("%+v", res)
	}
}

func TestOpenCallsAndNewResultsStay(t *testing.T) {
	msgs := conversation(2, 40)
	msgs = append(msgs, `{"role":"assistant","content":null,"tool_calls":[{"id":"open1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"open2","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"open1","content":"`+strings.Repeat("fresh output ", 900)+`"}`)
	in := body(msgs)
	res := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
	if !res.Folded {
		t.Error("nothing was folded")
	}
	if !bytes.Contains(res.Body, []byte(msgs[len(msgs)-1])) || !bytes.Contains(res.Body, []byte(msgs[len(msgs)-2])) {
		t.Error("an open call or the output that the model has not seen was touched")
	}
}

func TestWhatWasFetchedAgainIsNotMaskedAgain(t *testing.T) {
	read := func(id, path string) []string {
		return []string{
			`{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"read","arguments":"{\"path\":\"` + path + `\"}"}}]}`,
			`{"role":"tool","tool_call_id":"` + id + `","content":"` + strings.Repeat(path+" says a lot ", 400) + `"}`,
		}
	}
	msgs := []string{`{"role":"user","content":"look around"}`}
	for range 30 { // a conversation that has gone on for a while pays for masks
		msgs = append(msgs, `{"role":"assistant","content":"yes?"}`, `{"role":"user","content":"go on"}`)
	}
	for i := range 8 {
		msgs = append(msgs, read(fmt.Sprint("a", i), fmt.Sprintf("file%d.go", i))...)
	}
	msgs = append(msgs, read("again", "file0.go")...)
	again := msgs[len(msgs)-1]
	for i := range 12 {
		msgs = append(msgs, read(fmt.Sprint("b", i), fmt.Sprintf("more%d.go", i))...)
	}
	policy := Policy{Trigger: 14_000, Target: 8000, Protect: 0.1}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	masked := false
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		masked = masked || bytes.Contains(res.Body, []byte("tokens from read(file0.go)"))
		if n > 80 && !res.Folded && !bytes.Contains(res.Body, []byte(again)) {
			t.Errorf("turn %d: what was fetched again is masked", n)
		}
	})
	if !masked {
		t.Error("the first output was never masked: nothing is shown")
	}
}

func TestExcludedToolsStayWhole(t *testing.T) {
	policy := small
	policy.ExcludeTools = []string{"re*"}
	msgs := conversation(4, 60)
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	turns(t, msgs, func(n int) {
		res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann")
		if bytes.Contains(res.Body, []byte("tokens from read(")) {
			t.Fatalf("turn %d: an output of an excluded tool was masked", n)
		}
	})
}

// proberFunc is a Prober that asks the same of every record.
type proberFunc func(record string) (Probe, []string)

func (f proberFunc) Questions([]chat.Message) func(string) (Probe, []string) { return f }

func TestHardFailKeepsTheTurns(t *testing.T) {
	fail := proberFunc(func(string) (Probe, []string) { return Probe{Verdict: HardFail, Score: 0.1}, nil })
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore(), Prober: fail})
	msgs := conversation(7, 60)
	rejected := false
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		if res.Folded || slices.Contains(res.Made, MadeSummary) {
			t.Fatalf("turn %d: a summary that failed its probe was used", n)
		}
		rejected = rejected || slices.Contains(res.Made, MadeRejected)
	})
	if !rejected {
		t.Error("no summary was ever rejected")
	}
}

func TestMissingFactsAreAddedWordForWord(t *testing.T) {
	const fact = "the port of the staging database is 54329"
	asks := proberFunc(func(record string) (Probe, []string) {
		if strings.Contains(record, fact) {
			return Probe{Verdict: Pass, Score: 1}, nil
		}
		return Probe{Verdict: HardFail}, []string{fact}
	})
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore(), Prober: asks})
	res := e.Compact(t.Context(), parse(t, body(conversation(7, 60))), "ann")
	if !res.Folded || !bytes.Contains(res.Body, []byte(fact)) || res.Probe.Verdict != Pass {
		t.Errorf("folded %t, probe %+v", res.Folded, res.Probe)
	}
}

// Work must not grow with the square of what a client sends, whether its turns
// can be compacted or not.
func TestHostileConversationsEnd(t *testing.T) {
	var open, users, empty []string
	open = append(open, `{"role":"assistant","tool_calls":[{"id":"never"}]}`)
	for i := range 20_000 {
		open = append(open, `{"role":"user","content":"again and again and again"}`, `{"role":"assistant","content":"yes"}`)
		users = append(users, fmt.Sprintf(`{"role":"user","content":"message %d"}`, i))
		empty = append(empty, `{"role":"assistant"}`)
	}
	for name, msgs := range map[string][]string{"open call first": open, "users alone": users, "empty": empty} {
		t.Run(name, func(t *testing.T) {
			in := body(msgs)
			res := newEngine(newMemStore()).Compact(t.Context(), parse(t, in), "ann")
			parse(t, res.Body)
		})
	}
}

func TestFitsIsAnUpperBound(t *testing.T) {
	e := newEngine(newMemStore())
	if !e.Fits([]byte(strings.Repeat("x", 2000))) || e.Fits([]byte(strings.Repeat("x", 2001))) {
		t.Error("the bound is not the trigger")
	}
	if e.Fits([]byte(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x"}}]}]}`)) {
		t.Error("an image was counted by its bytes")
	}
	windows := Policy{Windows: map[string]Window{"tiny": {Tokens: 2000, Reserve: 100}}}
	if e := New(Options{Policy: windows, Counter: byBytes}); e.Fits([]byte(strings.Repeat("x", 1500))) {
		t.Error("the smallest window was not heeded")
	}
}

// Where the body says early or late which model it is for, that model's trigger
// counts.
func TestFitsHeedsTheModel(t *testing.T) {
	windows := Policy{Trigger: 0.5, Windows: map[string]Window{"large": {Tokens: 100_000, Reserve: 100}, "tiny": {Tokens: 2000, Reserve: 100}}}
	e := New(Options{Policy: windows, Counter: byBytes, Store: newMemStore()})
	text := strings.Repeat("x", 20_000)
	for body, want := range map[string]bool{
		`{"model":"large","messages":[{"role":"user","content":"` + text + `"}]}`:                                                               true,
		`{"messages":[{"role":"user","content":"` + text + `"}],"model":"large"}`:                                                               true,
		`{"model":"tiny","messages":[{"role":"user","content":"` + text + `"}]}`:                                                                false,
		`{"messages":[{"role":"user","content":"` + text + `"}]}`:                                                                               false,
		`{"model":"large","messages":[{"role":"user","content":"` + strings.Repeat(text, 3) + `"}]}`:                                            false,
		`{"model":"large","messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"image_url"},`, 20) + `{"text":"` + text + `"}]}]}`: false,
	} {
		if got := e.Fits([]byte(body)); got != want {
			t.Errorf("%d bytes, %.30s…%s: %t, want %t", len(body), body, body[len(body)-20:], got, want)
		}
		if req := parse(t, []byte(body)); want && e.Compact(t.Context(), req, "ann").Reason != ReasonFits {
			t.Errorf("%.30s: said to fit, and does not", body)
		}
	}
	windows.Ingest = 1000
	if e := New(Options{Policy: windows, Counter: byBytes}); e.Fits([]byte(`{"model":"large","messages":["` + text + `"]}`)) {
		t.Error("an output that may be oversized was not looked at")
	}
}

// sampler is a counter that can tell of a body whether its tokens, four bytes
// each, are at most so many.
type sampler struct {
	byteCounter
	asked *int
}

func (s sampler) AtMost(body []byte, limit int) bool {
	*s.asked++
	return len(body)/4 <= limit
}

// A body of more bytes than the trigger fits where its counter can tell from a
// sample.
func TestFitsBySample(t *testing.T) {
	asked := 0
	policy := Policy{Trigger: 0.5, Windows: map[string]Window{"small": {Tokens: 20_000, Reserve: 100}}}
	e := New(Options{Policy: policy, Counter: func(string) Counter { return sampler{asked: &asked} }, Store: newMemStore()})
	request := func(fields string, text int) string {
		return `{` + fields + `"messages":[{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("x", text) + `"}]}]}`
	}
	image := `"model":"small","extra":{"image_url":1},`
	for _, c := range []struct {
		body  string
		fits  bool
		asked int
	}{
		{request(`"model":"small",`, 5000), true, 0},    // by its size
		{request(`"model":"small",`, 30_000), true, 1},  // 7,500 of 10,000
		{request(`"model":"small",`, 45_000), false, 1}, // too many
		{request(`"model":"small",`, 80_000), false, 0}, // nobody needs to ask
		{request(image, 30_000), false, 1},              // and 3,000 for the image
		{request(image, 20_000), true, 1},
		{request(``, 600_000), false, 0}, // for whom?
	} {
		asked = 0
		if fits := e.Fits([]byte(c.body)); fits != c.fits || asked != c.asked {
			t.Errorf("%d bytes, %.40s: fits %v, asked %d times; want %v, %d", len(c.body), c.body, fits, asked, c.fits, c.asked)
		}
	}
}

// A turn that comes again, by a retry or after a restart, reads as it did when
// it came first, whatever has been made of the turns behind it since.
func TestTurnsSentAgainReadAsTheyDid(t *testing.T) {
	for name, policy := range policies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msgs := conversation(3, 60)
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			first := map[int][]byte{}
			turns(t, msgs, func(n int) { first[n] = e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann").Body })
			turns(t, msgs, func(n int) {
				if res := e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann"); !bytes.Equal(res.Body, first[n]) {
					t.Errorf("%d messages: %d bytes at first, %d later", n, len(first[n]), len(res.Body))
				}
			})
		})
	}
}

func TestBilledParts(t *testing.T) {
	for body, want := range map[string]int{
		``:                                       0,
		`"`:                                      0,
		`{"type":"image_url","image_url":{}}`:    2,
		`"file" "input_audio" "video_url"`:       3,
		`"input_image"`:                          1,
		`"files" "a file" "profile" "Image_url"`: 0,
		`"\"image_url\""`:                        0,
	} {
		if got := billedParts([]byte(body)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
	// A mark begins with a letter that is looked for.
	for _, mark := range billedPartMarks {
		if billedParts([]byte(`"`+string(mark))) != 1 {
			t.Errorf("%s is not found", mark)
		}
	}
}
