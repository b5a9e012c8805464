package settings

// Defaults of a [Policy].
const (
	DefaultTrigger       = 0.6  // of the window
	DefaultTarget        = 0.35 // of the window
	DefaultMinGain       = 0.05 // of the trigger
	DefaultProtect       = 0.4  // of the target
	DefaultMinMaskTokens = 150
	DefaultSummaryBytes  = 16000
	DefaultMaxTaskTokens = 4000
	DefaultPrepare       = 0.75 // of the distance from target to trigger

	// AutoTarget is the size to which a compaction reduces the turns, if thresholds are derived.
	AutoTarget = 2000
)
