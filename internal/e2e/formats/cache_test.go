package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/convert"
	"killick/internal/fakemessages"
	"killick/rawjson"
)

// caching is how a client marks what the provider is to cache, as Claude Code does: the block that
// it begins the system prompt with and the last of it, the last message of the user and, of four
// marks, the one before.
type caching struct {
	marks int
	ttl   string // of each mark, "" for the usual one
}

func (c *caching) mark() string {
	if c.ttl == "" {
		return `,"cache_control":{"type":"ephemeral"}}`
	}
	return `,"cache_control":{"type":"ephemeral","ttl":"` + c.ttl + `"}}`
}

// system marks blocks of a system prompt, without their brackets; there may be none.
func (c *caching) system(blocks []byte) []byte {
	b := []byte(`{"type":"text","text":"You are an agent that mends programs."` + c.mark() + `,`)
	if len(blocks) == 0 {
		blocks = []byte(`{"type":"text","text":"` +
			strings.Repeat("Work with care and say what you did. ", 200) + `"}`)
	}
	return append(append(b, bytes.TrimSuffix(blocks, []byte(`}`))...), c.mark()...)
}

// marked returns messages with marks on the last of the user's.
func (c *caching) marked(messages [][]byte) [][]byte {
	left := c.marks - 2
	messages = slices.Clone(messages)
	for i, m := range slices.Backward(messages) {
		if left == 0 {
			break
		}
		if !rawjson.Value(m).Get("role").Is("user") {
			continue
		}
		left--
		content := rawjson.Value(m).Get("content")
		if content.Kind() == rawjson.String {
			m = fmt.Appendf(nil, `{"role":"user","content":[{"type":"text","text":%s}]}`, content)
		}
		m = append(bytes.Clone(bytes.TrimSuffix(m, []byte(`}]}`))), c.mark()...)
		messages[i] = append(m, `]}`...)
	}
	return messages
}

// newCachedTalk returns a client that marks what is to be cached. Between two of its requests lie
// twenty seconds.
func newCachedTalk(t testing.TB, chat []byte, c *caching) *talk {
	t.Helper()
	var asked atomic.Int64
	k := newTalkTo(t, chat, omitted, true, fakemessages.Config{Now: func() time.Time {
		return time.Unix(1_800_000_000+20*asked.Add(1), 0)
	}})
	k.cached = c
	system := rawjson.Value(append(bytes.Clone(k.fields), `]}`...)).Get("system")
	messages := k.fields
	k.fields = []byte(`{"system":[`)
	k.fields = append(k.fields, c.system(bytes.Trim(system, "[]"))...)
	k.fields = append(append(k.fields, `],`...), without(messages[1:], "system", system)...)
	return k
}

// without returns members without one of them, which is followed by another.
func without(members []byte, name string, value rawjson.Value) []byte {
	return bytes.Replace(members, fmt.Appendf(nil, "%q:%s,", name, value), nil, 1)
}

// With the marks of Claude Code, the forms that the proxy makes are read from a cache that goes by
// marks nearly as far as from one that finds the longest prefix.
func TestMarksReachTheLongestPrefix(t *testing.T) {
	if testing.Short() {
		t.Skip("many requests, none at the same time")
	}
	chats := recordedFor(t, checking, 18, 18)
	for _, c := range []caching{{3, ""}, {4, ""}, {3, "1h"}, {4, "1h"}} {
		for name, set := range cacheSettings {
			if name == "small" && !everything() {
				continue // a few conversations that are folded every other turn say little
			}
			t.Run(fmt.Sprint(name, ", ", c.marks, " marks ", c.ttl), func(t *testing.T) {
				t.Parallel()
				var sum cacheReads
				for _, chat := range chats {
					if _, err := convert.Messages(chat); err != nil {
						continue
					}
					k := newCachedTalk(t, chat, &c)
					r := newDeployment(t, k.up.URL()+"/v1", set(chat)).start(t)
					for range k.turns {
						k.ask(t, r.Public)
					}
					r.Stop()
					sum.folds += len(k.refs)
					for _, got := range k.up.Requests() {
						sum.add(got.Usage.CacheReadTokens, got.ByPrefix, got.Usage.Prompt())
					}
				}
				sum.report(t)
			})
		}
	}
}

// cacheSettings are a usual one, and one with a fold every few turns.
var cacheSettings = map[string]func(chat []byte) func(*config.Config){
	"32000 to 16000": func([]byte) func(*config.Config) { return between(32_000, 16_000) },
	"small":          small,
}

// cacheReads adds up what was read from a cache, and what the longest prefix would have brought.
type cacheReads struct{ read, longest, prompt, folds int }

func (c *cacheReads) add(read, longest, prompt int) {
	c.read, c.longest, c.prompt = c.read+read, c.longest+longest, c.prompt+prompt
}

// report fails where less than 95% of that was read.
func (c *cacheReads) report(t *testing.T) {
	t.Helper()
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	t.Logf("%d records; of %d tokens %.1f%% are read, %.1f%% with the longest prefix: %.2f%% of "+
		"that", c.folds, c.prompt, share(c.read, c.prompt), share(c.longest, c.prompt),
		share(c.read, c.longest))
	if c.folds == 0 || c.read*100 < c.longest*95 {
		t.Errorf("%d of %d tokens are read through %d records, want 95%% at least", c.read,
			c.longest, c.folds)
	}
}
