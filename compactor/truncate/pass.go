package truncate

import (
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
)

// Pass truncates the outputs of one request.
type Pass struct {
	Policy    *settings.Policy
	Limit     int // outputs of more tokens are oversized; if zero, none is. See limitOf.
	After     int // outputs within the first After tokens of turns stay whole
	Count     layout.Counter
	RefOf     func(content []byte) string
	Originals []checkpoint.Original // of outputs that were truncated for the first time

	hits  hits
	words words
}

// truncated is a message with its short form.
type truncated struct {
	index int
	layout.Truncation
}
