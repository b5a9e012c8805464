// Package settings has the operator's settings, and converts them to tokens for a model
// whose window is known or was learned.
//
// It never sees a conversation and decides nothing: package trigger says when
// something happens.
package settings
