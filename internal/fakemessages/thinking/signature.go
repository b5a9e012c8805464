package thinking

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// signed is what the signature of a thinking or compaction block says.
type signed struct {
	kind   byte
	inTurn bool     // prev is in the same assistant turn
	system [8]byte  // what precedes the block: the system prompt,
	tools  [8]byte  // the tools
	prefix [32]byte // and the messages with what precedes in the turn, thinking left out
	prev   [8]byte  // id of the thinking block before it, zero if none
	text   [8]byte  // of the block's own text
	model  string

	id [8]byte // of the signature itself
}

// The kinds of signatures.
const (
	KindThinking   = 't'
	KindRedacted   = 'r'
	kindCompaction = 'c'
)

// All servers sign with one secret.
const (
	secret         = "scripted"
	signatureMagic = "kfm1"
	macBytes       = 16
)

// encode signs what is said.
func (d *signed) encode() string {
	b := append([]byte(signatureMagic), d.kind, 0)
	if d.inTurn {
		b[len(b)-1] = 1
	}
	b = append(append(b, d.system[:]...), d.tools[:]...)
	b = append(append(append(b, d.prefix[:]...), d.prev[:]...), d.text[:]...)
	b = append(b, d.model...)
	mac := macOf(b)
	copy(d.id[:], mac)
	return base64.StdEncoding.EncodeToString(append(b, mac...))
}

// decodeSignature returns what a signature says, and false if it was not made with the secret or is
// of another kind.
func decodeSignature(kind byte, text string) (signed, bool) {
	b, err := base64.StdEncoding.DecodeString(text)
	const fixed = len(signatureMagic) + 2 + 8 + 8 + 32 + 8 + 8
	if err != nil || len(b) < fixed+macBytes || !bytes.HasPrefix(b, []byte(signatureMagic)) {
		return signed{}, false
	}
	b, mac := b[:len(b)-macBytes], b[len(b)-macBytes:]
	if !hmac.Equal(mac, macOf(b)) {
		return signed{}, false
	}
	d := signed{model: string(b[fixed:])}
	copy(d.id[:], mac)
	b = b[len(signatureMagic):fixed]
	d.kind, d.inTurn = b[0], b[1] == 1
	b = b[2:]
	for _, part := range [][]byte{d.system[:], d.tools[:], d.prefix[:], d.prev[:], d.text[:]} {
		b = b[copy(part, b):]
	}
	return d, d.kind == kind
}

func macOf(b []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(b)
	return h.Sum(nil)[:macBytes]
}

func shortHash(b []byte) (sum [8]byte) {
	whole := sha256.Sum256(b)
	copy(sum[:], whole[:])
	return sum
}
