package fakeresponses

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"killick/internal/fakeserver"
)

// secret is the same for all servers, so that what one made is known to a second one, as it is at
// OpenAI.
const secret = "scripted upstream"

// sealed is what encrypted content holds.
type sealed struct {
	Type   string `json:"type"` // reasoning or compaction
	ID     string `json:"id"`   // of the item
	Tokens int    `json:"tokens"`
	// Next is the item that follows a reasoning item: its call_id, "message" for a message, and ""
	// if there is none.
	Next string `json:"next,omitempty"`
	// Padding makes the content about as long as that of this many tokens.
	Padding string `json:"padding,omitempty"`
}

// sealPrefix begins encrypted content, as it does OpenAI's.
const sealPrefix = "gAAAAA"

// seal encrypts for one organization. Equal items are sealed alike.
func seal(organization string, item sealed) string {
	item.Padding = strings.Repeat("reason, ", item.Tokens/2)
	plain := fakeserver.EncodeJSON(item)
	gcm, key := sealer(organization)
	mac := hmac.New(sha256.New, key)
	mac.Write(plain)
	nonce := mac.Sum(nil)[:gcm.NonceSize()]
	return sealPrefix + base64.URLEncoding.EncodeToString(gcm.Seal(nonce, nonce, plain, nil))
}

// open decrypts what seal made for the organization; ok is false for all else. An item that came
// back with an id must have the one that it was made with.
func open(organization string, item Object) (content sealed, ok bool) {
	encoded, marked := strings.CutPrefix(item.Text("encrypted_content"), sealPrefix)
	b, err := base64.URLEncoding.DecodeString(encoded)
	gcm, _ := sealer(organization)
	if !marked || err != nil || len(b) < gcm.NonceSize() {
		return sealed{}, false
	}
	plain, err := gcm.Open(nil, b[:gcm.NonceSize()], b[gcm.NonceSize():], nil)
	if err != nil || json.Unmarshal(plain, &content) != nil {
		return sealed{}, false
	}
	id := item.Text("id")
	return content, content.Type == item.Text("type") && (id == "" || id == content.ID)
}

func sealer(organization string) (cipher.AEAD, []byte) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(organization))
	key := mac.Sum(nil)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes
	}
	return gcm, key
}
