package compaction

// Probe is what was verified of a record, and by what. Checkpoints store it.
type Probe struct {
	// Of is the number of structured facts in the newly replaced turns; Held of them were in the
	// record before it was repaired.
	Held     int `json:"held"`
	Of       int `json:"of"`
	Repaired int `json:"repaired,omitempty"` // lines that were added for the rest
	// Model is about the statements of a model in the record; nil if it has none.
	Model *ModelProbe `json:"model,omitempty"`
}

// Coverage returns the share of the facts that the record had, 1 if there were none.
func (p *Probe) Coverage() float64 {
	if p.Of == 0 {
		return 1
	}
	return float64(p.Held) / float64(p.Of)
}

// ModelProbe is what was verified of a model's statements. If those of one record were verified at
// several folds, it is the worst of them.
type ModelProbe struct {
	Verdict Verdict `json:"verdict"`
	// Score is the score of the quiz; 0 if no question was asked.
	Score float64 `json:"score"`
	// Written is the number of statements that a model wrote; for Verified of them, another call
	// found that their quotes support them.
	Verified int `json:"verified"`
	Written  int `json:"written"`
	Asked    int `json:"asked,omitempty"` // questions
	// Carried: all statements are from earlier folds, which verified them.
	Carried bool `json:"carried,omitempty"`
}

// Verdict is the result of a quiz about what a model wrote.
type Verdict string

// The verdicts.
const (
	Pass     Verdict = "pass"
	SoftFail Verdict = "soft_fail"
	HardFail Verdict = "hard_fail"
	Unprobed Verdict = "unprobed" // no question could be asked or graded
)
