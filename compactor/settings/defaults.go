package settings

// The settings that apply where a [Policy] has none.
const (
	DefaultTrigger       = 0.6  // of the window
	DefaultTarget        = 0.35 // of the window
	DefaultMinGain       = 0.05 // of the trigger
	DefaultProtect       = 0.4  // of the target
	DefaultMinMaskTokens = 150
	DefaultSummaryChars  = 16000
	DefaultMaxPinTokens  = 4000
	DefaultPrepare       = 0.75 // of the way from target to trigger

	// AutoTarget is what a compaction leaves of the turns where thresholds are derived.
	AutoTarget = 2000
)
