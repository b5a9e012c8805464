// Package compactor fits a chat request to a budget of tokens: it masks stale tool outputs
// and folds old turns into an anchored summary, and it keeps what must be kept. Engine walks
// a request through the packages below it, and counts, stores and asks models through
// interfaces that those declare.
//
// It never sees HTTP, a model or a credential, never changes a system or developer message,
// never parts a tool call from its results, and never makes a request larger.
//
// A request comes through like this:
//
//   - Fits forwards most of them by their size alone (fits.go). The others are laid out and
//     counted (package layout); fit.go has the order of what follows.
//   - Outputs that are oversized when they arrive are truncated (package truncate).
//   - The form that is known of the conversation is loaded, and the decisions that are due
//     since then are made, one after another (walk.go), as package trigger says when.
//   - A decision compares the form that the request has with two others, by what the turns to
//     come are expected to cost in each (decide.go, package plan): one with more outputs
//     masked (package mask), and one with more turns folded (package fold).
//   - A fold reads what its turns hold by structure, merges that into the summary so far, has
//     package summary write a record of it, and compares the record with the turns: what is
//     missing is added.
//   - A new form is checked against the request before it is used, stored, and rendered by
//     splicing (package checkpoint).
//   - Where models write, one is asked for statements after the reply (package prepare). They
//     are grounded, verified and probed; those that are left are in the next record, beside
//     what was found by structure.
//
// What is known of a conversation is kept in its chat.Memory, so that a turn costs what is
// new in it.
package compactor
