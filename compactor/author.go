package compactor

import (
	"context"
	"time"

	"killick/chat"
)

// Author is one conversation's way to a model. What it gives is never trusted:
// it is held against the turns and probed before it replaces anything. It is
// used from a goroutine of its own, after the request that it came with, and let
// go when that is done.
type Author interface {
	// Write asks for the prose of a summary of turns; soFar is what is recorded of
	// the turns before them. sent is the body that was last forwarded for the
	// conversation, nil if there is none to append to.
	Write(ctx context.Context, sent []byte, turns []chat.Message, soFar string) (Written, error)
	// Ask asks for at most so many questions about the replaced messages.
	Ask(ctx context.Context, sent []byte, replaced []chat.Message, most int) ([]Asked, error)
	// Answer asks for the answers to the questions from a record alone.
	Answer(ctx context.Context, sent []byte, record string, asked []Asked) ([]string, error)
}

// Written is what a model wrote.
type Written struct {
	Prose Prose
	Form  string // how it was got: structured, corrected or prose
}

// Asked is a question that a model wrote, with the answer that it expects.
type Asked struct {
	Category string `json:"category"`
	Text     string `json:"question"`
	Expected string `json:"expected"`
}

// Examined is what came of asking a model from the record alone.
type Examined struct {
	Probe  Probe     // together with the probe by rules
	Scores []float64 // of the answers
	Failed []int     // the questions that the record did not answer
}

// Writing says how summaries are written by models.
type Writing struct {
	// Contradictions returns what tells whether an entry contradicts the messages.
	// If nil, nothing does.
	Contradictions func(replaced []chat.Message) func(entry string) bool
	// Exam returns what finds the faults of statements about the messages: the
	// places of those that name what stands nowhere in them, and of those that say
	// the opposite of what does. Statements that begin with "#" are headings. If
	// nil, nothing does.
	Exam func(replaced []chat.Message) func(statements []string) (invented, turned []int)
	// Grade judges the answers, together with the probe by rules. If nil, models
	// are asked no questions.
	Grade func(byRules Probe, asked []Asked, answers []string) Examined
	// MaxQuestions is the most questions that a model is asked. Under two, none.
	MaxQuestions int
	// RejectUnproven drops a summary whose questions could not be asked. Else it is
	// used, proven by rules alone.
	RejectUnproven bool
	WriteTimeout   time.Duration // for the prose; if zero, two minutes
	ProbeTimeout   time.Duration // for questions and answers; if zero, 15 seconds
	MaxWait        time.Duration // a request that overflows its window waits so long at most; if zero, not at all
	// Report hears what became of each preparation. It is called from the
	// goroutine that prepared. If nil, nobody hears.
	Report func(Preparation)
}

// Outcomes of a preparation.
const (
	PreparedSummary   = "prepared"         // what a model told is ready
	PreparedMasks     = "masks_suffice"    // no summary is needed
	PreparedNothing   = "nothing_to_gain"  // the conversation is exhausted
	PreparedUnworthy  = "would_not_pay"    // not yet
	PreparedRejected  = "rejected_probe"   // it did not hold what it was to replace
	PreparedUnproven  = "rejected_unasked" // its questions could not be asked
	PreparedEmpty     = "rejected_empty"   // nothing of the prose could be taken
	PreparedMalformed = "rejected_invalid" // it was not a valid record
	PreparedFailed    = "model_failed"     // there is no prose
	PreparedLost      = "not_stored"       // the store failed
	PreparedSecond    = "second"           // another one was stored first
	PreparedCancelled = "cancelled"        // Close was called, or the conversation is to be forgotten
	PreparedPanic     = "panic"
)

// Preparation is what became of one summary that was prepared in the
// background. What it quotes of the conversation is for debug dumps alone.
type Preparation struct {
	Outcome  string
	Form     string // how the prose was got; "" without any
	Err      error  // why not, where it did not work; it quotes nothing
	Duration time.Duration
	Folded   int // messages that the summary replaces
	Refused  Refused
	Probe    *Probe // nil if it came to none
	Unasked  error  // why a model was not asked questions, where it should have been
	Repaired bool   // lines were added for what the model's questions missed

	Written  Prose
	Summary  *Summary // as the rules would make it
	Account  *Account // what is taken of Written
	Record   string
	Asked    []Asked
	Answers  []string
	Scores   []float64
	Repairs  []string
	ByRules  *Probe
	WhenSent int // messages of the conversation
}

func (w Writing) withDefaults() Writing {
	setDefault(&w.WriteTimeout, 2*time.Minute)
	setDefault(&w.ProbeTimeout, 15*time.Second)
	if w.Report == nil {
		w.Report = func(Preparation) {}
	}
	return w
}
