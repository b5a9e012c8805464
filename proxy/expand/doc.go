// Package expand gives a model one more tool, killick_expand, and answers its calls inside the
// proxy: a model that meets a ref of left-out text can read that text, and the client never sees
// the call.
//
// A Session stands between the upstream's reply and the client, in each of the three formats, for
// streams and for whole replies. It appends the model's turn and the results to the request that
// was sent, sends that, and goes on with the next reply as if it were the same one. It never
// remembers anything beyond its reply, never runs a call of the client's, never shows the client a
// turn that the client could not send back, and never writes content to a log.
package expand
