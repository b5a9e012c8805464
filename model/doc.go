// Package model makes our own calls to language models, over
// sashabaranov/go-openai: it asks for the prose of a summary, for questions about
// the turns that a summary replaces, and for answers from the summary alone.
//
// There are two ways to ask. In append the client's own model is asked with the
// client's own key: the body that was last forwarded, byte for byte, with one
// instruction behind its messages, so that nearly all of the call is read from
// the provider's prompt cache. Standalone asks a model of the operator's choosing
// and shows it the turns as fenced data, cut into pieces where they exceed its
// window.
//
// What a model writes is read tolerantly and then held strictly to a schema. The
// ladder is: structured, one corrective retry that names the faults, headed prose
// with the same sections, an error. Only the form is judged here. Whether what is
// said is true is the business of whoever asked.
//
// It never decides what is compacted, never stores anything, starts no goroutine,
// never follows a redirect with a credential, and never repeats a call that
// failed on its way. Its errors and the reasons that it gives hold no credential,
// no prompt, no answer and no body of an endpoint's error.
package model
