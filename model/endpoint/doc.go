// Package endpoint makes single requests to models, in the wire format that their endpoint
// speaks: each format is a protocol, which writes requests and reads replies. It has two ways
// to write one: appended behind the raw body of a client's own request, whose bytes stay as
// they are, or standalone. It learns which members of the API an endpoint takes, holds back
// where an endpoint fails, caps what a conversation may use in an hour, and prices what was
// used.
//
// It never repeats a request that failed on its way, never follows a redirect with a
// credential, starts no goroutine, and does not know what is asked or why. Its errors
// hold no credential, no prompt, no answer and no body of an endpoint's error.
package endpoint
