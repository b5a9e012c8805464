package plan

import "testing"

func TestWhatTokensCost(t *testing.T) {
	opus := Prices{Cached: 500, Write: 12_500, Output: 50_000}
	steep := opus
	steep.Cliff = Cliff{Above: 1000, Factor: 20_000}
	for name, c := range map[string]struct{ got, want int }{
		"sent again":                      {opus.Hold(1000), (500 + 288) * 1000},
		"where nothing is known":          {Prices{}.Hold(1000), (1000 + 216) * 1000},
		"up to the cliff":                 {steep.Hold(1000), (500 + 288) * 1000},
		"past it":                         {steep.Hold(1001), 2 * (500 + 288) * 1001},
		"written instead of read":         {opus.Rewrite(100), 1_200_000},
		"written without a fee":           {Prices{}.Rewrite(100), 900_000},
		"fetched again, with a call":      {opus.Refetch(100, 1000), (125 + 50 + 750) * Fresh},
		"fetched, its output not counted": {Prices{}.Refetch(100, 1000), 1_000_000 + 1_000_000},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}

// The interval is where a turn costs least: both shorter and longer ones cost more.
func TestInterval(t *testing.T) {
	const rewritten, growth = 8000, 700
	perTurn := func(p Prices, interval int) float64 {
		return float64(p.Write)*rewritten*growth/float64(interval) +
			float64(p.Hold(interval))/2
	}
	last := 0
	for _, p := range []Prices{
		{Cached: 2500, Write: Fresh}, {Cached: 1000, Write: Fresh}, {Cached: 500, Write: 12_500},
		{Cached: 250, Write: 12_500},
	} {
		at := Interval(p, rewritten, growth)
		if least := perTurn(p, at); least > perTurn(p, at*9/10) || least > perTurn(p, at*11/10) {
			t.Errorf("%+v: %d is not the cheapest interval", p, at)
		}
		if at <= last {
			t.Errorf("%+v: an interval of %d, no more than where cached input costs more", p, at)
		}
		last = at
	}
	if got := Interval(Prices{Cached: 0, Write: Fresh}, rewritten, 0); got <= 0 {
		t.Errorf("free reads give an interval of %d", got)
	}
}
