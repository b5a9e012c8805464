package probe

import (
	"slices"
	"strings"
	"testing"
)

// rank orders reports as verdicts do: a veto is below any mean.
func rank(r Report) float64 {
	switch {
	case r.Vetoed:
		return r.Score - 1
	case r.Contradicted > 0:
		return r.Score - 0.5
	}
	return r.Score
}

// everyOther keeps the lines of one parity, at most half of all.
func everyOther(summary string, parity int) string {
	lines := strings.Split(strings.TrimSpace(summary), "\n")
	var kept []string
	for i, line := range lines {
		if i%2 == parity && len(kept) < len(lines)/2 {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// auc is the probability that a good one ranks above a bad one.
func auc(good, bad []float64) float64 {
	wins := 0.0
	for _, g := range good {
		for _, b := range bad {
			switch {
			case g > b:
				wins++
			case g == b:
				wins += 0.5
			}
		}
	}
	return wins / float64(len(good)*len(bad))
}

func TestDiscrimination(t *testing.T) {
	var faithful, forgetful, meansGood, meansBad, contradicting []float64
	for _, sc := range slices.Concat(scenarios, moreScenarios, lateScenarios) {
		t.Run(sc.name, func(t *testing.T) {
			questions := Draw(script(t, sc.talk), Config{})
			for _, summary := range []string{sc.quoting, sc.telling} {
				r := Ask(questions, summary, Config{})
				if r.Verdict != Pass {
					t.Errorf("faithful summary: %s, score %.2f, %d contradictions\n%s", r.Verdict, r.Score, r.Contradicted, failed(r))
				}
				faithful, meansGood = append(faithful, rank(r)), append(meansGood, r.Score)
				for parity := range 2 {
					r := Ask(questions, everyOther(summary, parity), Config{})
					if r.Verdict == Pass {
						t.Errorf("summary without half of its facts (%d) passes with %.2f", parity, r.Score)
					}
					forgetful, meansBad = append(forgetful, rank(r)), append(meansBad, r.Score)
				}
			}
			for _, twist := range sc.twists {
				twisted := 0
				for _, summary := range []string{sc.quoting, sc.telling} {
					if !strings.Contains(summary, twist[0]) {
						continue
					}
					twisted++
					r := Ask(questions, strings.ReplaceAll(summary, twist[0], twist[1]), Config{})
					if r.Verdict != HardFail {
						t.Errorf("%q for %q: %s, want a hard fail\n%s", twist[1], twist[0], r.Verdict, told(r))
					}
					contradicting = append(contradicting, rank(r))
				}
				if twisted == 0 {
					t.Errorf("no summary holds %q", twist[0])
				}
			}
		})
	}
	for _, tt := range []struct {
		name      string
		good, bad []float64
	}{
		{"faithful over forgetful, by mean alone", meansGood, meansBad},
		{"faithful over forgetful", faithful, forgetful},
		{"faithful over contradicting", faithful, contradicting},
		{"faithful over all", faithful, slices.Concat(forgetful, contradicting)},
	} {
		got := auc(tt.good, tt.bad)
		t.Logf("%s: AUC %.3f over %d and %d summaries", tt.name, got, len(tt.good), len(tt.bad))
		if got < 0.95 {
			t.Errorf("%s: AUC %.3f, want at least 0.95", tt.name, got)
		}
	}
}

func failed(r Report) string {
	var b strings.Builder
	for _, a := range r.Answers {
		if a.Score < DefaultThreshold || a.Contradicted {
			b.WriteString(line(a))
		}
	}
	return b.String()
}

func told(r Report) string {
	var b strings.Builder
	for _, a := range r.Answers {
		b.WriteString(line(a))
	}
	return b.String()
}
