package compactor

// Result is what became of a request.
type Result struct {
	Body      []byte // to forward: the original itself, or one with masks and a record
	Raw, Sent int    // tokens of the request as it came and of Body
	Masked    bool   // Body has masked outputs
	Folded    bool   // Body has a record in place of old turns
	Reused    bool   // the form was known: nothing was made for this request
	Refetched int    // calls of the newest turn that fetch again what was hidden from the model
	Probe     *Probe // of the record in Body
	Report    string // the handle of the report of the form in Body; "" where it has no record
	Dropped   []Dropped
	Reason    string   // why Body is what it is, in fixed words
	Made      []string // what was tried for this request, in fixed words: the outcomes below
	Plans     []Plan   // the decisions that were made for this request
	FailOpens []FailOpen
	// After, if not nil, is to be called once when the request has been answered:
	// true if the upstream took it. Then the next form is prepared.
	After func(ok bool)
}

// Outcomes of a compaction that was tried.
const (
	MadeMask      = "mask"
	MadeSummary   = "summary"
	MadeWritten   = "summary_by_model"
	MadeNothing   = "nothing_to_gain"
	MadeRejected  = "rejected_coverage" // the record held too little of what it was to replace
	MadeUnproven  = "summary_unproven"  // it held too little, and nothing else would fit the window
	MadeMalformed = "rejected_invalid"
	MadePinsLost  = "rejected_pins" // what the operator pinned would not fit the record
)

// Reasons of a Result.
const (
	ReasonFits      = "under the trigger"
	ReasonCompacted = "over the trigger"
	ReasonNoGain    = "over the trigger, nothing worthwhile to gain"
	ReasonShortened = "oversized outputs shortened on arrival"
	ReasonOverflow  = "refused by the upstream as too long"
	ReasonOwn       = "the client's own compaction request"
)

// FailOpen is a fault that cost a compaction or its storage, never the request.
type FailOpen struct {
	Reason string // a fixed word for counters
	Err    error
}
