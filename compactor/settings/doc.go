// Package settings holds what the operator asked for, and what that comes to in tokens
// for a model whose window is known or was learnt.
//
// It never sees a conversation and decides nothing: package trigger says when
// something happens.
package settings
