package layout

import (
	"killick/view"
)

// Counter counts tokens for one model. Its counts must not change from turn to turn, since
// decisions follow from them.
type Counter interface {
	// Message returns the tokens of a message in its place in a request.
	Message(m *view.Message) int
	// Overhead returns the tokens of a request outside its messages.
	Overhead(r *view.Request) int
	// Text returns the tokens of a text.
	Text(s string) int
	// Ratio returns the number of tokens that the model may count for one of ours in a request
	// with this body, at least 1. It may change: it only lowers the trigger, and only if the
	// model's window would be exceeded otherwise.
	Ratio(body []byte) float64
}

// Sampler is a Counter that can also sample a body.
type Sampler interface {
	// AtMost reports whether a request has at most limit tokens, without its media, and reads only
	// a part of its body. It may be wrong once in a million if it returns true. If it returns
	// false, the request may have fewer tokens or more.
	AtMost(body []byte, limit int) bool
}
