package shared

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"

	"killick/cache"
)

// sealer compresses and encrypts values before they leave the process: XChaCha20-Poly1305, whose
// nonces are long enough to be random, with the name as additional data. So a value that was
// changed, moved to another name, or written by somebody without the secret reads as absent.
type sealer struct {
	aead cipher.AEAD
	key  [sha256.Size]byte // of hashes
}

// newSealer returns a sealer under the replicas' secret and the operator's key, if there is one.
func newSealer(secret cache.Secret, encryptionKey []byte) sealer {
	key := secret.Key("shared store")
	return sealer{aeadOf(append(key[:], encryptionKey...)), secret.Key("shared store names")}
}

// hash returns a hashed name, which reveals nothing of what it names.
func (s sealer) hash(kind, what string) string {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(kind + "\x00" + what))
	return encode(mac.Sum(nil)[:hashBytes])
}

// aeadOf returns a cipher under the hash of a key.
func aeadOf(key []byte) cipher.AEAD {
	sum := sha256.Sum256(key)
	aead, err := chacha20poly1305.NewX(sum[:])
	if err != nil {
		panic(err) // the size of the key is a constant
	}
	return aead
}

func (s sealer) seal(name string, value []byte) []byte {
	return sealUnder(s.aead, name, cache.Compress(value))
}

var errSeal = errors.New("a value in the shared store was not written by these replicas")

func (s sealer) open(name string, record []byte) ([]byte, error) {
	packed, err := openUnder(s.aead, name, record)
	if err != nil {
		return nil, err
	}
	value, err := cache.Decompress(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSeal, err)
	}
	return value, nil
}

func sealUnder(aead cipher.AEAD, name string, plain []byte) []byte {
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, plain, []byte(name))
}

func openUnder(aead cipher.AEAD, name string, record []byte) ([]byte, error) {
	if len(record) < aead.NonceSize() {
		return nil, errSeal
	}
	nonce, sealed := record[:aead.NonceSize()], record[aead.NonceSize():]
	plain, err := aead.Open(nil, nonce, sealed, []byte(name))
	if err != nil {
		return nil, errSeal
	}
	return plain, nil
}

// checkOf returns the check value that replicas must agree on: it is the same for the same secret
// and operator's key, and reveals neither.
func checkOf(secret cache.Secret, encryptionKey []byte) string {
	key := secret.Key("shared store check")
	mac := hmac.New(sha256.New, key[:])
	mac.Write(encryptionKey)
	return encode(mac.Sum(nil)[:hashBytes])
}
