// Package mask replaces stale tool outputs by placeholders, those least likely to be
// needed first.
//
// It never masks an output that the model has not answered yet, and never a call.
package mask
