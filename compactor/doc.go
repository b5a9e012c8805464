// Package compactor fits a chat request to a budget of tokens: it masks stale
// tool outputs and folds old turns into an anchored summary, and it keeps what
// must be kept. What goes and what stays are pure functions of the conversation
// and the settings; Engine is the thin layer that counts, stores and probes
// through interfaces that this package declares.
//
// It never sees HTTP, a model or a credential, never changes a system or
// developer message, never parts a tool call from its results, and never makes a
// request larger.
//
// A request comes through like this:
//
//   - Fits forwards most of them by their size alone (fits.go). The others are
//     counted, as a view (view.go).
//   - The door shortens outputs that are oversized when they arrive (door.go).
//   - What is known of the conversation is loaded, and the decisions that are due
//     since then are made, one after another (settle.go).
//   - A decision compares the form that the request has with two others, by what
//     the turns to come are expected to cost in each (decide.go, cost.go): one
//     with more outputs masked (masking.go), and one with more turns folded
//     (folding.go).
//   - A fold reads what its turns hold by structure, merges that into the summary
//     so far, has package summary write a record of it, and holds the record against
//     the turns: what is missing is added (coverage.go).
//   - A new form is held against the request before it is used (sound.go), stored,
//     and rendered by splicing (checkpoint.go, replacement.go).
//   - Where models write, one is asked for statements after the reply. They are
//     grounded, verified and probed (prepare.go); those that are left stand in the
//     next record, beside what was found by structure (prepared.go).
package compactor
