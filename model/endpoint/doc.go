// Package endpoint makes single requests to models, in the wire format of their endpoint:
// each format is a protocol, which writes requests and reads replies. There are two kinds:
// appended to the raw body of a client's own request, whose bytes are kept, or standalone.
// It learns which members of the API an endpoint supports, breaks the circuit when an
// endpoint fails, caps what a conversation may use in an hour, and prices the usage.
//
// It never repeats a failed request, never follows a redirect with a credential, starts no
// goroutine, and is independent of what is asked. Its errors contain no credential, no
// prompt, no answer and no body of an endpoint's error.
package endpoint
