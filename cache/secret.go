package cache

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// secretBytes is the minimum length of a secret, and the number of random bytes in
// a new one, written in hexadecimal.
const secretBytes = 32

// Secret keys every hash that the store is asked by. It is stored outside the
// store's directory, so that a copy of that directory does not reveal which
// credential a record belongs to. Losing it loses what is stored, nothing else.
//
// The zero Secret keys nothing: take one from [LoadSecret] or [NewSecret].
type Secret struct{ key [sha256.Size]byte }

// NewSecret returns a random secret that is not stored: what it keys is lost with
// the process.
func NewSecret() Secret {
	var s Secret
	rand.Read(s.key[:]) // never fails: the runtime ends the process instead
	return s
}

// LoadSecret reads the secret in the file path, and creates the file (mode 0600,
// 32 random bytes in hexadecimal) if there is none; several processes that start at
// the same time all get the same one. Operators may write any 32 bytes or more to
// it; trailing white space is ignored. A file that everybody may read is rejected.
func LoadSecret(path string) (Secret, error) {
	text, err := ReadSecretText(path)
	if err == nil && text == "" {
		if err = createSecret(path); err != nil {
			return Secret{}, notWritten(path, err)
		}
		text, err = ReadSecretText(path)
		if err == nil && text == "" {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		return Secret{}, fmt.Errorf("loading the store secret: %w", err)
	}
	return SecretOf(text), nil
}

// ReadSecretText returns what the secret file holds, "" if there is none.
func ReadSecretText(path string) (string, error) {
	content, err := readSecret(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	content = bytes.TrimRight(content, " \t\r\n")
	if len(content) < secretBytes {
		return "", SecretFileError{path, fmt.Sprintf("holds %d bytes, want at least %d: "+
			"remove it to get a new one (what is stored is then lost)", len(content), secretBytes)}
	}
	return string(content), nil
}

// NewSecretText returns what a new secret file holds.
func NewSecretText() string {
	raw := make([]byte, secretBytes)
	rand.Read(raw)
	return hex.EncodeToString(raw)
}

// SecretOf returns the secret for the text of a secret file.
func SecretOf(text string) Secret { return Secret{key: sha256.Sum256([]byte(text))} }

// WriteSecretText replaces the content of path.
func WriteSecretText(path, text string) error {
	tmp, err := writeBeside(path, text)
	if err != nil {
		return notWritten(path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return notWritten(path, err)
	}
	return nil
}

// notWritten returns an error that says what to do about a secret that cannot be written. The
// system's own error names a temporary file, which helps nobody.
func notWritten(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	advice := "let the user that this runs as write to its folder"
	if errors.Is(err, syscall.ENOSPC) {
		advice = "free some space"
	}
	return fmt.Errorf("writing the store secret to %s: %w: %s, or set cache.secret_file to a file "+
		"elsewhere", path, err, advice)
}

// SecretFileError means that a file cannot be used as a secret file in its present state.
type SecretFileError struct{ Path, Problem string }

func (e SecretFileError) Error() string { return e.Path + " " + e.Problem }

func readSecret(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", path, at.Err)
		}
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, SecretFileError{path, "is not a file: name another one"}
	}
	// Windows has no such bits; there the directory's access list decides.
	if perm := info.Mode().Perm(); perm&0o007 != 0 && runtime.GOOS != "windows" {
		return nil, SecretFileError{path, fmt.Sprintf("has mode %04o, everybody can use it: "+
			"run chmod 600 %s", perm, path)}
	}
	const limit = 1 << 16
	if info.Size() > limit {
		return nil, SecretFileError{path, fmt.Sprintf("holds %d bytes, want at most %d: is it "+
			"the right file?", info.Size(), limit)}
	}
	return os.ReadFile(path)
}

// createSecret writes a new secret beside path and links it there, so that the
// file appears atomically and only if there is none: a file that another process
// created meanwhile stays, and is not an error.
func createSecret(path string) error {
	text := NewSecretText()
	tmp, err := writeBeside(path, text)
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	err = os.Link(tmp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	// A file system without hard links: there only the creation is atomic, and a
	// process that starts at the same moment may find the file still empty.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return writeSynced(f, []byte(text+"\n"))
}

// writeBeside writes a text to a new file in the directory of path and returns its name.
func writeBeside(path, text string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600, O_EXCL
	if err != nil {
		return "", err
	}
	if err := writeSynced(f, []byte(text+"\n")); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func writeSynced(f *os.File, content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Who returns the keyed hash of a credential and of the headers that choose an
// account under it: the only form in which a credential is stored. Each part is
// hashed with its length. The hash reveals neither the parts nor their number.
func (s Secret) Who(parts ...string) string {
	mac := s.mac("who")
	for _, part := range parts {
		writeSized(mac, part)
	}
	return shortHash(mac, 20)
}

// Ref returns the name of an original that who may read: 16 lowercase
// letters and digits, the same for the same content.
func (s Secret) Ref(who string, content []byte) string {
	mac := s.mac("ref")
	writeSized(mac, who)
	mac.Write(content)
	return shortHash(mac, 10)
}

// Key returns a key for one use. It reveals nothing of the secret, nor of the keys for other uses.
func (s Secret) Key(use string) (key [sha256.Size]byte) {
	mac := s.mac("key")
	writeSized(mac, use)
	mac.Sum(key[:0])
	return key
}

// String hides the key from logs and errors.
func (s Secret) String() string { return "cache.Secret" }

// GoString hides the key from %#v.
func (s Secret) GoString() string { return "cache.Secret" }

// mac returns a hash keyed for one use.
func (s Secret) mac(use string) hash.Hash {
	mac := hmac.New(sha256.New, s.key[:])
	writeSized(mac, use)
	return mac
}

// writeSized writes a string after its length, so that two lists of strings never
// give the same bytes.
func writeSized(h hash.Hash, s string) {
	var n [binary.MaxVarintLen64]byte
	h.Write(n[:binary.PutUvarint(n[:], uint64(len(s)))])
	h.Write([]byte(s))
}

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").
	WithPadding(base32.NoPadding)

func shortHash(h hash.Hash, size int) string {
	var sum [sha256.Size]byte
	return lowerBase32.EncodeToString(h.Sum(sum[:0])[:size])
}

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
