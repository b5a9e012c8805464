package cache

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"killick/cache/badgerdir"
)

// memTableBytes sizes Badger's memtables. The space of expired records in the
// value log is only freed after the tables that name them were compacted, and a
// table is written when a memtable is full (about 18,000 records): small ones
// keep expired records from piling up, and cost little memory. Lowering it needs
// care: a write-ahead log of a bigger memtable does not fit, and Badger then ends
// the process.
const memTableBytes = 2 << 20

// valueThreshold is the minimum size of records that are written to a value log.
const valueThreshold = 512

// badgerOptions are for a small store beside a proxy, not for a database server:
// with Badger's defaults it takes 5 memtables of 64 MiB and 256 MiB of cache.
func badgerOptions(o Options, dir string) badger.Options {
	b := badger.DefaultOptions(dir)
	b.MemTableSize = memTableBytes
	b.NumMemtables = 2
	b.NumLevelZeroTables = 2
	b.NumLevelZeroTablesStall = 8
	b.NumCompactors = 2
	b.CompactL0OnClose = true // so that restarts do not accumulate tables
	b.ValueThreshold = valueThreshold
	b.ValueLogFileSize = o.logFileBytes

	// Tables hold random keys and short values: there is nothing to compress, so no
	// blocks to cache either; the mapped files are the cache.
	b.Compression = options.None
	b.BlockCacheSize = 0
	b.IndexCacheSize = 0
	b.BloomFalsePositive = 0.001 // most look-ups are for absent keys

	// Damage must cause an error and not a slice out of range while a lock is held.
	b.ChecksumVerificationMode = options.OnBlockRead
	b.VerifyValueChecksum = true

	if len(o.EncryptionKey) > 0 {
		b.EncryptionKey = o.EncryptionKey
		b.EncryptionKeyRotationDuration = o.keyEvery
		// Decrypting at every look-up would be costly, and without a cache of blocks
		// Badger panics.
		b.BlockCacheSize, b.IndexCacheSize = encryptedCache, encryptedCache
	}

	b.DetectConflicts = true // first writer wins
	b.SyncWrites = false     // readers would wait for every sync; see (*diskBackend).sync
	b.MetricsEnabled = false // process-wide expvars
	b.ExternalMagicVersion = badgerdir.Magic
	b.Logger = badgerLogger{o.Logger}
	return b
}

// encryptedCache is the size of the cache of decrypted blocks, and again of indices.
const encryptedCache = 8 << 20

// badgerLogger forwards Badger's messages. They contain files, sizes and hashed
// keys; they are truncated in case one should ever quote a value.
type badgerLogger struct{ log *slog.Logger }

func (l badgerLogger) Errorf(format string, args ...any) { l.debug("error", format, args) }

func (l badgerLogger) Warningf(format string, args ...any) { l.debug("warning", format, args) }

func (l badgerLogger) Infof(format string, args ...any) { l.debug("info", format, args) }

// Debugf drops Badger's messages about every single write.
func (badgerLogger) Debugf(string, ...any) {}

func (l badgerLogger) debug(level, format string, args []any) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	const limit = 300
	text := strings.TrimSpace(fmt.Sprintf(format, args...)) // some end with a line feed
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	l.log.Debug("badger", "badger_level", level, "message", text) // the line has a level itself
}
