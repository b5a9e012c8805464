package tokenizer

import (
	"hash/maphash"
	"math"

	"killick/rawjson"
	"killick/view"
)

// Model counts for one model and one client. It is safe for concurrent use; the requests and
// messages given to it are not. Models of the same counter, name and client are equal.
type Model struct {
	*tables
	memo   *memo
	ratios *ratios
	client client
}

// client identifies whose requests are counted.
type client struct {
	who  string
	salt memoKey // mixed into the keys of what is remembered for it
}

func clientOf(who string) client {
	return client{who, memoKey{
		maphash.String(memoSeeds[0], who), maphash.String(memoSeeds[1], who),
	}}
}

// mix returns the key of a value that is remembered for the client only.
func (c *client) mix(key memoKey) memoKey {
	return memoKey{key[0] ^ c.salt[0], key[1] ^ c.salt[1]}
}

// Message returns the tokens that msg takes in a request: its frame, name, content and calls.
func (m Model) Message(msg *view.Message) int { return m.measure(msg).tokens }

// Estimated returns how many of the tokens of msg are an estimate: those of parts that are not
// text, or are encrypted.
func (m Model) Estimated(msg *view.Message) int { return m.measure(msg).estimated }

// measure counts a message, unless it was counted before.
func (m Model) measure(msg *view.Message) measured {
	key := memoKey(msg.Fingerprint())
	key[0] ^= m.profile
	// The same bytes may be read as different messages.
	key[1] ^= maphash.String(memoSeeds[0], msg.Format().Name())
	key = m.client.mix(key)
	if v, ok := m.memo.get(key); ok {
		return measured{tokens: int(v >> 32), estimated: int(v & math.MaxUint32)}
	}
	n := m.countMessage(msg)
	m.memo.put(key, uint64(n.tokens)<<32|uint64(n.estimated))
	return n
}

// remembered returns what count gave for the same bytes before. The kinds of
// values that come here never look alike.
func (m Model) remembered(v rawjson.Value, count func() int) int {
	key := hashKey(v)
	key[0] ^= m.profile
	key = m.client.mix(key)
	if n, ok := m.memo.get(key); ok {
		return int(n)
	}
	n := count()
	m.memo.put(key, uint64(n))
	return n
}
