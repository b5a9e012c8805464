package prepare

import (
	"time"

	"killick/compactor/settings"
	"killick/probe"
)

// The limits that apply where [Options] have none.
const (
	DefaultWriteTimeout = 2 * time.Minute
	DefaultProbeTimeout = 15 * time.Second
)

// Options say how summaries are written by models.
type Options struct {
	// Bounds are the scores that verdicts need.
	Bounds probe.Thresholds
	// MaxQuestions is the most questions that a model is asked. Under two, none.
	MaxQuestions int
	// RejectUnprobed drops statements that could not be quizzed: the model that asks,
	// answers or grades failed, took too long, or did not answer in the form asked for.
	// Else they are used, with the verdict unprobed. It has no effect where no questions
	// are to be asked (MaxQuestions).
	RejectUnprobed bool
	// RedactIdentifiers drops statements that hold an identifier or an address, or whose
	// quotes do.
	RedactIdentifiers bool
	// OnlyForWindow has a model write only where the record may not fit the window
	// otherwise (trigger.ForWindow).
	OnlyForWindow bool
	// WriteTimeout is for the statements and their verification; if zero,
	// DefaultWriteTimeout.
	WriteTimeout time.Duration
	// ProbeTimeout is for questions, answers and grades; if zero, DefaultProbeTimeout.
	ProbeTimeout time.Duration
	// Claims has summaries written once by all processes that share a store; if nil, this one
	// writes all.
	Claims Claims
	// Report is called with what became of each preparation, from the goroutine that
	// prepared. If nil, nobody is called.
	Report func(Report)
}

// WithDefaults returns the options with what they leave out.
func (o Options) WithDefaults() Options {
	settings.SetDefault(&o.WriteTimeout, DefaultWriteTimeout)
	settings.SetDefault(&o.ProbeTimeout, DefaultProbeTimeout)
	if o.Report == nil {
		o.Report = func(Report) {}
	}
	return o
}
