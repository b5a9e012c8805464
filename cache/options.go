package cache

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// DefaultMaxBytes is the default limit of a store's directory.
const DefaultMaxBytes = 2 << 30

// MinMaxBytes is the smallest valid limit: Badger's own files take a part of it.
const MinMaxBytes = 32 << 20

// DefaultTTL is how long unused records are kept by default.
const DefaultTTL = 168 * time.Hour

// Options configure a store.
type Options struct {
	Dir      string // the store's own directory, created if missing; one process at a time
	InMemory bool   // no directory: everything is lost with the process

	TTL      time.Duration // how long unused records are kept; if zero, DefaultTTL
	MaxBytes int64         // bytes that the directory may take; if zero, DefaultMaxBytes
	Timeout  time.Duration // the longest that a call waits for the disk; if zero, 2 s

	// Secret keys the seal of every record, so that a record written by somebody else
	// reads as damaged. If zero, seals are plain checksums.
	Secret Secret

	// EncryptionKey encrypts the directory: 16, 24 or 32 bytes, for
	// AES-128, AES-192 or AES-256. If empty, nothing is encrypted. See [LoadKey].
	EncryptionKey []byte

	Logger *slog.Logger     // if nil, nothing is logged
	Clock  func() time.Time // if nil, time.Now

	tuning
}

// tuning has settings that only tests change.
type tuning struct {
	maxMemory    int64         // bytes that the in-memory store may hold; if zero, 256 MiB
	gcEvery      time.Duration // between two collections of the value log; if zero, 10 min
	syncAfter    time.Duration // from a write to the sync that covers it; if zero, 1 s
	logFileBytes int64         // size of a value-log file; if zero, MaxBytes/16, at most 64 MiB
	reserve      uint64        // free bytes that writes leave to Badger; if zero, 16 MiB
	closeTimeout time.Duration // how long Close waits; if zero, 15 s
	keyEvery     time.Duration // how long a data key is used for new files; if zero, 24 h

	open func(badger.Options) (*badger.DB, error) // if nil, badger.Open
}

func (o Options) withDefaults() (Options, error) {
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.maxMemory = cmp.Or(o.maxMemory, 256<<20)
	o.gcEvery = cmp.Or(o.gcEvery, 10*time.Minute)
	o.syncAfter = cmp.Or(o.syncAfter, time.Second)
	o.logFileBytes = cmp.Or(o.logFileBytes, min(64<<20, o.MaxBytes/16))
	o.reserve = cmp.Or(o.reserve, 16<<20)
	o.closeTimeout = cmp.Or(o.closeTimeout, CloseTimeout)
	o.keyEvery = cmp.Or(o.keyEvery, 24*time.Hour)
	if o.tuning.open == nil {
		o.tuning.open = badger.Open
	}
	switch {
	case o.TTL < time.Second || o.Timeout < 0:
		return o, fmt.Errorf("store options: TTL %v, Timeout %v: want a TTL of at least 1s and "+
			"no negative timeout", o.TTL, o.Timeout)
	case o.MaxBytes < MinMaxBytes:
		return o, fmt.Errorf("store options: MaxBytes %d: want at least %d",
			o.MaxBytes, MinMaxBytes)
	case !keySize(len(o.EncryptionKey)) && len(o.EncryptionKey) > 0:
		return o, fmt.Errorf("store options: an encryption key of %d bytes: want 16, 24 or 32",
			len(o.EncryptionKey))
	case o.Dir == "" && !o.InMemory:
		return o, errors.New("store options: Dir is empty: want a directory, or InMemory")
	}
	return o, nil
}
