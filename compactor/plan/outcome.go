package plan

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
