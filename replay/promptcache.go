package replay

import (
	"encoding/binary"
	"hash/maphash"

	"killick/view"
)

// Providers cache prompts of 1,024 tokens or more, in steps of 128
// (https://platform.openai.com/docs/guides/prompt-caching).
const (
	minCached = 1024
	cacheStep = 128
)

// promptCache simulates a provider's prompt cache for one conversation: it keeps every prefix of
// every earlier request, in whole messages, without end.
type promptCache struct {
	seed maphash.Seed
	sent map[uint64]struct{} // chained hashes of prefixes
}

func newPromptCache() *promptCache {
	return &promptCache{seed: maphash.MakeSeed(), sent: map[uint64]struct{}{}}
}

// start begins the chain of a request with what precedes its messages.
func (c *promptCache) start(tools []byte) uint64 { return maphash.Bytes(c.seed, tools) }

// chain extends a chain by one message.
func (c *promptCache) chain(before uint64, message view.Fingerprint) uint64 {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], before)
	binary.LittleEndian.PutUint64(b[8:], message[0])
	binary.LittleEndian.PutUint64(b[16:], message[1])
	return maphash.Bytes(c.seed, b[:])
}

// send adds a request and returns how many of its tokens were cached: those of its longest prefix
// that was sent before. overhead is the number of tokens that precede the messages.
func (c *promptCache) send(tools []byte, overhead int, messages []*message) (cached int) {
	h := c.start(tools)
	_, known := c.sent[h]
	c.sent[h] = struct{}{}
	if known {
		cached = overhead
	}
	for _, m := range messages {
		h = c.chain(h, m.fingerprint)
		if known {
			if _, known = c.sent[h]; known {
				cached += m.tokens
				continue
			}
		}
		c.sent[h] = struct{}{}
	}
	if cached < minCached {
		return 0
	}
	return cached - cached%cacheStep
}
