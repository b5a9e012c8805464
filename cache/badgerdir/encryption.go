package badgerdir

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// ErrEncryption means that the encryption of a directory differs from the
// configuration: another key, a key when none was given, or none at all.
var ErrEncryption = errors.New("encryption")

// A registry begins with an initialisation vector and a known text encrypted with
// the key; a plain registry holds that text unencrypted.
const (
	registryVector = aes.BlockSize
	registryText   = "Hello Badger"
)

// registryKnows reports whether a registry of an encrypted store was written under
// key.
func registryKnows(registry, key []byte) bool {
	block, err := aes.NewCipher(key)
	if err != nil || len(registry) < registryVector+len(registryText) {
		return false
	}
	text := make([]byte, len(registryText))
	sealed := registry[registryVector : registryVector+len(registryText)]
	cipher.NewCTR(block, registry[:registryVector]).XORKeyStream(text, sealed)
	return string(text) == registryText
}

// checkEncryption checks a store against the given key: a store with another key is
// not damaged. The registry of a plain store holds nothing: a damaged one is removed
// for Badger to recreate.
func (fl *files) checkEncryption(m badger.Manifest, key []byte) error {
	keyed, filled, err := fl.keyedFile(m)
	if err != nil {
		return err
	}
	registry, err := os.ReadFile(fl.path(registryFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	whole := len(registry) >= registryVector+len(registryText)
	plain := whole && bytes.HasPrefix(registry[registryVector:], []byte(registryText))
	switch {
	case plain && keyed != "":
		return damaged(keyed, "names an encryption key in a store that has none")
	case keyed != "" && !whole:
		return damaged(registryFile, "%d bytes, too short, and the store is encrypted",
			len(registry))
	case keyed != "" && len(key) == 0:
		return fmt.Errorf("%w: it is encrypted, and no key was given: "+
			"set cache.encryption_key_file", ErrEncryption)
	case keyed != "" && !registryKnows(registry, key):
		return fmt.Errorf("%w: it is encrypted with another key: "+
			"set cache.encryption_key_file to the file with that one", ErrEncryption)
	case keyed != "":
		return checkRegistry(registry)
	case filled && len(key) > 0:
		return fmt.Errorf("%w: a key is given, and it holds records that are not encrypted: "+
			"remove the directory (it is a cache, nothing is lost but time), "+
			"or leave out cache.encryption_key_file", ErrEncryption)
	case plain && len(key) == 0, registryKnows(registry, key):
		return nil
	}
	err = os.Remove(fl.path(registryFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// keyedFile returns a file that names an encryption key, "" if none does; filled
// reports whether there is one that names none.
func (fl *files) keyedFile(m badger.Manifest) (keyed string, filled bool, err error) {
	for id, t := range m.Tables {
		if t.KeyID != 0 {
			keyed = fl.tables[id]
		} else {
			filled = true
		}
	}
	for _, name := range slices.Concat(fl.memtables, fl.logs) {
		head := make([]byte, 8)
		f, err := os.Open(fl.path(name))
		if err != nil {
			return "", false, err
		}
		_, err = io.ReadFull(f, head)
		f.Close()
		switch {
		case err == nil && binary.BigEndian.Uint64(head) != 0:
			keyed = name
		case err == nil:
			filled = true
		case !errors.Is(err, io.ErrUnexpectedEOF):
			return "", false, err
		}
	}
	return keyed, filled, nil
}

// checkRegistry checks the lengths in a registry against its size: Badger allocates
// by them. Each data key follows its length and a checksum.
func checkRegistry(registry []byte) error {
	rest := registry[registryVector+len(registryText):]
	for len(rest) > 0 {
		const head = 8
		if len(rest) < head {
			return damaged(registryFile, "%d bytes at its end make no sense", len(rest))
		}
		length := uint64(binary.BigEndian.Uint32(rest))
		if length > uint64(len(rest)-head) {
			return damaged(registryFile, "a data key of %d bytes in %d", length, len(rest)-head)
		}
		if crc32.Checksum(rest[head:head+length], castagnoli) != binary.BigEndian.Uint32(rest[4:]) {
			return damaged(registryFile, "a data key does not match its checksum")
		}
		rest = rest[head+length:]
	}
	return nil
}
