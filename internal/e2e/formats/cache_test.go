package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"killick/internal/fakemessages"
	"killick/rawjson"
)

// caching is how a client marks what the provider is to cache, as Claude Code does: two blocks of
// its own in front of the system prompt, the last message of the user and, of four marks, the one
// before.
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

// system is what the system prompt begins with.
func (c *caching) system() string {
	return `{"type":"text","text":"You are an agent that mends programs."` + c.mark() +
		`,{"type":"text","text":"` + strings.Repeat("Work with care and say what you did. ", 200) +
		`"` + c.mark()
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
	if at := bytes.Index(k.fields, []byte(`"system":[`)); at >= 0 {
		k.fields = slices.Insert(k.fields, at+len(`"system":[`), []byte(c.system()+`,`)...)
	} else {
		k.fields = slices.Insert(k.fields, 1, []byte(`"system":[`+c.system()+`],`)...)
	}
	return k
}

// With the marks of Claude Code, the forms that the proxy makes are read from a cache that goes by
// marks nearly as far as from one that finds the longest prefix.
func TestMarksReachTheLongestPrefix(t *testing.T) {
	all := sampled(t, 12, 36)
	for _, c := range []caching{{3, ""}, {4, ""}, {3, "1h"}, {4, "1h"}} {
		t.Run(fmt.Sprint(c.marks, " marks ", c.ttl), func(t *testing.T) {
			t.Parallel()
			read, longest, prompt, folds := 0, 0, 0, 0
			for i := range all {
				chat := whole(&all[i], checking)
				if len(chat) < 60_000 || len(all[i].Messages) < 40 {
					continue
				}
				k := newCachedTalk(t, chat, &c)
				r := newDeployment(t, k.up.URL()+"/v1", small(chat)).start(t)
				for range k.turns {
					k.ask(t, r.public)
				}
				r.stop()
				folds += len(k.refs)
				for _, request := range k.up.Requests() {
					read, longest = read+request.Usage.CacheReadTokens, longest+request.ByPrefix
					prompt += request.Usage.Prompt()
				}
			}
			t.Logf("%d records; of %d tokens %.1f%% are read, %.1f%% with the longest prefix: "+
				"%.2f%% of that", folds, prompt, 100*float64(read)/float64(max(prompt, 1)),
				100*float64(longest)/float64(max(prompt, 1)),
				100*float64(read)/float64(max(longest, 1)))
			if folds < 5 || read*100 < longest*95 {
				t.Errorf("%d of %d tokens through %d records, want 95%% at least", read, longest,
					folds)
			}
		})
	}
}
