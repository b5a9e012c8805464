// Package value finds the typed values of a text: paths, numbers with their units, versions, names
// and addresses, and when two of them are the same.
//
// It knows no message and no statement, and never decides whether a value is true.
package value

import "hash/maphash"

// Kind is the kind of a typed value.
type Kind string

// The kinds of typed values: text that is never paraphrased. Small numbers without a unit
// do not count, since summaries contain counts of their own.
const (
	Path       Kind = "path"       // a file or folder, a dotted name
	Number     Kind = "number"     // with a unit, or of three digits and more
	Version    Kind = "version"    //
	Identifier Kind = "identifier" // a hash, an id, a name with a digit or an underscore in it
	URL        Kind = "url"        //
	Code       Kind = "code"       // text between backticks
)

// Value is a typed value in a text.
type Value struct {
	Kind Kind
	Text string // verbatim

	Lookup  []Key // a text with the value is indexed under one of them
	Indexed []Key // under which a text with the value is indexed
	Parents []Key // the folders of a path or address, under which a text is indexed too
}

// newValue returns a value that is looked up by its key alone.
func newValue(kind Kind, text string, k Key) Value {
	return Value{Kind: kind, Text: text, Lookup: []Key{k}, Indexed: []Key{k}}
}

// Key is the look-up key of a value: a hash of its class and its normal form.
type Key uint64

var seed = maphash.MakeSeed()

func keyOf(class byte, text string) Key {
	return Key(maphash.String(seed, text) ^ uint64(class)*0x9e3779b97f4a7c15)
}

// The classes of keys.
const (
	byPath   = 'p' // what a path ends in, from the beginning of one of its parts
	byLink   = 'u' // what an address begins with
	byID     = 'i'
	byNumber = 'v' // a number, whatever its unit
	byAmount = 'n' // a number with its unit, or one that has no known unit
)
