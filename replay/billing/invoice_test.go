package billing

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// promptAt returns a request a number of minutes after the first. Each prefix is given by its size;
// the letters of text name the preamble and the messages.
func promptAt(minutes int, text string, sizes ...float64) *Prompt {
	q := &Prompt{sizes: sizes, Sent: time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute)}
	q.Ended = q.Sent
	for i := range sizes {
		var h uint64
		for _, c := range text[:i+1] {
			h = h*31 + uint64(c)
		}
		q.hashes = append(q.hashes, h)
	}
	return q
}

func TestInvoiceByHand(t *testing.T) {
	lost := func(q *Prompt, kept float64) *Prompt {
		q.Lost, q.Kept = true, kept
		return q
	}
	shared := func(q *Prompt, tokens float64) *Prompt {
		q.Shared = tokens
		return q
	}
	instructed := func(q *Prompt) *Prompt {
		q.Leading = 1
		return q
	}
	plain := Profile{Cached: .1, Write: 1.25, Lifetime: 5 * time.Minute}
	with := func(change func(*Profile)) Profile {
		p := plain
		change(&p)
		return p
	}
	mark := with(func(p *Profile) { p.Match = MatchMark })
	first := promptAt(0, "SABC", 1000, 1100, 1300, 1600)
	for _, c := range []struct {
		name    string
		profile Profile
		then    []*Prompt
		cached  []float64 // of first, then of each that follows
	}{
		{"what was sent before is read", plain,
			[]*Prompt{promptAt(1, "SABCD", 1000, 1100, 1300, 1600, 2000)}, []float64{0, 1600}},
		{"a changed message ends the prefix", plain,
			[]*Prompt{promptAt(1, "SAbCD", 1000, 1100, 1150, 1450, 1850)}, []float64{0, 1100}},
		{"after a long idle time everything is written again", plain,
			[]*Prompt{promptAt(6, "SABCD", 1000, 1100, 1300, 1600, 2000)}, []float64{0, 0}},
		{"each hit renews the lifetime", plain,
			[]*Prompt{promptAt(4, "SABC", 1000, 1100, 1300, 1600),
				promptAt(8, "SABCD", 1000, 1100, 1300, 1600, 2000)}, []float64{0, 1600, 1600}},
		{"but only of the prefix that was read", plain,
			[]*Prompt{promptAt(4, "SX", 1000, 1010),
				promptAt(8, "SABC", 1000, 1100, 1300, 1600)}, []float64{0, 1000, 1000}},
		{"a loss removes every prefix", plain,
			[]*Prompt{lost(promptAt(1, "SABCD", 1000, 1100, 1300, 1600, 2000), 400),
				promptAt(2, "SABCDE", 1000, 1100, 1300, 1600, 2000, 2100)},
			[]float64{0, 400, 2000}},
		{"also those of earlier requests", plain,
			[]*Prompt{lost(promptAt(1, "SX", 1000, 1010), 400),
				promptAt(2, "SABC", 1000, 1100, 1300, 1600)}, []float64{0, 400, 1000}},
		{"prefixes below the minimum are not cached",
			with(func(p *Profile) { p.Minimum = 1200 }),
			[]*Prompt{promptAt(1, "SAX", 1000, 1100, 1110),
				promptAt(2, "SABX", 1000, 1100, 1300, 1310)},
			[]float64{0, 0, 1300}},
		{"with marks only the preamble of a changed request is read", mark,
			[]*Prompt{promptAt(1, "SABX", 1000, 1100, 1300, 1310)}, []float64{0, 1000}},
		{"the preamble includes leading instructions", mark,
			[]*Prompt{instructed(promptAt(1, "SABCD", 1000, 1100, 1300, 1600, 1700)),
				instructed(promptAt(2, "SAX", 1000, 1100, 1110))}, []float64{0, 1600, 1100}},
		{"with marks a continued request is read", mark,
			[]*Prompt{promptAt(1, "SABCD", 1000, 1100, 1300, 1600, 2000)}, []float64{0, 1600}},
		{"a branch reads what it has in common", plain,
			[]*Prompt{promptAt(1, "SABCDE", 1000, 1100, 1300, 1600, 2000, 2100),
				promptAt(2, "SABF", 1000, 1100, 1300, 1350)}, []float64{0, 1600, 1300}},
	} {
		v := NewInvoice(c.profile)
		for i, q := range append([]*Prompt{first}, c.then...) {
			cost, cached := v.Add(q)
			want := c.cached[i]*c.profile.Cached + (q.total()-c.cached[i])*c.profile.Write
			if !near(cached, c.cached[i]) || !near(cost.Total(), want) {
				t.Errorf("%s: request %d: %v cached at %v, want %v at %v", c.name, i, cached, cost,
					c.cached[i], want)
			}
		}
	}
	begun := shared(promptAt(0, "SA", 1000, 1100), 300)
	if _, cached := NewInvoice(plain).Add(begun); cached != 300 {
		t.Errorf("%v of the shared preamble cached, want 300", cached)
	}
	cliff := NewInvoice(with(func(p *Profile) { p.Cliff = Cliff{1500, 2} }))
	if cost, _ := cliff.Add(promptAt(0, "SAB", 1000, 1100, 1500)); !near(cost.Total(), 1500*1.25) {
		t.Errorf("at the cliff: %v, want %v", cost, 1500*1.25)
	}
	if cost, _ := cliff.Add(promptAt(1, "SABC", 1000, 1100, 1500, 1600)); !near(cost.Total(),
		2*(1500*.1+100*1.25)) {
		t.Errorf("past the cliff: %v, want %v", cost, 2*(1500*.1+100*1.25))
	}
}

