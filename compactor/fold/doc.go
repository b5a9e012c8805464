// Package fold replaces old turns by a record of their content: it reads the turns, merges
// them into the summary so far, keeps the user messages that must stay, and compares the
// record with the turns before it is used.
//
// It never separates a call from its results and never asks a model.
package fold
