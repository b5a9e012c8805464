// Package trigger says when something happens to a request: each threshold of the
// compactor, in tokens, as a pure function of settings.
//
// It never counts, and never says what happens then. Where a conversation is inspected at all (its
// decision points) is for package layout to say, what a form must gain or cost for package plan.
package trigger
