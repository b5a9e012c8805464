package view

import (
	"time"

	"killick/rawjson"
)

// maxSearched bounds in how many of the newest messages a mark is looked for: providers look no
// further back than 20 blocks for one (Anthropic, "Prompt caching").
const maxSearched = 24

// Retention returns for how long a request asks its provider to cache its messages, 0 if it leaves
// that to the provider. Sources: OpenAI, "Prompt caching" (prompt_cache_retention, and
// prompt_cache_options.ttl); Anthropic, "Prompt caching" (cache_control.ttl).
func (r *Request) Retention() time.Duration {
	for _, asked := range []rawjson.Value{
		r.Field("prompt_cache_retention"), r.Field("prompt_cache_options").Get("ttl"),
		r.Field("cache_control").Get("ttl"),
	} {
		if d, err := time.ParseDuration(asked.Text()); err == nil {
			return d
		}
	}
	messages, marked := r.list.Messages, r.MaybeMarked()
	for i := len(messages) - 1; i >= max(0, len(messages)-maxSearched); i-- {
		if !marked.At(i) {
			continue
		}
		if d, ok := retentionOf(&messages[i]); ok {
			return d
		}
	}
	return 0
}

// retentionOf returns for how long the last mark of a message asks its provider to cache; it is not
// ok where there is none.
func retentionOf(m *Message) (d time.Duration, ok bool) {
	see := func(object rawjson.Value) {
		if _, mark := MarkOf(object); mark != nil {
			d, _ = time.ParseDuration(mark.Get("ttl").Text())
			ok = true
		}
	}
	see(m.Raw)
	for part := range m.Content().Elements() {
		see(part)
	}
	return d, ok
}
