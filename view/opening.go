package view

import "hash/maphash"

// hashSeed is random for each process, so that clients cannot construct collisions.
var hashSeed = maphash.MakeSeed()

// opening identifies the conversation of a body before it is compared with those that are known.
// Conversations of one client often begin with the same message, as those of a script do; the reply
// to it tells them apart.
type opening struct {
	first   uint64 // hash of the scope and the first message after the instructions
	further uint64 // hash of these and the bytes that follow; first if there are too few

	ends int // where these bytes end
}

// furtherBytes is how many bytes after the first message belong to an opening: about as many as the
// beginning of a reply up to the id of its first call.
const furtherBytes = 512

// openingOf returns the opening of a body whose first message after the instructions is
// body[at:end].
func openingOf(scope string, body []byte, at, end int) (o opening) {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.WriteString(scope)
	h.WriteByte(0)
	h.Write(body[at:end])
	o.first = h.Sum64()
	o.further, o.ends = o.first, end+furtherBytes
	if o.ends <= len(body) {
		h.Write(body[end:o.ends])
		o.further = h.Sum64()
	}
	return o
}

// key returns the key under which a conversation is remembered whose messages end at an offset.
// What follows them is not a part of it.
func (o opening) key(end int) uint64 {
	if end < o.ends {
		return o.first
	}
	return o.further
}
