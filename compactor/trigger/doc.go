// Package trigger has the thresholds of the compactor, in tokens, as pure functions of settings.
//
// It never counts, and never says what happens past a threshold. Package layout says at which
// points of a conversation decisions are made, package plan what a form must gain and may cost.
package trigger
