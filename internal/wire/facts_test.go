package wire

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"killick/cache"
	"killick/compactor/settings"
	"killick/packed"
	"killick/tokenizer"
)

// bulletin collects announcements.
type bulletin struct{ facts [][]byte }

func (b *bulletin) announce(who, topic string, value []byte) {
	b.facts = append(b.facts, slices.Concat([]byte(who+" "+topic+" "), value))
}

// value returns the value of the last fact.
func (b *bulletin) value(t *testing.T, whoAndTopic string) []byte {
	t.Helper()
	value, ok := bytes.CutPrefix(b.facts[len(b.facts)-1], []byte(whoAndTopic+" "))
	if !ok {
		t.Fatalf("the last fact is %q", b.facts[len(b.facts)-1])
	}
	return value
}

func TestWindowsAreReceived(t *testing.T) {
	hash, now := hashUnder(cache.NewSecret()), time.UnixMilli(1_700_000_000_000)
	clock := func() time.Time { return now }
	var sent bulletin
	a, b := newLearnedWindows(hash, sent.announce), newLearnedWindows(hash, nil)
	a.now, b.now = clock, clock
	first := settings.Learned{Window: 9000, Stated: true, Input: true, Output: true, Ratio: 1.25,
		TruncateOver: 700}
	a.at("here").Learn("ann", "secret-model", first)
	if bytes.Contains(sent.facts[0], []byte("secret-model")) {
		t.Errorf("%q names the model", sent.facts[0])
	}
	value := sent.value(t, "ann window")
	now = now.Add(learnedFor - time.Hour)
	b.receive("ann", value)
	if got := b.at("here").Learned("ann", "secret-model"); got != first {
		t.Errorf("received %+v, want %+v", got, first)
	}
	for _, other := range []settings.Learned{
		b.at("there").Learned("ann", "secret-model"), b.at("here").Learned("bob", "secret-model"),
		b.at("here").Learned("ann", "another"),
	} {
		if other != (settings.Learned{}) {
			t.Errorf("%+v is known elsewhere", other)
		}
	}
	newer := settings.Learned{Window: 5000}
	b.at("here").Learn("ann", "secret-model", newer)
	if b.receive("ann", value); b.at("here").Learned("ann", "secret-model") != newer {
		t.Error("what is older was taken")
	}
	b.forget("ann")
	for _, damaged := range [][]byte{nil, value[:len(value)-1], append([]byte{9}, value[1:]...),
		encodeWindow(&learnedKey{"ann", "here", hash("m")},
			&learnedWindow{settings.Learned{Window: 9000, Ratio: math.NaN()}, now})} {
		if b.receive("ann", damaged); b.windows.EstimatedSize() != 0 {
			t.Errorf("%q is believed", damaged)
		}
	}
	b.receive("ann", value)
	now = now.Add(time.Hour + time.Millisecond)
	if got := b.at("here").Learned("ann", "secret-model"); got != (settings.Learned{}) {
		t.Errorf("%+v is still known", got)
	}
	if b.forget(""); b.windows.EstimatedSize() != 0 {
		t.Error("it is not forgotten")
	}
	if b.receive("ann", value); b.windows.EstimatedSize() != 0 {
		t.Error("what is too old was taken")
	}
}

// A window with a time in the future, from a replica whose clock is ahead, counts as learned when
// it is received.
func TestWindowsOfLaterClocks(t *testing.T) {
	w, now := newLearnedWindows(hashUnder(cache.NewSecret()), nil), time.Unix(1_700_000_000, 0)
	w.now = func() time.Time { return now }
	key := learnedKey{"ann", "", w.hash("m")}
	w.receive("ann", encodeWindow(&key, &learnedWindow{settings.Learned{Window: 9000},
		now.Add(time.Hour)}))
	now = now.Add(time.Second)
	w.at("").Learn("ann", "m", settings.Learned{Window: 8000})
	if got := w.at("").Learned("ann", "m").Window; got != 8000 {
		t.Errorf("the window is %d", got)
	}
}

func TestRatiosAreReceived(t *testing.T) {
	hash, now := hashUnder(cache.NewSecret()), time.UnixMilli(1_700_000_000_000)
	var sent bulletin
	replica := func() *learnedRatios {
		l := newLearnedRatios(tokenizer.New(tokenizer.Options{Hash: hash}), sent.announce)
		l.now = func() time.Time { return now }
		return l
	}
	a, b := replica(), replica()
	report := func(l *learnedRatios, theirs, want int) {
		t.Helper()
		m := l.counter.ForClient("ann", "some-model")
		m.Observe(1000, theirs)
		l.observed("ann", m)
		if len(sent.facts) != want {
			t.Errorf("%d facts are announced, want %d", len(sent.facts), want)
		}
	}
	for range 4 {
		report(a, 1800, 0) // too few
	}
	report(a, 1800, 1)
	report(a, 1850, 1)
	before := b.counter.ForClient("ann", "some-model").Ratio([]byte("{}"))
	b.receive("ann", sent.value(t, "ann ratio"))
	after := b.counter.ForClient("ann", "some-model").Ratio([]byte("{}"))
	if math.Abs(after/before-1.8*1.01/1.35) > .01 {
		t.Errorf("the ratio is %v, it was %v", after, before)
	}
	for range 5 {
		report(b, 1900, 1) // the others know this already
	}
	for range 32 {
		a.counter.ForClient("ann", "some-model").Observe(1000, 2200)
	}
	report(a, 2200, 2)
	now = now.Add(repeatAfter)
	report(a, 2200, 3)
	a.forget("bob")
	report(a, 2200, 3)
	a.forget("ann")
	report(a, 2200, 4)
	var nothing packed.Writer
	for _, damaged := range [][]byte{nil, nothing, {2}, encodeRatio(1, knownRatio{-1, now})} {
		if _, _, ok := readRatio(damaged); ok {
			t.Errorf("%q is believed", damaged)
		}
	}
}
