// Package expand gives a model one more tool, killick_expand, and answers its calls inside the
// proxy: a model can read left-out text by its ref, and the client never sees the call.
//
// A Session processes the upstream's reply for the client, in each of the three formats, for
// streams and for whole replies. It appends the model's turn and the results to the request, sends
// that, and continues with the next reply as if it were the same one. It never remembers anything
// beyond its reply, never runs a client's call, never shows the client a turn that the client could
// not send back, and never writes content to a log.
package expand
