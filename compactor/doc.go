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
//   - A fold reads what its turns hold (extract.go), merges that into the summary
//     so far (merge.go), writes a record of it (sections.go, record.go) and has
//     the record probed.
//   - A new form is held against the request before it is used (sound.go), stored,
//     and rendered by splicing (checkpoint.go, standin.go).
//   - Where models write, the next summary is prepared after the reply
//     (prepare.go). What the model says is judged (floor.go) and stands beside
//     what the rules found (account.go, prepared.go).
package compactor
