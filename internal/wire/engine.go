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
	"killick/view"
)

// The parts see each other through interfaces of their own. What stands here and
// in checkpoints.go makes one fit the other and decides nothing.

// Engine is the compactor as the proxy sees it.
type Engine struct {
	*compactor.Engine
	at        map[string]*compactor.Engine // by upstream, where there are several
	counter   *tokenizer.Counter
	stored    *checkpoints
	summaries *summaries // nil: rules write all of them
}

// Fits implements [proxy.Compactor].
func (e Engine) Fits(body []byte) bool {
	fits := e.Engine.Fits(body)
	if !fits { // the tables of most models were built at start-up
		var model string
		if named := view.PeekModel(body); named != nil {
			model = named.Text()
		}
		tokenizer.Warm(model)
	}
	return fits
}

// Compact implements [proxy.Compactor].
func (e Engine) Compact(ctx context.Context, req proxy.Request) compaction.Outcome {
	var out compaction.Outcome
	engine := e.Engine
	if at := e.at[req.Upstream]; at != nil {
		engine = at
	}
	if o := req.Overflow; o != nil {
		out = engine.Shrink(ctx, req.Chat, req.Who, *o)
	} else {
		out = engine.CompactFor(ctx, req.Chat, req.Who, e.summaries.author(req))
	}
	sent := out.Sent
	if req.Observe {
		sent = out.Raw
	}
	out.Learn = e.learner(req, sent)
	return out
}

// learner returns what takes the upstream's count of the request that is sent, which our
// counts for its model are compared with; nil where nothing can be learnt.
func (e Engine) learner(req proxy.Request, sent int) func(chat.Usage) {
	if sent == 0 || hasMedia(req.Chat) {
		return nil
	}
	model := e.counter.For(req.Chat.Model())
	return func(u chat.Usage) { model.Observe(sent, u.PromptTokens) }
}

// hasMedia reports whether a message of the request holds what is no text. What was seen
// before is remembered.
func hasMedia(req *view.Request) bool {
	msgs := req.Messages()
	for len(msgs) > 0 && msgs[0].Role().Instructs() {
		msgs = msgs[1:]
	}
	kept, n := req.Memory().Load(mediaKey{})
	// How many messages stand before the first with media, plus one; 0: none has any.
	media, _ := kept.(int)
	if media > n {
		media = 0
	}
	for i := n; i < len(msgs) && media == 0; i++ {
		if !msgs[i].OnlyText() {
			media = i + 1
		}
	}
	req.Memory().Store(mediaKey{}, media, len(msgs), 0)
	return media > 0
}

// mediaKey is where that is kept in a view.Memory.
type mediaKey struct{}

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
		originals: originals{p.Store, p.Secret, storedUpstream(c)},
		policy:    c.Renders(),
	}
	windows := newLearnedWindows()
	options := compactor.Options{
		Policy:  c.Policy(),
		Redact:  c.Compaction.Redact.Redactor(),
		Windows: windows.at(""),
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
	engine := compactor.New(options)
	return Engine{engine, enginesAt(c, engine, windows), p.Counter, stored, p.writers}
}
