package probe

import "testing"

// asked makes an answered question as a model writes it.
func asked(c Category, expected, actual string) QA {
	return QA{Question: Question{Category: c, Expected: expected}, Actual: actual}
}

func TestScoreAnswersByType(t *testing.T) {
	for _, tt := range []struct {
		category         Category
		expected, actual string
		kind             Kind
		band             string
		contradicted     bool
	}{
		{Recall, "8080", "8080", Number, right, false},
		{Recall, "8080", "The backend listens on port 8080.", Number, right, false},
		{Recall, "8080", "443", Number, wrong, false},
		{Recall, "port 8080", "It is port 443", Prose, wrong, true},
		{Recall, "8080", "either 8080 or 443", Number, partial, false},
		{Recall, "8080", "8080, for http and websockets", Number, right, false},
		{Recall, "30s", "30 seconds", Number, right, false},
		{Recall, "v1.2.3", "1.2.4", Version, wrong, false},
		{Recall, "https://example.com/v1", "The base URL is https://example.com/v1", URL, right, false},
		{Artifact, "src/main/auth.go", "src/main/auth.go", Path, right, false},
		{Artifact, "src/main/auth.go", "main/auth.go was edited", Path, right, false},
		{Artifact, "src/main/auth.go", "src/test/auth.go", Path, wrong, false},
		{Artifact, "src/main/auth.go", "n/a", Path, wrong, false},
		{Artifact, "a.go and b.go", "`a.go`, `b.go`", Prose, right, false},
		{Artifact, "pkg/a.go, pkg/b.go", "pkg/a.go", Prose, partial, false},
		{Recall, "Never push to main", "Pushing to main is never allowed.", Rule, right, false},
		{Recall, "Never push to main", "Push to main.", Rule, wrong, true},
		{Recall, "Never push to main", "UNKNOWN", Rule, wrong, false},
		{Recall, "Always run gofmt before a commit", "Run gofmt before each commit, always", Rule, right, false},
		{Decision, "SQLite instead of PostgreSQL", "SQLite was chosen over PostgreSQL", Choice, right, false},
		{Decision, "SQLite instead of PostgreSQL", "PostgreSQL was chosen over SQLite", Choice, wrong, true},
		{Continuation, "write the migration for the orders table", "Next: the orders table's migration must be written", Prose, right, false},
		{Continuation, "write the migration for the orders table", "The login page was restyled", Prose, wrong, false},
		{Recall, "yes", "Yes, since the last release.", Prose, right, false},
		{Recall, "no", "Yes", Prose, wrong, true},
		{Recall, "unknown host", "The unknown host error", Prose, right, false},
		{Recall, "the retry limit", "The summary does not mention it.", Prose, wrong, false},
		{Recall, "the retry limit", "", Prose, wrong, false},
	} {
		r := ScoreAnswers([]QA{asked(tt.category, tt.expected, tt.actual)}, Config{})
		a := r.Answers[0]
		if a.Kind != tt.kind {
			t.Errorf("%q is compared as %s, want %s", tt.expected, a.Kind, tt.kind)
		}
		if bandOf(a.Score) != tt.band || a.Contradicted != tt.contradicted {
			t.Errorf("%q answered by %q (%s): %.2f, contradicted %t; want %s, %t", tt.expected, tt.actual, a.Kind, a.Score, a.Contradicted, tt.band, tt.contradicted)
		}
	}
}

func TestScoreAnswersVerdicts(t *testing.T) {
	right, lost := asked(Recall, "8080", "8080"), asked(Recall, "8080", "UNKNOWN")
	decision := asked(Decision, "Use SQLite", "UNKNOWN")
	critical := lost
	critical.Critical = true
	weighted := lost
	weighted.Weight = 3
	for _, tt := range []struct {
		name    string
		qas     []QA
		cfg     Config
		verdict Verdict
		score   float64
		vetoed  bool
	}{
		{"nothing asked", nil, Config{}, Pass, 1, false},
		{"all right", []QA{right, right}, Config{}, Pass, 1, false},
		{"one of two lost", []QA{right, lost}, Config{}, SoftFail, 0.5, false},
		{"a decision weighs more", []QA{right, decision}, Config{}, SoftFail, 1 / 2.2, false},
		{"weights of the operator", []QA{right, decision}, Config{Weights: Weights{Decision: 3}}, HardFail, 0.25, false},
		{"a weight of its own", []QA{right, weighted}, Config{}, HardFail, 0.25, false},
		{"a critical one vetoes the mean", []QA{right, right, right, right, critical}, Config{}, HardFail, 0.8, true},
		{"so does a rule turned round", []QA{right, right, right, right, asked(Recall, "Never push to main", "Push to main")}, Config{}, HardFail, 0.8, true},
		{"own bounds", []QA{right, lost}, Config{Threshold: 0.5, HardFail: 0.2}, Pass, 0.5, false},
	} {
		r := ScoreAnswers(tt.qas, tt.cfg)
		if r.Verdict != tt.verdict || r.Vetoed != tt.vetoed || r.Score < tt.score-0.001 || r.Score > tt.score+0.001 {
			t.Errorf("%s: %s, %.3f, vetoed %t; want %s, %.3f, %t", tt.name, r.Verdict, r.Score, r.Vetoed, tt.verdict, tt.score, tt.vetoed)
		}
	}
}
