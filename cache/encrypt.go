package cache

import (
	"fmt"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/badgerdir"
)

// A store is encrypted by Badger, with AES-CTR: tables and logs with data keys,
// which are rotated every day for new files, and the data keys with the
// operator's key, in the file KEYREGISTRY. So changing the operator's key only
// rewrites that file.

// RotateKey changes the key of the store in dir, which must not be open, from one
// key to another. It writes one small file and renames it: if it is interrupted,
// the store opens with one of the two keys. With a wrong from it fails with
// [ErrEncryption] and changes nothing.
func RotateKey(dir string, from, to []byte) error {
	wrap := func(err error) error {
		return fmt.Errorf("changing the key of the store in %s: %w", dir, advise(err))
	}
	if !keySize(len(from)) || !keySize(len(to)) {
		return wrap(fmt.Errorf("keys of %d and %d bytes: want 16, 24 or 32", len(from), len(to)))
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return wrap(err)
	}
	p := opener{dir: resolved}
	unlock, err := p.lock()
	if err != nil {
		return wrap(err)
	}
	defer unlock()
	if err := badgerdir.Check(resolved, from); err != nil {
		return wrap(err)
	}
	registry, err := badger.OpenKeyRegistry(badger.KeyRegistryOptions{
		Dir: resolved, ReadOnly: true, EncryptionKey: from,
	})
	if err != nil {
		return wrap(err)
	}
	return badger.WriteKeyRegistry(registry, badger.KeyRegistryOptions{
		Dir: resolved, EncryptionKey: to,
	})
}