func TestParseProfile(t *testing.T) {
	got, err := ParseProfile("p=.05, w=2,ttl=1h,out=6,match=mark,min=1024,cliff=200000x2")
	want := Profile{Name: "p .05, w 2, 1h, out 6, match mark, min 1024, cliff 200000x2",
		Cached: .05, Write: 2, Output: 6, Lifetime: time.Hour,
		Match: MatchMark, Minimum: 1024, Cliff: Cliff{200000, 2}}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, wrong := range []string{"", "p", "p=2", "p=x", "w=0", "w=-1", "ttl=5", "ttl=-1m",
		"out=0", "match=any", "min=-1", "cliff=200000", "cliff=x2", "cliff=0x2", "cliff=-5x2",
		"cliff=200000x.5", "w=1000", "size=1"} {
		if p, err := ParseProfile(wrong); err == nil {
			t.Errorf("%q: %+v, want an error", wrong, p)
		}
	}
	names := map[string]bool{}
	for _, p := range DefaultProfiles {
		names[p.Name] = true
	}
	if len(names) != len(DefaultProfiles) || !names["p .025, w 1.25, 5m"] {
		t.Errorf("names %v", names)
	}
	if name := fmt.Sprint(builtIn(1, 1, 90*time.Second).Name); name != "p 1, w 1, 1m30s" {
		t.Errorf("name %q", name)
	}
}

// The parts of the cost of one request at prices of .1 to read and 1 to write.
func TestPartsByHand(t *testing.T) {
	later := func(minutes int, text string, fresh float64, sizes ...float64) *Prompt {
		q := promptAt(minutes, text, sizes...)
		q.Fresh = fresh
		return q
	}
	lost := func(q *Prompt) *Prompt {
		q.Lost, q.Kept = true, 400
		return q
	}
	profile := Profile{Cached: .1, Write: 1, Lifetime: 5 * time.Minute}
	begun := later(0, "SAB", 300, 1000, 1100, 1300)
	for _, c := range []struct {
		name string
		q    *Prompt
		want Parts
	}{
		{"one more message", later(1, "SABC", 200, 1000, 1100, 1300, 1500),
			Parts{Preamble: 100, Cached: 30, New: 200}},
		{"a changed message", later(1, "SAbC", 200, 1000, 1100, 1150, 1350),
			Parts{Preamble: 100, Cached: 10, New: 200, Rewritten: 50}},
		{"a new message that was truncated", later(1, "SABC", 200, 1000, 1100, 1300, 1320),
			Parts{Preamble: 100, Cached: 30, New: 20}},
		{"after the lifetime", later(6, "SABC", 200, 1000, 1100, 1300, 1500),
			Parts{Preamble: 1000, Expired: 300, New: 200}},
		{"a cache that the client lost", lost(later(1, "SABC", 200, 1000, 1100, 1300, 1500)),
			Parts{Preamble: 640, Lost: 300, New: 200}},
		{"other instructions", later(1, "sABC", 200, 1000, 1100, 1300, 1500),
			Parts{Preamble: 1000, Rewritten: 300, New: 200}},
	} {
		v := NewInvoice(profile)
		v.Add(begun)
		if got, _ := v.Add(c.q); !near(got.Preamble, c.want.Preamble) ||
			!near(got.New, c.want.New) || !near(got.Cached, c.want.Cached) ||
			!near(got.Rewritten, c.want.Rewritten) || !near(got.Expired, c.want.Expired) ||
			!near(got.Lost, c.want.Lost) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	cliff := profile
	cliff.Cliff = Cliff{1000, 2}
	if got, _ := NewInvoice(cliff).Add(begun); !near(got.New, 600) || !near(got.Preamble, 2000) {
		t.Errorf("past the cliff: %+v", got)
	}
}
