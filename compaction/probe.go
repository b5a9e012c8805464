package compaction

// Probe is what was verified of a record, and by what. Checkpoints store it.
type Probe struct {
	// Held of Of are the things that the newly replaced turns hold by structure and
	// that the record stated before any repair.
	Held     int `json:"held"`
	Of       int `json:"of"`
	Repaired int `json:"repaired,omitempty"` // lines that were added for the rest
	// Model is of what a model wrote in the record; nil where none did.
	Model *ModelProbe `json:"model,omitempty"`
}

// Coverage is the share that was held, 1 where there was nothing to hold.
func (p *Probe) Coverage() float64 {
	if p.Of == 0 {
		return 1
	}
	return float64(p.Held) / float64(p.Of)
}

// ModelProbe is what was verified of a model's statements. Where some of a record
// were verified at one fold and some at another, it is the worse of both.
type ModelProbe struct {
	Verdict Verdict `json:"verdict"`
	// Score is that of the answers from the statements; 0 where none were asked for.
	Score float64 `json:"score"`
	// Verified of the Written statements another call found supported by their quotes.
	Verified int `json:"verified"`
	Written  int `json:"written"`
	Asked    int `json:"asked,omitempty"` // questions
	// Carried: all this is of statements that an earlier fold verified.
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
