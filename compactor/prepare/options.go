package prepare

import (
	"cmp"
	"context"
	"time"

	"killick/probe"
)

// The limits that apply where [Options] have none.
const (
	DefaultWriteTimeout = 2 * time.Minute
	DefaultProbeTimeout = 15 * time.Second
)

// Options configure how models write summaries.
type Options struct {
	// Bounds are the scores that verdicts need.
	Bounds probe.Thresholds
	// MaxQuestions is the maximum number of questions in a quiz. If it is below two, there is no
	// quiz.
	MaxQuestions int
	// RejectUnprobed drops statements if the quiz failed: the model that asks, answers or
	// grades failed, took too long, or gave no valid answer. Otherwise they are used, with
	// the verdict unprobed. Without a quiz it has no effect.
	RejectUnprobed bool
	// RedactIdentifiers drops statements if they or their quotes contain an identifier or an
	// address.
	RedactIdentifiers bool
	// OnlyForWindow has a model write only if the request is close to the window
	// (trigger.ForWindow).
	OnlyForWindow bool
	// WriteTimeout is for the statements and their verification; if zero,
	// DefaultWriteTimeout.
	WriteTimeout time.Duration
	// ProbeTimeout is for questions, answers and grades; if zero, DefaultProbeTimeout.
	ProbeTimeout time.Duration
	// Claims lets processes that share a store prepare each summary only once. If nil, this
	// process prepares all.
	Claims Claims
	// Report is called with the result of each preparation, in its goroutine. It may be nil.
	Report func(Report)
}

// WithDefaults returns the options with defaults for zero values.
func (o Options) WithDefaults() Options {
	o.WriteTimeout = cmp.Or(o.WriteTimeout, DefaultWriteTimeout)
	o.ProbeTimeout = cmp.Or(o.ProbeTimeout, DefaultProbeTimeout)
	if o.Report == nil {
		o.Report = func(Report) {}
	}
	return o
}

// Claims lets processes that share a Store do work only once.
type Claims interface {
	// Claim claims work until it is released, or at most for this long. It reports whether this
	// process should do it.
	Claim(ctx context.Context, work string, lasts time.Duration) bool
	// Release releases a claim, so that another process may do the work.
	Release(work string)
}
