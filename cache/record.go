package cache

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"
)

// A backend stores a record under each name:
//
//	offset 0   version, 1 byte: 1 for a plain value, 2 and 3 for a compressed one
//	       1   expiry, Unix seconds, 8 bytes, big endian
//	       9   seal, 16 bytes
//	      25   payload
//
// The seal is the first half of SHA-256 over a key, the name, everything before
// the seal, and the payload. So a record that was torn, corrupted, moved to another
// name, or written by someone with access to the disk but not the secret reads as
// absent. The backends have their own checksums, but these do not cover every path
// (Badger returns an empty value for an unreadable one).
const (
	plainRecord = 1
	zstdRecord  = 2
	s2Record    = 3

	sealOffset  = 1 + 8
	sealBytes   = 16
	headerBytes = sealOffset + sealBytes
)

// recordOverhead is an upper bound of what a value's record and its log entry take
// besides the value.
const recordOverhead = 1 << 10

// name is the name of a record: its kind, its owner, then a hash.
type name [1 + ownerBytes + sha256.Size]byte

const (
	kindCheckpoint = 'c'
	kindOriginal   = 'o'
	kindLastSeen   = 'v' // when a conversation was seen; by the key of its first message
	kindReplaced   = 'r' // marks the checkpoint of the same name as replaced by another one
)

func checkpointName(key Key) name {
	var n name
	n[0] = kindCheckpoint
	copy(n[1:], key[:])
	return n
}

func lastSeenName(key Key) name {
	n := checkpointName(key)
	n[0] = kindLastSeen
	return n
}

// replacedName is the name of the mark that a checkpoint was replaced.
func replacedName(checkpoint *name) name {
	n := *checkpoint
	n[0] = kindReplaced
	return n
}

func originalName(who, ref string) name {
	var n name
	n[0] = kindOriginal
	owner, hash := Owner(who), sha256.Sum256([]byte(ref))
	copy(n[1:], owner[:])
	copy(n[1+ownerBytes:], hash[:])
	return n
}

// sealer makes and checks records.
type sealer struct{ key [sha256.Size]byte }

// newSealer returns a sealer keyed by the secret; the zero secret means plain
// checksums.
func newSealer(s Secret) sealer {
	var l sealer
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte("seal"))
	mac.Sum(l.key[:0])
	return l
}

// seal returns the record of a payload. It copies: the payload may change
// afterwards.
func (l sealer) seal(n name, expires time.Time, p payload) []byte {
	record := make([]byte, headerBytes+len(p.bytes))
	record[0] = p.version
	binary.BigEndian.PutUint64(record[1:], uint64(expires.Unix()))
	copy(record[headerBytes:], p.bytes)
	sum := l.sum(n, record)
	copy(record[sealOffset:headerBytes], sum[:])
	return record
}

// errCorrupt means that a record differs from the one that was written.
var errCorrupt = errors.New("record damaged")

// open returns the payload of a record, which it aliases, and when it expires.
// The payload is not used before its seal was checked.
func (l sealer) open(n name, record []byte) (p payload, expires time.Time, err error) {
	if len(record) < headerBytes || record[0] < plainRecord || record[0] > s2Record {
		return payload{}, time.Time{}, errCorrupt
	}
	if sum := l.sum(n, record); !hmac.Equal(sum[:], record[sealOffset:headerBytes]) {
		return payload{}, time.Time{}, errCorrupt
	}
	expires = time.Unix(int64(binary.BigEndian.Uint64(record[1:])), 0)
	return payload{record[0], record[headerBytes:len(record):len(record)]}, expires, nil
}

// sum is keyed by a prefix. That would be unsafe for a hash that is published
// whole; half of this one stays hidden, so nobody can extend it.
func (l sealer) sum(n name, record []byte) [sealBytes]byte {
	h := sha256.New()
	h.Write(l.key[:])
	h.Write(n[:])
	h.Write(record[:sealOffset])
	h.Write(record[headerBytes:])
	var full [sha256.Size]byte
	return [sealBytes]byte(h.Sum(full[:0]))
}

// payload is a value in the form that a record holds.
type payload struct {
	version byte // of the record: plainRecord, zstdRecord or s2Record
	bytes   []byte
}
