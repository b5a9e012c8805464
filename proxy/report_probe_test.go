package proxy

import (
	"testing"

	"killick/compaction"
)

// What nobody counted or asked is not reported.
func TestProbesReportWhatWasVerified(t *testing.T) {
	if got := probeText(&compaction.Outcome{}); got != "" {
		t.Errorf("nothing was verified: %q", got)
	}
	by := compaction.Outcome{Provider: true, Probe: &compaction.Probe{Held: 1, Of: 1}}
	if got := probeText(&by); got != "coverage=1.00; repaired=0; provider=unverified" {
		t.Errorf("a summary of the provider's beside a record: %q", got)
	}
	for want, p := range map[string]compaction.Probe{
		"":                          {},
		"coverage=0.97; repaired=1": {Held: 97, Of: 100, Repaired: 1},
		"coverage=0.97; repaired=1; model=0.83; verdict=pass; verified=14/16; asked=3": {Held: 97,
			Of: 100, Repaired: 1,
			Model: &compaction.ModelProbe{Verdict: "pass", Score: 0.83, Verified: 14, Written: 16,
				Asked: 3}},
		"verdict=unprobed; verified=2/5; asked=0; carried": {Model: &compaction.ModelProbe{
			Verdict: "unprobed", Verified: 2, Written: 5, Carried: true}},
	} {
		if got := probeText(&compaction.Outcome{Probe: &p}); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
