package prepare

import (
	"time"

	"killick/compaction"
	"killick/probe"
	"killick/summary"
)

// Outcomes of a preparation.
const (
	Prepared           = "prepared"            // what was to be written is ready
	MasksSuffice       = "masks_suffice"       // no summary is needed
	NothingToGain      = "nothing_to_gain"     // the conversation is exhausted
	WouldNotPay        = "would_not_pay"       // not yet
	RejectedProbe      = "rejected_probe"      // the answers from the statements were wrong
	RejectedUnprobed   = "rejected_unprobed"   // they could not be quizzed
	RejectedUnverified = "rejected_unverified" // the call that verifies failed
	RejectedEmpty      = "rejected_empty"      // none of the statements can be used
	RejectedCredential = "rejected_credential" // the provider's summary holds one
	RejectedInvalid    = "rejected_invalid"    // the record would not be valid
	ModelFailed        = "model_failed"        // nothing was written
	NotOffered         = "not_offered"         // the API writes no summary of such turns
	NotStored          = "not_stored"          // the store failed
	Second             = "second"              // another one was stored first
	Elsewhere          = "elsewhere"           // another process has taken it on
	Cancelled          = "cancelled"           // the engine closes, or the client's data is deleted
	Panic              = "panic"
)

// Report is what became of one summary that was prepared in the background. What it
// quotes of the conversation is for debug dumps alone.
type Report struct {
	Outcome  string
	Form     string // how the statements were got; "" without any
	Err      error  // why not, where it did not work; it quotes nothing
	Duration time.Duration
	Folded   int                    // messages that the summary replaces
	Probe    *compaction.ModelProbe // nil where no statement was verified
	Unasked  error                  // why they were not quizzed, where they should have been
	WhenSent int                    // messages of the conversation

	Written   []probe.Statement
	Dropped   []probe.Drop             // of them
	Kept      []summary.Statement      // what is used of them
	Refused   []probe.RejectedQuestion // questions
	Questions *probe.Report            // with answers and scores; nil where none were asked
	Record    string                   // by structure, with the messages that stay beside it
}
