package wire

import (
	"context"
	"time"

	"killick/cache"
	"killick/cache/shared"
	"killick/compaction"
	"killick/compactor"
	"killick/compactor/layout"
	"killick/compactor/report"
	"killick/internal/config"
	"killick/proxy"
	"killick/proxy/stored"
	"killick/tokenizer"
	"killick/view"
)

// Each part declares the interfaces that it needs. The adapters here and in checkpoints.go
// implement them with other parts. They make no decisions.

// Engine implements the proxy's interfaces with the compactor.
type Engine struct {
	*compactor.Engine
	at        map[string]*compactor.Engine // by upstream, if there are several
	counter   *tokenizer.Counter
	stored    *checkpoints
	windows   *learnedWindows
	ratios    *learnedRatios
	summaries *summaries // if nil, rules write all summaries
}

// Fits implements [proxy.Compactor].
func (e Engine) Fits(body []byte, model, who, upstream string) bool {
	fits := e.of(upstream).Fits(body, model, who)
	if !fits { // the tables of most models were built at start-up
		if named := view.PeekModel(body); model == "" && named != nil {
			model = named.Text()
		}
		tokenizer.Warm(model)
	}
	return fits
}

// Compact implements [proxy.Compactor].
func (e Engine) Compact(ctx context.Context, req proxy.Request) compaction.Outcome {
	var out compaction.Outcome
	engine := e.of(req.Upstream)
	switch o := req.Overflow; {
	case o != nil:
		out = engine.Shrink(ctx, req.Chat, req.Who, *o)
	case req.Withdraw:
		out = engine.Withdraw(ctx, req.Chat, req.Who)
	default:
		out = engine.CompactFor(ctx, req.Chat, req.Who, e.summaries.writers(req))
	}
	sent := out.Sent
	if req.Observe {
		sent = out.Raw
	}
	body := out.Body
	if req.Observe {
		body = req.Chat.Raw()
	}
	if ctx.Err() == nil { // else nobody waits for it, and finding out what it is worth takes long
		out.Learn = e.ratios.learner(req, body, sent)
	}
	return out
}

// Record implements [proxy.Recorder].
func (e Engine) Record(ctx context.Context, req proxy.Request) (compaction.Record, error) {
	return e.of(req.Upstream).Record(ctx, req.Chat, req.Who)
}

// of returns the engine for requests to an upstream.
func (e Engine) of(upstream string) *compactor.Engine {
	if at := e.at[upstream]; at != nil {
		return at
	}
	return e.Engine
}

// Originals returns the store of originals and summaries.
func (e Engine) Originals() interface {
	stored.Originals
	stored.Summaries
} {
	return e.stored.originals
}

// Parts are the parts of an Engine.
type Parts struct {
	Store   *cache.Store
	Shared  *shared.Store // combined with Store; nil if no store is shared
	Secret  cache.Secret  // of the store
	Counter *tokenizer.Counter

	writers *summaries           // if nil, rules write all summaries
	formed  func(*report.Report) // if not nil, called for each new form with a record
	now     func() time.Time     // if nil, time.Now
	costs   Costs                // if nil, those of the configuration
}

// NewEngine returns the compactor of a configuration. The caller closes it before the store.
func NewEngine(c *config.Config, p Parts) Engine {
	var store Store = ownStore{p.Store}
	if p.Shared != nil {
		store = sharedStore{p.Shared}
	}
	stored := &checkpoints{
		originals: originals{store, p.Secret, storedUpstream(c)},
		policy:    c.Renders(),
	}
	announce := announceTo(p.Shared)
	windows := newLearnedWindows(func(model string) uint64 {
		return p.Counter.For(model).Hash()
	}, announce)
	options := compactor.Options{
		Policy:  c.Policy(),
		Windows: windows.at(""),
		Counter: func(who, model string) layout.Counter { return p.Counter.ForClient(who, model) },
		Store:   stored,
		Formed:  p.formed,
		Now:     p.now,
		Costs:   p.costs,

		MaxPartTokens: tokenizer.MaxPartTokens(),
	}
	if options.Costs == nil {
		options.Costs = newCosts(c).of
	}
	if p.writers != nil {
		options.Prepared, options.Writing = stored.prepared(), p.writers.writing()
	}
	if p.Shared != nil {
		options.Replicas = replicas{p.Shared}
	}
	engine := compactor.New(options)
	return Engine{engine, enginesAt(c, engine, windows), p.Counter, stored, windows,
		newLearnedRatios(p.Counter, announce), p.writers}
}
