package responses

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"strings"

	"killick/rawjson"
)

// Sealer makes and reads our compaction items. Their encrypted content is a record, sealed so that
// only its owner can send it back, and nobody can read or forge it.
type Sealer struct{ aead cipher.AEAD }

// NewSealer returns a Sealer that uses a key. Items that were sealed with another key are refused.
func NewSealer(key [32]byte) *Sealer {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only a key of another size is an error
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only a block of another size is an error
	}
	return &Sealer{aead}
}

// sealed begins the encrypted content of our items. The number is the version of the form.
const (
	sealed      = sealedStart + sealedEnd
	sealedStart = "killick"
	sealedEnd   = "-1."
)

var encoding = base64.RawURLEncoding

// bound returns the additional data that is authenticated with a record: the form and the owner.
func bound(who string) []byte { return []byte(sealed + who) }

// seal returns a record as the encrypted content of an item that belongs to the credential who.
func (s *Sealer) seal(who, record string) string {
	return sealed + encoding.EncodeToString(s.aead.Seal(nil, nil, []byte(record), bound(who)))
}

// open returns the record in our encrypted content. ok is false if it was not sealed with this key
// for this credential.
func (s *Sealer) open(who, content string) (record string, ok bool) {
	raw, err := encoding.DecodeString(strings.TrimPrefix(content, sealed))
	if err != nil {
		return "", false
	}
	text, err := s.aead.Open(nil, nil, raw, bound(who))
	return string(text), err == nil
}

// Unsealed counts our compaction items in the input of a request.
type Unsealed struct {
	Records int // items that were replaced by their records
	Refused int // items of another credential or key, or damaged ones: they stay
}

// Sealed reports whether a body may have compaction items of ours. It is cheap, since most bodies
// have none. It searches for their beginning as text: no JSON encoder escapes these letters. It
// looks for the end of that beginning first, since it is rarer.
func Sealed(body []byte) bool {
	for {
		i := bytes.Index(body, []byte(sealedEnd))
		if i < 0 || bytes.HasSuffix(body[:i], []byte(sealedStart)) {
			return i >= 0
		}
		body = body[i+len(sealedEnd):]
	}
}

// Unseal returns a body with each of our compaction items replaced by a user message with its
// record. It is called before a request is parsed, so that all later steps see a plain
// conversation. Other items and all other bytes stay.
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
		return Format.Spelling().UserMessage(rawjson.AppendQuoted(nil, record)), true
	})
	return out, found
}

// editItems returns a body with the items of its input replaced for which edit returns a
// replacement, and reports whether there were any. Every other byte stays. A body whose input
// cannot be read is returned unchanged.
func editItems(
	body []byte, edit func(raw rawjson.Value) (replacement []byte, edited bool),
) ([]byte, bool) {
	at, ok := inputOf(body)
	if !ok {
		return body, false
	}
	var out []byte
	last := 0 // body[:last] is in out, edited
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

// inputOf returns the range of the list of items in a body. ok is false if there is none, or more
// than one.
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
