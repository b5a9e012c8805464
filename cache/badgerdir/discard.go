package badgerdir

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
)

// checkDiscard checks Badger's table of what GC could free, 16 bytes per entry: the
// number of a value log and a count of bytes. It has no checksum, and with a damaged
// entry Badger searches for the greatest count forever. A table that cannot be right
// is replaced by one that declares every byte garbage: GC then goes through each
// file once and keeps the live records. The same is done if deleted records are to be
// erased, since the counts of a killed process may be missing.
func (fl *files) checkDiscard() error {
	data, err := os.ReadFile(fl.path(discardFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = os.Stat(fl.path(EraseFile))
	if erasing := err == nil; discardSound(data) && !erasing {
		return nil
	}
	fresh := make([]byte, discardBytes)
	for i, name := range fl.logs {
		id, err := strconv.ParseUint(strings.TrimSuffix(name, ".vlog"), 10, 32)
		if err != nil || 16*(i+1) >= len(fresh) {
			continue
		}
		binary.BigEndian.PutUint64(fresh[16*i:], id)
		binary.BigEndian.PutUint64(fresh[16*i+8:], maxDiscard)
	}
	return os.WriteFile(fl.path(discardFile), fresh, 0o600)
}

const (
	discardBytes = 1 << 20 // as Badger makes it
	maxDiscard   = 1 << 32 // no log file is bigger
)

func discardSound(data []byte) bool {
	if len(data) < discardBytes || len(data)%16 != 0 {
		return len(data) == 0 // Badger treats an empty one as new
	}
	seen := map[uint64]bool{}
	for i := 0; i < len(data); i += 16 {
		id, discard := binary.BigEndian.Uint64(data[i:]), binary.BigEndian.Uint64(data[i+8:])
		if id == 0 {
			break
		}
		if id > math.MaxUint32 || discard > maxDiscard || seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}
