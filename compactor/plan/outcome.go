package plan

// The outcomes of a decision, as metrics and logs name them. A record is unproven where
// it was rejected for its coverage.
const (
	Stay             = "nothing_to_gain"
	Mask             = "mask"
	Fold             = "summary"
	FoldWithModel    = "summary_by_model"    // a fold whose record a model wrote in
	FoldWithProvider = "summary_by_provider" // a fold with a summary of the provider's own
	FoldUnproven     = "summary_unproven"    // one that holds too little: nothing else fits
	RejectedCoverage = "rejected_coverage"   // the record held too little of what it was to replace
	RejectedInvalid  = "rejected_invalid"    // the record was no valid message
	RejectedPins     = "rejected_pins"       // what the operator pinned would not fit the record
)
