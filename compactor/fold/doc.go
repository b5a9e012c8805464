// Package fold replaces old turns by a record of what they hold: it reads the turns,
// merges them into the summary so far, keeps the messages of the user that must stay,
// and compares the record to the turns before it is used.
//
// It never parts a call from its results and never asks a model.
package fold
