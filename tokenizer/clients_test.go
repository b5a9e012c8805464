package tokenizer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"killick/chat"
	"killick/view"
)

// entries is how many counts are remembered.
func (m *memo) entries() (n int) {
	for i := range m.shards {
		for _, set := range m.shards[i].sets {
			for _, key := range set.keys {
				if key != (memoKey{}) {
					n++
				}
			}
		}
	}
	return n
}

// Counting what somebody else has sent finds nothing: how long it takes says nothing of others.
func TestCountsAreRememberedForEachClient(t *testing.T) {
	long := strings.Repeat("a message of 400 KB, which takes a while to count. ", 8<<10)
	body := fmt.Sprintf(`{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"f"}}],`+
		`"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{}}},`+
		`"messages":[{"role":"user","content":%q}]}`, long)
	req, err := chat.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{})
	count := func(who string) (counted Breakdown, remembered int) {
		before := c.memo.entries()
		counted = c.ForClient(who, "gpt-4o").Request(req)
		return counted, c.memo.entries() - before
	}
	first, made := count("a")
	if made != 3 {
		t.Fatalf("%d counts are remembered, want the message's, the tools' and the schema's", made)
	}
	if again, n := count("a"); n != 0 || again.Total != first.Total {
		t.Errorf("%d counts were made again for the same client", n)
	}
	for _, who := range []string{"b", "", "a\x00"} {
		if other, n := count(who); n != made || other.Total != first.Total {
			t.Errorf("%q: %d counts were made, want %d: the others are another client's", who, n,
				made)
		}
	}
}

// What one client's upstream reported moves nobody else's trigger, and is not seen by the
// estimate that lets requests pass uncounted.
func TestRatiosAreLearnedForEachClient(t *testing.T) {
	c, body := New(Options{}), []byte(`{"model":"some-model"}`)
	a, b := c.ForClient("a", "some-model"), c.ForClient("b", "some-model")
	before := b.Ratio(body)
	for range ratioWindow {
		a.Observe(1000, 2400)
	}
	if a.Ratio(body) <= before || !a.settled() {
		t.Errorf("nothing is learned: %v and %v", a.Ratio(body), before)
	}
	if b.Ratio(body) != before || b.settled() {
		t.Errorf("the other client's ratio is %v, want %v", b.Ratio(body), before)
	}
	if other := c.ForClient("a", "another-model"); other.settled() {
		t.Error("what is learned of one model is known of another")
	}
}

func TestRatiosAreBounded(t *testing.T) {
	c := New(Options{})
	for i := range maxKeptRatios + 10 {
		c.ForClient(fmt.Sprint(i), "some-model").Observe(1000, 1000)
		if !c.ForClient("0", "some-model").settled() {
			t.Fatalf("what is in use is forgotten after %d", i)
		}
	}
	if n := len(c.ratios.known); n != maxKeptRatios || c.ratios.recent.Len() != n {
		t.Errorf(
			"%d ratios are kept and %d listed, want %d",
			n,
			c.ratios.recent.Len(),
			maxKeptRatios,
		)
	}
	if c.ForClient("1", "some-model").settled() {
		t.Error("the least recently used is kept")
	}
}

func TestRatiosAreDeleted(t *testing.T) {
	c := New(Options{})
	of := func(who string) Model { return c.ForClient(who, "some-model") }
	for _, who := range []string{"a", "b", "c"} {
		of(who).Observe(1000, 1000)
	}
	if c.Forget("b"); of("b").settled() || !of("a").settled() || !of("c").settled() {
		t.Error("one client's ratios are not forgotten, or another's are")
	}
	if c.Forget(""); of("a").settled() || of("c").settled() || len(c.ratios.known) > 0 {
		t.Error("something is left of all ratios")
	}
}

// What is remembered with a conversation is good for as long as the same model counts it.
func TestModelsOfOneClientAreEqual(t *testing.T) {
	c := New(Options{})
	type counter interface{ Message(*view.Message) int }
	same := func(a, b counter) bool { return a == b }
	if !same(c.ForClient("a", "gpt-4o"), c.ForClient("a", "gpt-4o")) {
		t.Error("a model is not the same when it is asked for again")
	}
	if same(c.ForClient("a", "gpt-4o"), c.ForClient("b", "gpt-4o")) ||
		same(c.ForClient("a", "gpt-4o"), c.ForClient("a", "gpt-4")) {
		t.Error("two clients, or two models, are the same")
	}
}

// What another process learned holds until this one has learned enough itself.
func TestRatiosAreAdopted(t *testing.T) {
	byLength := Options{Hash: func(model string) uint64 { return uint64(len(model)) }}
	there, here := New(byLength).ForClient("a", "some-model"), New(byLength)
	for i := range fewReports {
		if ratio, ok := there.Learned(); ok {
			t.Errorf("%v is learned from %d reports", ratio, i)
		}
		there.Observe(1000, 2000)
	}
	learned, ok := there.Learned()
	if math.Abs(learned-2) > .05 || !ok {
		t.Fatalf("%v is learned, %t", learned, ok)
	}
	m := here.ForClient("a", "some-model")
	for _, impossible := range []float64{0, -1, 100, math.NaN(), math.Inf(1)} {
		here.Adopt("a", m.Hash(), impossible)
	}
	if m.settled() {
		t.Error("an impossible ratio is adopted")
	}
	here.Adopt("a", there.Hash(), learned)
	if m.corrected() != learned || !m.settled() {
		t.Errorf("the ratio is %v, want %v", m.corrected(), learned)
	}
	if _, ok := m.Learned(); ok {
		t.Error("what was adopted is told as if it were learned")
	}
	if here.ForClient("b", "some-model").settled() || here.ForClient("a", "another").settled() {
		t.Error("another client's ratio, or another model's, is adopted")
	}
	for range fewReports {
		m.Observe(1000, 1500)
	}
	here.Adopt("a", there.Hash(), learned)
	if got := m.corrected(); math.Abs(got-1.5) > .05 {
		t.Errorf("the ratio is %v, want that of its own reports", got)
	}
	if here.Forget("a"); m.settled() {
		t.Error("it is not forgotten")
	}
}
