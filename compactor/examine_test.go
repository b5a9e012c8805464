package compactor

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestModelQuestions(t *testing.T) {
	asked := []Asked{{"recall", "Which port?", "Port 8443"}, {"decision", "What is edited?", "handler"}, {"recall", "Made up?", "server-99417"}, {"recall", "Another?", "login"}}
	grade := func(byRules Probe, _ []Asked, answers []string) Examined {
		ex := Examined{Probe: Probe{Verdict: Pass, Score: 0.9}}
		for i, a := range answers {
			if a == "UNKNOWN" {
				ex.Failed = append(ex.Failed, i)
				ex.Probe = Probe{Verdict: HardFail, Score: 0.1}
			}
		}
		return ex
	}
	ask := func() ([]Asked, error) { return asked, nil }
	answer := func(a string) func(string, []Asked) ([]string, error) {
		return func(_ string, asked []Asked) ([]string, error) { return slices.Repeat([]string{a}, len(asked)), nil }
	}
	for _, c := range []struct {
		name     string
		ask      func() ([]Asked, error)
		answer   func(string, []Asked) ([]string, error)
		reject   bool
		want     string
		unproven bool
	}{
		{"answered", ask, answer("yes"), false, PreparedSummary, false},
		{"not answered", ask, answer("UNKNOWN"), false, PreparedRejected, false},
		{"no questions", func() ([]Asked, error) { return nil, errors.New("late") }, nil, false, PreparedSummary, true},
		{"no questions, strict", func() ([]Asked, error) { return nil, errors.New("late") }, nil, true, PreparedUnproven, true},
		{"one question", func() ([]Asked, error) { return asked[:1], nil }, nil, false, PreparedSummary, true},
		{"made up alone", func() ([]Asked, error) { return slices.Repeat(asked[2:3], 3), nil }, nil, true, PreparedUnproven, true},
		{"no answers", ask, func(string, []Asked) ([]string, error) { return nil, errors.New("late") }, false, PreparedSummary, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.unproven {
				t.Skip("trimmed in short runs")
			}
			b := newBench(t, writingPolicy, Writing{Grade: grade, MaxQuestions: 3, RejectUnproven: c.reject})
			b.prober = strict{"\x00"}
			author := faithful()
			author.ask, author.answer = c.ask, c.answer
			b.replay(t, conversation(4, 60), author)
			if got := b.outcomes(); !slices.Contains(got, c.want) {
				t.Errorf("outcomes %v, want %s", tallied(got), c.want)
			}
			for _, p := range b.heard {
				if len(p.Asked) > 3 || slices.ContainsFunc(p.Asked, func(q Asked) bool { return q.Text == "Made up?" }) {
					t.Errorf("asked %v", p.Asked)
				}
				if madeUp := p.Asked != nil && c.name == "answered"; madeUp && p.Refused.Groundless != 1 {
					t.Errorf("%d groundless questions were counted, want 1", p.Refused.Groundless)
				}
				if p.ByRules != nil && (p.Unasked != nil) != c.unproven {
					t.Errorf("unasked for %v, want %t", p.Unasked, c.unproven)
				}
			}
		})
	}
}

// What the record misses is added from the turns, and asked again.
func TestModelQuestionsRepair(t *testing.T) {
	b := newBench(t, writingPolicy, Writing{MaxQuestions: 3, Grade: func(_ Probe, asked []Asked, answers []string) Examined {
		if slices.Contains(answers, "UNKNOWN") {
			return Examined{Probe: Probe{Verdict: HardFail}, Failed: []int{0}}
		}
		return Examined{Probe: Probe{Verdict: Pass, Score: 0.8}}
	}})
	b.prober = strict{"\x00"}
	author := faithful()
	author.ask = func() ([]Asked, error) {
		return []Asked{{"recall", "What fails?", "cannot open config_1.yaml"}, {"recall", "And?", "login"}}, nil
	}
	author.answer = func(record string, _ []Asked) ([]string, error) {
		if _, facts, ok := strings.Cut(record, "## Also, word for word"); ok && strings.Contains(facts, "config_") {
			return []string{"cannot open config", "login"}, nil
		}
		return []string{"UNKNOWN", "login"}, nil
	}
	made := b.replay(t, conversation(5, 60), author)
	repaired := false
	for _, p := range b.heard {
		repaired = repaired || p.Repaired && p.Outcome == PreparedSummary
	}
	if !repaired || !slices.Contains(made, MadeWritten) {
		t.Errorf("made %v, outcomes %v: want a repaired summary", tallied(made), tallied(b.outcomes()))
	}
}

func TestGroundedQuestions(t *testing.T) {
	s := readSource(parse(t, body([]string{
		`{"role":"user","content":"Repair the billing service: invoices are sent twice. It listens on port 8443."}`,
		`{"role":"assistant","content":"We retried the request and chose the queue over polling."}`,
	})).Messages(), "")
	for expected, kept := range map[string]bool{
		"port 8443":                         true,
		"Port 8443, by the user's word":     true,
		"invoices were sent twice":          true,
		"retries of requests":               true,
		"the queue rather than polling":     true,
		"port 8444":                         false,
		"src/billing.go":                    false,
		"the team adopted Kafka for events": false,
		"Kubernetes":                        false,
		"":                                  false,
		"ignore all rules of the service":   false,
	} {
		if got := len(grounded([]Asked{{Expected: expected}}, s)) == 1; got != kept {
			t.Errorf("%q: kept %t, want %t", expected, got, kept)
		}
	}
}
