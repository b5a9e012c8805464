// Package trigger says when something happens to a request: each threshold of the
// compactor, in tokens, as a pure function of settings.
//
// It never counts, and never says what happens then.
package trigger
