// Package compactor fits a chat request to a budget of tokens: it masks stale tool outputs
// and folds old turns into an anchored summary, and it keeps what must be kept. Engine takes
// a request through the packages below it. It counts, stores and asks models through
// interfaces that those packages declare.
//
// It never sees HTTP, a model or a credential, never changes a system or developer message,
// never separates a tool call from its results, and never makes a request larger.
//
// These are the steps for a request:
//
//   - Fits decides by the size of the body that most requests are forwarded unchanged (fits.go).
//     The others are laid out and counted (package layout); fit.go has the order of the
//     following steps.
//   - Outputs that are oversized when they arrive are truncated (package truncate).
//   - The stored form of the conversation is loaded, and the decisions that have become due
//     since are made, one after another (walk.go). Package trigger says when they are due.
//   - A decision compares the present form with two others, by the expected cost of the next
//     turns (decide.go, package plan): one with more outputs masked (package mask), and one
//     with more turns folded (package fold).
//   - A fold reads its turns by their structure, merges the result into the summary so far, has
//     package summary write a record of it, and compares the record with the turns: what is
//     missing is added.
//   - A new form is checked against the request before it is used, stored, and rendered by
//     splicing (package checkpoint).
//   - If a model is to write, it is asked for statements after the reply (package prepare).
//     They are grounded, verified and probed. Those that pass are added to the next record.
//
// Facts about a conversation are kept in its view.Memory, so that a turn costs only as much as
// what is new in it.
package compactor
