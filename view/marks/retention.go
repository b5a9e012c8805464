package marks

import (
	"time"

	"killick/rawjson"
	"killick/view"
)

// maxSearched limits the newest messages that are searched for a mark. Providers look back 20
// blocks at most (Anthropic, "Prompt caching").
const maxSearched = 24

// Retention returns for how long a request asks its provider to cache its messages, 0 if it does
// not say. Sources: OpenAI, "Prompt caching" (prompt_cache_retention, and
// prompt_cache_options.ttl); Anthropic, "Prompt caching" (cache_control.ttl).
func Retention(r *view.Request) time.Duration {
	for _, asked := range []rawjson.Value{
		r.Field("prompt_cache_retention"), r.Field("prompt_cache_options").Get("ttl"),
		r.Field("cache_control").Get("ttl"),
	} {
		if d, err := time.ParseDuration(asked.Text()); err == nil {
			return d
		}
	}
	messages, marked := r.Messages(), CandidatesOf(r)
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

// retentionOf returns for how long the last mark of a message asks its provider to cache. ok is
// false if the message has no mark.
func retentionOf(m *view.Message) (d time.Duration, ok bool) {
	see := func(object rawjson.Value) {
		if _, mark := Of(object); mark != nil {
			d, _ = time.ParseDuration(mark.Get("ttl").Text())
			ok = true
		}
	}
	_ = rawjson.WalkRun(m.Raw, func(at int) (int, error) {
		end, err := rawjson.Skip(m.Raw, at)
		if err == nil {
			see(m.Raw[at:end])
		}
		return end, err
	})
	for part := range m.Content().Elements() {
		see(part)
	}
	return d, ok
}
