package prepare

import (
	"context"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/settings"
	"killick/probe"
	"killick/summary"
)

// The limits that stand where [Options] have none.
const (
	DefaultWriteTimeout = 2 * time.Minute
	DefaultProbeTimeout = 15 * time.Second
)

// Author is one conversation's way to a model. What it gives is never trusted:
// statements are held against the turns, verified and probed before they are used.
// It is used from a goroutine of its own, after the request that it came with, and
// released when that is done.
type Author interface {
	// Write asks for statements about turns; soFar is what is recorded of the turns
	// before them. sent is the body that was last forwarded for the conversation, nil
	// if there is none to append to.
	Write(ctx context.Context, sent []byte, turns Turns, soFar string) (Written, error)
	// Verify asks of each statement whether its quotes support it. It shows the
	// statements and their quotes, and nothing else.
	Verify(ctx context.Context, sent []byte, statements []probe.Statement) ([]probe.Support, error)
	// Ask asks for at most so many questions about the turns.
	Ask(ctx context.Context, sent []byte, turns Turns, most int) ([]probe.Question, error)
	// Answer asks for the answers to the questions from an account by a model and from
	// what stands beside it, marked apart: the record and the messages that stay.
	Answer(ctx context.Context, sent []byte, account, record string, asked []probe.Question) ([]string, error)
	// Grade asks how well answers in other words agree with what was expected.
	Grade(ctx context.Context, sent []byte, answers []probe.Answered) ([]float64, error)
}

// Turns are messages of a conversation, the first of them of a number.
type Turns struct {
	Messages []chat.Message
	First    int
}

// Written is what a model wrote.
type Written struct {
	Statements []probe.Statement
	Form       string // how it was got: structured or corrected
}

// Writing says how summaries are written by models.
type Options struct {
	// Bounds are the scores that verdicts need.
	Bounds probe.Thresholds
	// MaxQuestions is the most questions that a model is asked. Under two, none.
	MaxQuestions int
	// RejectUnprobed drops statements that could not be probed: the model that asks,
	// answers or grades failed, took too long, or talked nonsense. Else they are used,
	// with the verdict unprobed. Where none are to be asked (MaxQuestions) it says
	// nothing.
	RejectUnprobed bool
	// RedactIdentifiers drops statements in which, or in whose quotes, an identifier
	// or an address stands.
	RedactIdentifiers bool
	// OnlyForWindow has a model write only where the record may not fit the window
	// otherwise: where the request is past the window less the target.
	OnlyForWindow bool
	WriteTimeout  time.Duration // for the statements and their verification; if zero, DefaultWriteTimeout
	ProbeTimeout  time.Duration // for questions, answers and grades; if zero, DefaultProbeTimeout
	// Report is called with what became of each preparation, from the goroutine that
	// prepared. If nil, nobody is told.
	Report func(Report)
}

// Outcomes of a preparation.
const (
	Prepared           = "prepared"            // statements of a model are ready
	MasksSuffice       = "masks_suffice"       // no summary is needed
	NothingToGain      = "nothing_to_gain"     // the conversation is exhausted
	WouldNotPay        = "would_not_pay"       // not yet
	RejectedProbe      = "rejected_probe"      // the answers from the statements were wrong
	RejectedUnprobed   = "rejected_unprobed"   // they could not be probed
	RejectedUnverified = "rejected_unverified" // the call that verifies failed
	RejectedEmpty      = "rejected_empty"      // none of the statements could be taken
	RejectedInvalid    = "rejected_invalid"    // the record would not be valid
	ModelFailed        = "model_failed"        // there are no statements
	NotStored          = "not_stored"          // the store failed
	Second             = "second"              // another one was stored first
	Cancelled          = "cancelled"           // Close was called, or the conversation is to be forgotten
	Panic              = "panic"
)

// Preparation is what became of one summary that was prepared in the
// background. What it quotes of the conversation is for debug dumps alone.
type Report struct {
	Outcome  string
	Form     string // how the statements were got; "" without any
	Err      error  // why not, where it did not work; it quotes nothing
	Duration time.Duration
	Folded   int                    // messages that the summary replaces
	Probe    *compaction.ModelProbe // nil if it came to none
	Unasked  error                  // why they were not probed, where they should have been
	WhenSent int                    // messages of the conversation

	Written   []probe.Statement
	Dropped   []probe.Drop             // of them
	Kept      []summary.Statement      // what is used of them
	Refused   []probe.RejectedQuestion // questions
	Questions *probe.Report            // with answers and scores; nil where none were asked
	Record    string                   // by structure, with the messages that stay beside it
}

func (w Options) WithDefaults() Options {
	settings.SetDefault(&w.WriteTimeout, DefaultWriteTimeout)
	settings.SetDefault(&w.ProbeTimeout, DefaultProbeTimeout)
	if w.Report == nil {
		w.Report = func(Report) {}
	}
	return w
}
