package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		text   string
		of100k int
		err    string // part of it
	}{
		{text: "0.6", of100k: 60000},
		{text: "1", of100k: 100000},
		{text: "1.0", of100k: 100000},
		{text: "1000", of100k: 1000},
		{text: "32_000", of100k: 32000},
		{text: "3.2e4", of100k: 32000},
		{text: "500", err: "500 is neither a fraction (0 < x ≤ 1) nor a token count (≥ 1000)"},
		{text: "999", err: "nor a token count (≥ 1000)"},
		{text: "1.5", err: "for 1.5% write 0.015"},
		{text: "60", err: "for 60% write 0.6"},
		{text: "60%", err: "for 60% write 0.6"},
		{text: "32k", err: "; write 32000"},
		{text: "1M", err: "; write 1000000"},
		{text: "32,000", err: "; write 32000"},
		{text: "1 000 000", err: "; write 1000000"},
		{text: "1000.5", err: "neither"},
		{text: "0", err: "neither"},
		{text: "-0.5", err: "neither"},
		{text: "NaN", err: "neither"},
		{text: ".inf", err: "neither"},
		{text: "1e300", err: "neither"},
		{text: "", err: "neither"},
		{text: "much", err: "neither"},
	} {
		var a Amount
		err := a.UnmarshalText([]byte(c.text))
		if got := fmt.Sprint(err); c.err != "" && !strings.Contains(got, c.err) || c.err == "" &&
			err != nil {
			t.Errorf("%q: error %q, want one that says %q", c.text, got, c.err)
		}
		if err == nil && a.Of(100000) != c.of100k {
			t.Errorf("%q of 100000 is %d, want %d", c.text, a.Of(100000), c.of100k)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"64MiB": 64 << 20, "64 mib": 64 << 20, "10MB": 10e6, "1GiB": 1 << 30, "2048": 2048,
		"12b": 12, "3KB": 3000, "3KiB": 3072,
		"": -1, "-1": -1, "1.5MiB": -1, "MiB": -1, "9999999999GiB": -1, "12 parsecs": -1,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d bytes, want %d", text, got, want)
		}
		var again Size
		if want > 0 && (again.UnmarshalText([]byte(want.String())) != nil || again != want) {
			t.Errorf("%d prints as %s, which reads as %d", want, want, again)
		}
	}
}

// A header that many clients send with the same value is rejected: they would count as one client.
func TestIsolationByAHeaderThatIsShared(t *testing.T) {
	for header, ok := range map[string]bool{
		"X-Tenant": true, "Authorization": true, "x-team-id": true,
		"User-Agent": false, "content-type": false, "Host": false, "Anthropic-Version": false,
	} {
		var i Isolation
		if err := i.UnmarshalText([]byte("header:" + header)); (err == nil) != ok {
			t.Errorf("%s: got %v, want it taken: %t", header, err, ok)
		}
	}
}

func TestBudget(t *testing.T) {
	for _, c := range []struct {
		trigger, target                          Amount
		window, reserve, wantTrigger, wantTarget int
	}{
		{0.6, 0.35, 100000, 10000, 60000, 35000},
		{32000, 16000, 400000, 32000, 32000, 16000},
		{0.95, 0.35, 100000, 10000, 90000, 33157},
		{32000, 0.5, 400000, 32000, 32000, 28800},
		{32000, 16000, 8000, 1000, 7000, 3500},
	} {
		compaction := Compaction{Trigger: c.trigger, Target: c.target}
		trigger, target := compaction.Budget(c.window, c.reserve)
		if trigger != c.wantTrigger || target != c.wantTarget {
			t.Errorf("%s and %s of %d less %d: %d and %d, want %d and %d", c.trigger, c.target,
				c.window, c.reserve,
				trigger, target, c.wantTrigger, c.wantTarget)
		}
	}
}
