package tokenizer

import "hash/maphash"

// Model counts for one model and one client. It is safe for concurrent use; the requests and
// messages given to it are not. Models of the same counter, name and client are equal.
type Model struct {
	*tables
	counter *Counter
	client  client
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
