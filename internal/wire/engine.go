package wire

import (
	"context"

	"killick/cache"
	"killick/chat"
	"killick/compaction"
	"killick/compactor"
	"killick/compactor/layout"
	"killick/compactor/report"
	"killick/internal/config"
	"killick/proxy"
	"killick/tokenizer"
)

// The parts see each other through interfaces of their own. What stands here and
// in checkpoints.go makes one fit the other and decides nothing.

// Engine is the compactor as the proxy sees it.
type Engine struct {
	*compactor.Engine
	counter   *tokenizer.Counter
	stored    *checkpoints
	summaries *summaries // nil: rules write all of them
}

// soonCounted is the size of a body whose conversation will have to be counted
// before long: the tables that takes are built meanwhile, in a tenth of a second
// of another goroutine. Whoever never sends more has no use for 20 MB of them.
const soonCounted = 16 << 10

// Fits implements [proxy.Compactor].
func (e Engine) Fits(body []byte) bool {
	fits := e.Engine.Fits(body)
	if !fits || len(body) >= soonCounted {
		var model string
		if named := chat.PeekModel(body); named != nil {
			model = named.Text()
		}
		tokenizer.Warm(model)
	}
	return fits
}

// Compact implements [proxy.Compactor].
func (e Engine) Compact(ctx context.Context, req proxy.Request) compaction.Outcome {
	var out compaction.Outcome
	if o := req.Overflow; o != nil {
		out = e.Engine.Shrink(ctx, req.Chat, req.Who, *o)
	} else {
		out = e.Engine.CompactFor(ctx, req.Chat, req.Who, e.summaries.author(req))
	}
	out.Learn = e.learner(req, out.Body)
	return out
}

// learner returns what takes the upstream's count of the request that is sent:
// the truth that counts of this conversation and this model are held against.
func (e Engine) learner(req proxy.Request, body []byte) func(chat.Usage) {
	sent := req.Chat
	if !req.Observe && len(body) != len(sent.Raw()) {
		var err error
		if sent, err = chat.Parse(body); err != nil {
			return nil // it was checked when it was made: nothing to learn is the least harm
		}
	}
	observe := e.counter.For(sent.Model()).Observer(sent)
	return func(u chat.Usage) { observe(u.PromptTokens) }
}

// Originals is what the proxy asks of the store.
func (e Engine) Originals() interface {
	proxy.Originals
	proxy.Summaries
} {
	return e.stored.originals
}

// Parts are what an Engine works with.
type Parts struct {
	Store   *cache.Store
	Secret  cache.Secret // of the store
	Counter *tokenizer.Counter

	writers *summaries           // if nil, rules write all summaries
	formed  func(*report.Report) // called for each new form that holds a record, unless nil
}

// NewEngine builds the compactor of a configuration. Whoever calls it closes the
// engine before the store.
func NewEngine(c *config.Config, p Parts) Engine {
	stored := &checkpoints{
		originals: originals{p.Store, p.Secret, c.Upstream.BaseURL},
		digests:   cache.NewDigests(0),
		policy:    c.Renders(),
	}
	options := compactor.Options{
		Policy:  c.Policy(),
		Redact:  c.Compaction.Redact.Redactor(),
		Windows: newLearnedWindows(),
		Counter: func(model string) layout.Counter { return p.Counter.For(model) },
		Store:   stored,
		Formed:  p.formed,
	}
	if p.writers != nil {
		options.Prepared, options.Writing = stored.prepared(), p.writers.writing()
	}
	for _, part := range []string{"image_url", "input_audio", "file"} {
		options.PartMost = max(options.PartMost, p.Counter.For("").PartCeiling(part))
	}
	return Engine{compactor.New(options), p.Counter, stored, p.writers}
}
