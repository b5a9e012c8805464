package fakeupstream

import (
	"hash/maphash"
	"sync"
	"time"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
	"killick/view"
)

// shapesPrompt are the fields that, with the messages, make the prompt or that the cache is keyed
// on besides, each at some provider: schemas are written before the system message
// (https://platform.openai.com/docs/guides/prompt-caching), Anthropic's messages are cached by
// tool_choice (https://docs.claude.com/en/docs/build-with-claude/prompt-caching), and gpt-oss gets
// the effort in its system message (https://cookbook.openai.com/articles/openai-harmony). They
// precede the messages in what a provider caches. The second to the fourth are counted as tokens.
var shapesPrompt = []string{"model", "tools", "functions", "response_format", "tool_choice",
	"function_call", "reasoning_effort"}

// promptCache remembers prefixes of prompts as a provider's prompt cache does: per credential,
// model and tools. It holds only hashes.
type promptCache struct {
	seed maphash.Seed

	mu    sync.Mutex
	known fakeserver.Prefixes
}

func (c *promptCache) init() {
	c.seed = maphash.MakeSeed()
	c.forget()
}

func (c *promptCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = fakeserver.Prefixes{}
}

// use returns how many tokens of the request the cache holds for a credential,
// and remembers the request. The messages are compared by what they say, not
// by how their JSON is spelled, as a provider sees them.
func (c *promptCache) use(credential string, req *view.Request, perMessage []int, fixed int) int {
	prefixes := c.prefixes(credential, req)
	c.mu.Lock()
	defer c.mu.Unlock()
	known := 0
	for known < len(prefixes) && c.known.Has(prefixes[known], time.Time{}) {
		known++
	}
	for _, prefix := range prefixes {
		c.known.Add(prefix, time.Time{})
	}
	if known == 0 {
		return 0
	}
	cached := fixed
	for _, tokens := range perMessage[:known-1] {
		cached += tokens
	}
	if cached < openaiapi.MinCached {
		return 0
	}
	return cached - cached%openaiapi.CacheStep
}

// prefixes returns the chain of hashes over the request: what precedes the
// messages, then each message.
func (c *promptCache) prefixes(credential string, req *view.Request) []uint64 {
	messages := req.Messages()
	prefixes := make([]uint64, 0, len(messages)+1)
	var h maphash.Hash
	h.SetSeed(c.seed)
	maphash.WriteComparable(&h, credential)
	for _, name := range shapesPrompt {
		maphash.WriteComparable(&h, string(req.Field(name)))
	}
	prefixes = append(prefixes, h.Sum64())
	var canonical []byte
	for i := range messages {
		canonical = messages[i].AppendCanonical(canonical[:0])
		h.Reset()
		maphash.WriteComparable(&h, prefixes[i])
		_, _ = h.Write(canonical)
		prefixes = append(prefixes, h.Sum64())
	}
	return prefixes
}
