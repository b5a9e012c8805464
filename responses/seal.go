package responses

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// Sealer makes and reads compaction items of ours: their encrypted content is a record, sealed so
// that nobody but its owner can send it back, and nobody else can read or forge it.
type Sealer struct{ aead cipher.AEAD }

// NewSealer returns a Sealer with a key that is kept nowhere else. With another key, what was
// sealed is refused.
func NewSealer(key [32]byte) *Sealer {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the size of a key is the only fault
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // as is the size of a block
	}
	return &Sealer{aead}
}

// sealed begins the encrypted content of our items. The number is that of the form.
const (
	sealed      = sealedStart + sealedEnd
	sealedStart = "killick"
	sealedEnd   = "-1."
)

var encoding = base64.RawURLEncoding

// bound is what is authenticated with a record beside it: whose it is.
func bound(who string) []byte { return []byte(sealed + who) }

// seal returns a record as the encrypted content of an item of a credential.
func (s *Sealer) seal(who, record string) string {
	return sealed + encoding.EncodeToString(s.aead.Seal(nil, nil, []byte(record), bound(who)))
}

// open returns the record of an encrypted content of ours; ok is false if it is not one that was
// sealed with this key for this credential.
func (s *Sealer) open(who, content string) (record string, ok bool) {
	raw, err := encoding.DecodeString(strings.TrimPrefix(content, sealed))
	if err != nil {
		return "", false
	}
	text, err := s.aead.Open(nil, nil, raw, bound(who))
	return string(text), err == nil
}

// Unsealed is what was found in the input of a request.
type Unsealed struct {
	Records int // compaction items of ours, which were replaced
	Refused int // that look like ours and are of another credential or key, or damaged: they stay
}

// Sealed reports whether a body may hold compaction items of ours. It is cheap: most hold none.
// No encoder escapes its letters. The end of what they begin with is looked for first, since it is
// rarer than the beginning.
func Sealed(body []byte) bool {
	for {
		i := bytes.Index(body, []byte(sealedEnd))
		if i < 0 || bytes.HasSuffix(body[:i], []byte(sealedStart)) {
			return i >= 0
		}
		body = body[i+len(sealedEnd):]
	}
}

// Unseal returns a body with each compaction item of ours replaced by a message of the user with
// its record. It comes before all else that is done with a request: the rest then sees a plain
// conversation. Items of others stay, and every other byte.
func (s *Sealer) Unseal(who string, body []byte) ([]byte, Unsealed) {
	var found Unsealed
	if !Sealed(body) {
		return body, found
	}
	out, _ := editItems(body, func(raw rawjson.Value) ([]byte, bool) {
		content := raw.Get("encrypted_content")
		if !raw.Get("type").Is("compaction") ||
			!strings.HasPrefix(string(content.StringBody()), sealed) {
			return nil, false
		}
		record, ok := s.open(who, content.Text())
		if !ok {
			found.Refused++
			return nil, false
		}
		found.Records++
		return view.UserMessage(rawjson.AppendQuoted(nil, record)), true
	})
	return out, found
}

// editItems returns a body with those items of its input replaced that edit returns something else
// for, and whether there were any. Every other byte stays. A body whose input cannot be read is
// returned as it is.
func editItems(
	body []byte, edit func(raw rawjson.Value) (replacement []byte, edited bool),
) ([]byte, bool) {
	at, ok := inputOf(body)
	if !ok {
		return body, false
	}
	var out []byte
	last := 0 // the part of the body before it is in out already
	_, err := rawjson.WalkArray(body, int(at.Start), func(from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err != nil {
			return end, err
		}
		if replacement, edited := edit(body[from:end:end]); edited {
			out = append(append(out, body[last:from]...), replacement...)
			last = end
		}
		return end, nil
	})
	if err != nil || last == 0 {
		return body, false
	}
	return append(out, body[last:]...), true
}

// inputOf returns where the list of items stands in a body. It is not found in a body that has two.
func inputOf(body []byte) (at rawjson.Span, ok bool) {
	i := rawjson.Space(body, 0)
	if i >= len(body) || body[i] != '{' || len(body) > rawjson.MaxBytes {
		return at, false
	}
	twice := false
	end, err := rawjson.WalkObject(body, i, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err == nil && key.Of(body).Is("input") {
			twice = twice || at.End != 0
			at = rawjson.SpanOf(from, end)
		}
		return end, err
	})
	if err != nil || rawjson.Space(body, end) != len(body) || twice {
		return at, false
	}
	return at, at.Of(body).Kind() == rawjson.Array
}
