package compactor

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
