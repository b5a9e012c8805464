// Package compactor fits a chat request to a budget of tokens: it masks stale
// tool outputs and folds old turns into an anchored summary, and it keeps what
// must be kept. What goes and what stays are pure functions of the conversation
// and the settings; Engine is the thin layer that counts, stores and probes
// through interfaces that this package declares.
//
// It never sees HTTP, a model or a credential, never changes a system or
// developer message, never parts a tool call from its results, and never makes a
// request larger.
package compactor
