package cache

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"killick/cache/badgerdir"
)

// A store is encrypted by Badger, with AES-CTR: tables and logs with data keys,
// which are rotated every day for new files, and the data keys with the
// operator's key, in the file KEYREGISTRY. So changing the operator's key only
// rewrites that file.

// ErrEncryption means that the encryption of a directory differs from the
// configuration. The directory is left unchanged.
var ErrEncryption = badgerdir.ErrEncryption

// keySize reports whether AES accepts a key of n bytes.
func keySize(n int) bool { return n == 16 || n == 24 || n == 32 }

// LoadKey reads an encryption key from the file path: 16, 24 or 32 bytes in
// hexadecimal, else in base64, else raw. Trailing white space is ignored. A file
// that everybody may read is rejected.
func LoadKey(path string) ([]byte, error) {
	content, err := readSecret(path)
	if err != nil {
		return nil, fmt.Errorf("loading the encryption key: %w", err)
	}
	text := string(bytes.TrimRight(content, " \t\r\n"))
	if key, err := hex.DecodeString(text); err == nil && keySize(len(key)) {
		return key, nil
	}
	for _, encoding := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
	} {
		if key, err := encoding.DecodeString(text); err == nil && keySize(len(key)) {
			return key, nil
		}
	}
	switch {
	case keySize(len(content)): // raw bytes may end in what looks like white space
		return content, nil
	case keySize(len(text)):
		return []byte(text), nil
	}
	return nil, fmt.Errorf("loading the encryption key: %s holds %d bytes, want 16, 24 or 32, "+
		"as they are, in hexadecimal or in base64: "+
		"openssl rand -hex 32 makes one", path, len(text))
}

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
