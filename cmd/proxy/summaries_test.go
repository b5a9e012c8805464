package main

import (
	"testing"

	"killick/chat"
	"killick/compactor"
)

// The mean of both probes is held against both bounds, which belong to the better
// side.
func TestGradeOfBothProbes(t *testing.T) {
	c := Default()
	s := &summaries{config: &c, probes: c.Probe.rules()}
	asked := []compactor.Asked{{Category: "recall", Text: "Which port?", Expected: "8443"}, {Category: "recall", Text: "Which file?", Expected: "src/auth.go"}}
	both, half, none := []string{"8443", "src/auth.go"}, []string{"8443", "UNKNOWN"}, []string{"UNKNOWN", "UNKNOWN"}
	for _, tt := range []struct {
		rules   float64
		verdict compactor.Verdict
		answers []string
		score   float64
		want    compactor.Verdict
		failed  int
	}{
		{1, compactor.Pass, both, 1, compactor.Pass, 0},
		{0.7, compactor.Pass, half, 0.6, compactor.Pass, 1},
		{0.698, compactor.Pass, half, 0.599, compactor.SoftFail, 1},
		{0.7, compactor.Pass, none, 0.35, compactor.SoftFail, 2},
		{0.698, compactor.Pass, none, 0.349, compactor.HardFail, 2},
		{0.2, compactor.SoftFail, both, 0.6, compactor.SoftFail, 0}, // what rules found wrong stays wrong
		{1, compactor.HardFail, both, 1, compactor.HardFail, 0},
	} {
		got := s.grade(compactor.Probe{Verdict: tt.verdict, Score: tt.rules}, asked, tt.answers)
		if d := got.Probe.Score - tt.score; got.Probe.Verdict != tt.want || d > 1e-9 || d < -1e-9 || len(got.Failed) != tt.failed {
			t.Errorf("rules %s %.3f, answers %q: %s %.3f, %d failed; want %s %.3f, %d", tt.verdict, tt.rules, tt.answers,
				got.Probe.Verdict, got.Probe.Score, len(got.Failed), tt.want, tt.score, tt.failed)
		}
	}
}

// What the model's questions found wrong keeps a record from passing, however good
// the mean is.
func TestGradeOfContradictions(t *testing.T) {
	c := Default()
	s := &summaries{config: &c, probes: c.Probe.rules()}
	asked := []compactor.Asked{{Category: "recall", Text: "Which rule?", Expected: "Never push to main"}, {Category: "recall", Text: "Which port?", Expected: "8443"}}
	got := s.grade(compactor.Probe{Verdict: compactor.Pass, Score: 1}, asked, []string{"Always push to main", "8443"})
	if got.Probe.Verdict != compactor.SoftFail || got.Probe.Score < c.Probe.Threshold {
		t.Errorf("%s with %.2f, want a soft fail in spite of its score", got.Probe.Verdict, got.Probe.Score)
	}
}

// The exam tells which statements of a model the replaced messages do not bear
// out.
func TestExamOfStatements(t *testing.T) {
	c := Default()
	s := &summaries{config: &c, probes: c.Probe.rules()}
	var msgs []chat.Message
	for _, raw := range billing(6)[1:] {
		m, err := chat.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	exam := s.exam(msgs)
	invented, turned := exam([]string{
		"# Told", "The billing service sends invoices twice and listens on port 8443.", "The user allows to touch db/migrations.",
		"# Completed", "Read internal/billing/step_2.go.", "Read internal/billing/old/step_2.go.", "The cache holds 41 MB.",
	})
	if len(invented) != 2 || invented[0] != 5 || invented[1] != 6 || len(turned) != 1 || turned[0] != 2 {
		t.Errorf("invented %v, turned %v", invented, turned)
	}
}
