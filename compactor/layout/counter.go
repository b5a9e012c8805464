package layout

import (
	"killick/view"
)

// Counter counts tokens for one model. Its counts must not change from turn to
// turn: frontiers follow from them.
type Counter interface {
	// Message returns the tokens of a message in its place in a request.
	Message(m *view.Message) int
	// Overhead returns the tokens of a request beside its messages.
	Overhead(r *view.Request) int
	// Text returns the tokens of a text.
	Text(s string) int
	// Ratio is how many tokens the model may count for one of these in a request with this
	// body, 1 at least. It may change: it only brings the trigger down where the model's
	// window would be missed otherwise.
	Ratio(body []byte) float64
}

// Sampler is a Counter that can tell of a body, without reading all of it, that
// its request has at most limit tokens, media apart. It may be wrong once in a
// million; false says nothing.
type Sampler interface {
	AtMost(body []byte, limit int) bool
}
