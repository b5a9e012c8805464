// Package aschat tells the wire formats of recorded requests apart and reads those of the Messages
// and the Responses API as chat requests: one conversation is decided about alike in every format.
//
// What chat has no form for is left out: reasoning, cache marks, and what the provider's own tools
// did. It is for measuring alone and never for what is sent.
package aschat
