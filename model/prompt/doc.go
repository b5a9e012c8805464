// Package prompt writes the prompts: the task, which turns are meant, and the turns
// themselves as fenced, numbered, shortened data. The task is a fixed text, so that in
// append only the place of the turns varies from call to call.
//
// It never sends anything, reads no answer, and is independent of the answer's schema. Data
// is fenced by markers with a random code for each task, so that no text of a conversation
// can close the fence.
package prompt
