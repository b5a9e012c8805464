package view

import (
	"container/list"
	"hash/maphash"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// known is the view of a conversation's messages after the leading instructions, as a Parser
// remembers it. It holds no text and does not refer to a body.
type known struct {
	scope    string // the name of the format and the scope
	key      uint64
	messages []Message // without Raw
	places   []place   // of each message, from the start of the first element
	anchors  []anchor  // in order; the last is at the end
	memory   *Memory
	extended atomic.Bool // messages and places were appended to: copy them before another append

	listed  *list.Element // in parser.recent; nil if not remembered
	counted int64         // in parser.bytes
}

// anchor is the end of a list element. Bodies are compared up to anchors.
type anchor struct {
	messages int
	end      int    // from the start of the first element
	hash     uint64 // of all bytes before it
}

// bytesPerMessage is the memory that a message takes in known.
const bytesPerMessage = int64(unsafe.Sizeof(Message{}) + unsafe.Sizeof(place{}))

// size estimates the memory that k takes, in bytes.
func (k *known) size() int64 {
	const fixed = 512
	return fixed + bytesPerMessage*int64(cap(k.messages)) + k.memory.size()
}

const (
	maxAnchors  = 64 // more are thinned out
	nearAnchors = 8  // one for each of the last messages
	farAnchors  = 8  // others, evenly spread
)

// next returns the hash of the bytes of h followed by b.
func next(h uint64, b []byte) uint64 {
	return bits.RotateLeft64(h, 23)*0x9E3779B97F4A7C15 ^ maphash.Bytes(hashSeed, b)
}

// piece is a part of a body, with the hash of all bytes before it.
type piece struct {
	before    uint64
	from, end int
}

// match returns the last anchor up to which b equals the conversation, -1 if there is none. b
// begins at the first element.
//
// Branches of one conversation share their first anchors: hashed has the hashes that were computed
// for other branches, so that each shared part is hashed once.
func (k *known) match(b []byte, hashed map[piece]uint64) int {
	var h uint64
	from := 0
	for i := range k.anchors {
		a := &k.anchors[i]
		// A body cannot end directly after a message.
		if a.end >= len(b) {
			return i - 1
		}
		of := piece{h, from, a.end}
		sum, ok := hashed[of]
		if !ok {
			sum = next(h, b[from:a.end])
			hashed[of] = sum
		}
		if h = sum; h != a.hash {
			return i - 1
		}
		from = a.end
	}
	return len(k.anchors) - 1
}

// setAnchors adds anchors after the first have messages. b begins at the first element.
func (k *known) setAnchors(b []byte, have int) {
	n := len(k.messages)
	if len(k.anchors)+min(n-have, nearAnchors+farAnchors) > maxAnchors {
		k.anchors, have = nil, 0
	}
	var last anchor
	if len(k.anchors) > 0 {
		last = k.anchors[len(k.anchors)-1]
	}
	add := func(messages int) {
		if messages <= last.messages || messages > n || !k.closed(messages) {
			return
		}
		end := int(k.places[messages-1].elementEnd)
		last = anchor{messages, end, next(last.hash, b[last.end:end])}
		k.anchors = append(k.anchors, last)
	}
	for i := range farAnchors {
		add(have + (n-nearAnchors-have)*(i+1)/farAnchors)
	}
	for i := n - nearAnchors + 1; i <= n; i++ {
		add(i)
	}
}

// closed reports whether the given number of messages ends with an element, and no later element
// can become a part of the last of them.
func (k *known) closed(messages int) bool {
	last := &k.messages[messages-1]
	return !last.format.Open(last) && (messages == len(k.places) ||
		k.places[messages].elementStart != k.places[messages-1].elementStart)
}
