package quotes

import "killick/reference"

// Memo caches what is read of the messages of one conversation, so that each is read once. All that
// read with it must redact alike. It is not safe for concurrent use.
type Memo struct {
	said   map[int]string    // results of Source.safeWords
	output map[int]string    // results of Source.SafeOutput, by message
	words  map[int]UserQuote // results of Source.UserQuote
	terse  map[int]bool
	quotes map[quoteKey]string
	paths  map[int][]string
	// references are those in messages that PathsIn has read and EachName has not.
	references map[int][]reference.Found
}

// NewMemo returns an empty Memo.
func NewMemo() *Memo {
	return &Memo{
		said: map[int]string{}, output: map[int]string{}, words: map[int]UserQuote{},
		terse: map[int]bool{}, quotes: map[quoteKey]string{}, paths: map[int][]string{},
		references: map[int][]reference.Found{},
	}
}

// cached returns the value of a key in a map, which find computes the first time.
func cached[K comparable, V any](of map[K]V, key K, find func() V) V {
	value, ok := of[key]
	if !ok {
		value = find()
		of[key] = value
	}
	return value
}

// quoteKey identifies a quote by its message and its maximum length in bytes.
type quoteKey struct{ message, most int }
