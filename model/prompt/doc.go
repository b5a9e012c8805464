// Package prompt writes the texts that models are shown: what is asked of them, which
// turns are meant, and the turns themselves as fenced, numbered, shortened data. What is
// asked is a fixed text, so that in append nothing but the place of the turns varies
// from call to call.
//
// It never sends anything, reads no answer, and does not know which schema an answer
// follows. Data is fenced by marks with a code that is drawn for each task, so that no
// text of a conversation can close the fence.
package prompt
