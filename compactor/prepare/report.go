package prepare

import (
	"time"

	"killick/compaction"
	"killick/probe"
	"killick/summary"
)

// Outcomes of a preparation.
const (
	Prepared           = "prepared"            // the statements or the summary are stored
	MasksSuffice       = "masks_suffice"       // masking is enough: no summary is needed
	NothingToGain      = "nothing_to_gain"     // a fold would not save enough
	WouldNotPay        = "would_not_pay"       // a fold would cost more than it saves, so far
	RejectedProbe      = "rejected_probe"      // the quiz ended in a hard fail
	RejectedUnprobed   = "rejected_unprobed"   // the quiz failed
	RejectedUnverified = "rejected_unverified" // the call that verifies failed
	RejectedVerifier   = "rejected_verifier"   // the verifier failed a control
	RejectedEmpty      = "rejected_empty"      // no statement can be used
	RejectedCredential = "rejected_credential" // the provider's summary contains a credential
	RejectedInvalid    = "rejected_invalid"    // the record or the summary is not valid
	ModelFailed        = "model_failed"        // the call that writes failed
	NotOffered         = "not_offered"         // the API writes no summary of such turns
	NotStored          = "not_stored"          // the store failed
	Second             = "second"              // another one was stored first
	Elsewhere          = "elsewhere"           // another process prepares it
	Cancelled          = "cancelled"           // the engine closes, or the client's data is deleted
	Panic              = "panic"
)

// Report is the result of one preparation. Its quotes of the conversation are for debug dumps
// only.
type Report struct {
	Outcome  string
	Form     string // as in Written, or FormProvider; "" if nothing was written
	Err      error  // the cause of the outcome, if it is a failure; it quotes nothing
	Duration time.Duration
	Folded   int                    // messages that the summary replaces
	Probe    *compaction.ModelProbe // nil if no statement was verified
	Unasked  error                  // why the quiz failed; nil if it did not
	WhenSent int                    // messages of the conversation

	Written   []probe.Statement
	Dropped   []probe.Drop             // statements that are not used
	Kept      []summary.Statement      // statements that are used
	Refused   []probe.RejectedQuestion // questions that are not used
	Questions *probe.Report            // with answers and scores; nil if none were asked
	Record    string                   // made by rules, with the messages that are kept
}
