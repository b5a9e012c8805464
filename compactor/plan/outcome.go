package plan

// Option is a form that a request can be given, or the one that it has.
type Option struct {
	Outcome   string // Stay: the present form; else Mask or one of the folds
	After     int    // tokens of the request in it
	Rewritten int    // tokens of them that the provider has not cached
	Loss      int    // expected cost of fetching again, in tokens of fresh input
	PerTurn   int    // expected cost of a turn, in fresh tokens; set when the form is offered
}

// The outcomes of a decision, as in metrics and logs. A record is unproven if it was rejected for
// its coverage.
const (
	Stay             = "nothing_to_gain"
	Mask             = "mask"
	Fold             = "summary"
	FoldWithModel    = "summary_by_model"    // a model wrote a part of the record
	FoldWithProvider = "summary_by_provider" // with a summary that the provider wrote
	FoldUnproven     = "summary_unproven"    // the record has too little, but nothing else fits
	RejectedCoverage = "rejected_coverage"   // the record had too little of what it was to replace
	RejectedInvalid  = "rejected_invalid"    // the record was not a valid message
	RejectedPins     = "rejected_pins"       // the pinned text would not fit the record
)
