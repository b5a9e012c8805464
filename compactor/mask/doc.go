// Package mask replaces stale tool outputs by placeholders, those least likely to be
// needed first.
//
// It never masks what the model has not answered yet, nor a call.
package mask
