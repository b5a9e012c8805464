package prices

import (
	"testing"
	"time"
)

func TestPeakHours(t *testing.T) {
	m, ok := Published().Of("deepseek-v4-pro")
	if !ok || m.Peak.Factor != 2 {
		t.Fatalf("%+v", m)
	}
	at := func(day, hour, minute int) time.Time { // of November 2026; the 20th is a Friday
		return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC)
	}
	east := time.FixedZone("east", 8*3600)
	for _, c := range []struct {
		at   time.Time
		want float64
	}{
		{at(20, 0, 59), 1}, {at(20, 1, 0), 2}, {at(20, 3, 59), 2}, {at(20, 4, 0), 1},
		{at(20, 6, 0), 2}, {at(20, 9, 59), 2}, {at(20, 10, 0), 1}, {at(21, 2, 0), 1},
		{at(22, 7, 0), 1}, {at(23, 7, 0), 2},
		{time.Date(2026, 11, 21, 3, 0, 0, 0, east), 1}, // Friday, 19:00 UTC
		{time.Date(2026, 11, 20, 9, 30, 0, 0, east), 2},
	} {
		got := m.At(c.at)
		if got.Input != c.want*m.Input || got.Cached != c.want*m.Cached ||
			got.Write != c.want*m.Write || got.Output != c.want*m.Output {
			t.Errorf("%s: %+v, want %v times the prices", c.at, got, c.want)
		}
		if got.Shares() != m.Shares() {
			t.Errorf("%s: the shares change: %+v", c.at, got.Shares())
		}
	}
}

func TestTheLongerLifetime(t *testing.T) {
	opus, _ := Published().Of("claude-opus-5-5")
	if got := opus.Long(); got.Lifetime != time.Hour || got.Write != 8 || got.Cached != 0.2 {
		t.Errorf("%+v, want an hour at 8", got)
	}
	gpt, _ := Published().Of("gpt-5.1")
	if got := gpt.Long(); got.Lifetime != 24*time.Hour || got.Write != gpt.Input {
		t.Errorf("%+v, want a day at no price of writes", got)
	}
	if grok, _ := Published().Of("grok-4.6"); grok.Long() != grok {
		t.Errorf("%+v has no longer lifetime", grok.Long())
	}
}

func TestCliffs(t *testing.T) {
	for _, c := range []struct {
		model  string
		tokens int
		want   [4]float64 // input, cached, write, output
	}{
		{"gpt-6.2-sol", 272_000, [4]float64{2, 0.1, 2.5, 10}},
		{"gpt-6.2-sol", 272_001, [4]float64{4, 0.2, 5, 15}},
		{"gemini-3.1-pro-preview", 200_001, [4]float64{4, 0.4, 4, 18}},
		{"grok-4.6", 300_000, [4]float64{4, 1, 4, 12}},
		{"claude-haiku-5-5", 100_001, [4]float64{0.5, 0.05, 0.625, 2.5}},
		{"claude-opus-5-5", 900_000, [4]float64{4, 0.2, 5, 20}},
	} {
		m, _ := Published().Of(c.model)
		m = m.Sized(c.tokens)
		got := [4]float64{m.Input, m.Cached, m.Write, m.Output}
		for i := range got {
			if !near(got[i], c.want[i]) {
				t.Errorf("%s, %d tokens: %v, want %v", c.model, c.tokens, got, c.want)
				break
			}
		}
	}
}

func TestCost(t *testing.T) {
	m := Model{Input: 4, Cached: 0.2, Write: 5, Output: 20}
	if got := m.Cost(1e6, 2e6, 3e6, 1e5); !near(got, 4+0.4+15+2) {
		t.Errorf("got %v dollars", got)
	}
}

// An operator's prices replace those of the table; prices that are left out keep their ratio to the
// price of input.
func TestOver(t *testing.T) {
	base := Model{Input: 4, Cached: 0.4, Write: 5, Output: 20, Lifetime: 5 * time.Minute,
		Extended: Extended{time.Hour, 8}, Match: MatchMark, Minimum: 512, Source: "there"}
	half := Model{Input: 2}.Over(base)
	want := base.times(0.5)
	if half != want {
		t.Errorf("%+v, want %+v", half, want)
	}
	got := Model{Cached: 1, Lifetime: time.Hour, Match: MatchPrefix,
		Cliff: Cliff{1000, 2, 2, 2}}.Over(base)
	want = base
	want.Cached, want.Lifetime, want.Match, want.Cliff = 1, time.Hour, MatchPrefix,
		Cliff{1000, 2, 2, 2}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (Model{Input: 3, Output: 9}).Over(Model{}); got.Cached != 3 || got.Write != 3 {
		t.Errorf("%+v: want no discount and no fee where none is stated", got)
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		m   Model
		key string
	}{
		"a price":    {Model{Input: -1}, "input"},
		"too much":   {Model{Output: 1e9}, "output"},
		"a discount": {Model{Input: 1, Cached: 2}, "cached"},
		"a write":    {Model{Write: -1}, "write"},
		"a longer": {Model{Lifetime: time.Hour, Extended: Extended{time.Minute, 1}},
			"extended.lifetime"},
		"a lifetime": {Model{Lifetime: -1}, "lifetime"},
		"a minimum":  {Model{Minimum: -1}, "minimum"},
		"a cliff":    {Model{Cliff: Cliff{272, 2, 2, 2}}, "cliff.above"},
		"a factor":   {Model{Cliff: Cliff{272_000, 2, 0, 2}}, "cliff.cached"},
		"a peak":     {Model{Peak: Peak{Hours: 1, Factor: -1}}, "peak.factor"},
		"no hours":   {Model{Peak: Peak{Factor: 2}}, "peak.hours"},
	} {
		faults := c.m.Faults()
		if len(faults) != 1 || faults[0].Key != c.key {
			t.Errorf("%s: %+v, want one fault of %s", name, faults, c.key)
		}
	}
	if faults := (Model{}).Faults(); faults != nil {
		t.Errorf("%+v of nothing", faults)
	}
}

func TestHoursAndDays(t *testing.T) {
	for text, want := range map[string]string{
		"1-4,6-10": "1-4,6-10", "22-2": "0-2,22-24", "0-24": "0-24", "5-6": "5-6",
		"23-24": "23-24", "3-5, 4-7": "3-7",
	} {
		var h, again Hours
		if err := h.UnmarshalText([]byte(text)); err != nil || h.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, h, err, want)
		}
		if err := again.UnmarshalText([]byte(h.String())); err != nil || again != h {
			t.Errorf("%s: written %s and read as %s", text, h, again)
		}
	}
	for _, text := range []string{"", "4", "4-4", "-1-3", "1-25", "24-3", "1:30-4", "a-b"} {
		if err := new(Hours).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("the hours %q are read", text)
		}
	}
	for text, want := range map[string]string{
		"mon-fri": "mon-fri", "Sat,sun": "sat-sun", "fri-mon": "mon,fri-sun", "wed": "wed",
	} {
		var d Days
		if err := d.UnmarshalText([]byte(text)); err != nil || d.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, d, err, want)
		}
	}
	if err := new(Match).UnmarshalText([]byte("suffix")); err == nil {
		t.Error("suffix is read as a rule of matching")
	}
	if err := new(Days).UnmarshalText([]byte("weekdays")); err == nil {
		t.Error("weekdays are read as days")
	}
}
