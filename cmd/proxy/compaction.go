package main

import (
	"context"
	"fmt"

	"killick/cache"
	"killick/chat"
	"killick/compactor"
	"killick/model"
	"killick/proxy"
	"killick/tokenizer"
)

// The parts see each other through interfaces of their own. What stands here and
// in checkpoints.go makes one fit the other and decides nothing.

// engine is the compactor as the proxy sees it.
type engine struct {
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
func (e engine) Fits(body []byte) bool {
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
func (e engine) Compact(ctx context.Context, req proxy.Request) proxy.Outcome {
	var res compactor.Result
	if o := req.Overflow; o != nil {
		res = e.Engine.Shrink(ctx, req.Chat, req.Who, compactor.Overflow(*o))
	} else {
		res = e.Engine.CompactFor(ctx, req.Chat, req.Who, e.summaries.author(req))
	}
	out := proxy.Outcome{
		Body: res.Body, Raw: res.Raw, Sent: res.Sent, Reason: res.Reason,
		Made: res.Made, Refetched: res.Refetched, Summary: res.Report, After: res.After,
	}
	if res.Masked {
		out.Actions = append(out.Actions, proxy.ActionMask)
	}
	if res.Folded {
		out.Actions = append(out.Actions, proxy.ActionSummary)
	}
	if res.Reused {
		out.Actions = append(out.Actions, proxy.ActionReuse)
	}
	if res.Probe != nil {
		out.Probe = probeOf(res.Probe, !res.Reused)
	}
	for _, d := range res.Dropped {
		out.Dropped = append(out.Dropped, proxy.Dropped(d))
	}
	for _, plan := range res.Plans {
		out.Plans = append(out.Plans, plan.String())
	}
	for _, f := range res.FailOpens {
		out.FailOpens = append(out.FailOpens, proxy.FailOpen(f))
	}
	out.Learn = e.learner(req, res.Body)
	return out
}

// probeOf is what was proven of a record as the proxy reports it.
func probeOf(p *compactor.Probe, fresh bool) *proxy.Probe {
	out := &proxy.Probe{Held: p.Held, Of: p.Of, Repaired: p.Repaired, Fresh: fresh}
	if m := p.Model; m != nil {
		out.Model = &proxy.ModelProbe{
			Verdict: string(m.Verdict), Score: m.Score, Asked: m.Asked,
			Verified: m.Verified, Written: m.Written, Carried: m.Carried,
		}
	}
	return out
}

// learner returns what takes the upstream's count of the request that is sent:
// the truth that counts of this conversation and this model are held against.
func (e engine) learner(req proxy.Request, body []byte) func(chat.Usage) {
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

// newEngine builds the compactor of a configuration. If s is nil, no model is
// asked. Whoever calls it closes the engine before the store.
func newEngine(c *Config, store *cache.Store, secret cache.Secret, counter *tokenizer.Counter, s *summaries) engine {
	return newReportingEngine(c, store, secret, counter, s, nil)
}

// newReportingEngine is newEngine with formed called for each new form that holds a
// record; nil: nobody is told.
func newReportingEngine(c *Config, store *cache.Store, secret cache.Secret, counter *tokenizer.Counter,
	s *summaries, formed func(*compactor.Report),
) engine {
	stored := &checkpoints{
		originals: originals{store, secret, c.Upstream.BaseURL},
		digests:   cache.NewDigests(0),
		policy:    c.renders(),
	}
	options := compactor.Options{
		Policy:  c.policy(),
		Redact:  c.Compaction.Redact.text(),
		Windows: newLearnedWindows(),
		Counter: func(model string) compactor.Counter { return counter.For(model) },
		Store:   stored,
		Formed:  formed,
	}
	if s != nil {
		options.Prepared, options.Writing = stored.prepared(), s.writing()
	}
	for _, part := range []string{"image_url", "input_audio", "file"} {
		options.PartMost = max(options.PartMost, counter.For("").PartCeiling(part))
	}
	return engine{compactor.New(options), counter, stored, s}
}

// renders names all that changes what a conversation is rendered to, beside its
// messages.
func (c *Config) renders() string {
	name := fmt.Sprintf("%s;redact=%s;summarizer=%s", compactor.RendererVersion, c.Compaction.Redact.version(), c.Compaction.Summarizer)
	if c.Compaction.Summarizer == "model" && c.Model.Identifiers == string(model.RedactIdentifiers) {
		name += ";identifiers=" + c.Model.Identifiers
	}
	if len(c.Compaction.Pin) > 0 {
		name += fmt.Sprintf(";pin=%q", c.Compaction.Pin)
	}
	return name
}

// policy is the compactor's part of a configuration.
func (c *Config) policy() compactor.Policy {
	return compactor.Policy{
		Trigger:       compactor.Size(c.Compaction.Trigger),
		Target:        compactor.Size(c.Compaction.Target),
		MinGain:       c.Compaction.MinGain,
		Protect:       compactor.Size(c.Compaction.Protect),
		ProtectTurns:  c.Compaction.ProtectTurns,
		Pin:           c.Compaction.Pin,
		MinMaskTokens: c.Compaction.MinMaskTokens,
		SummaryChars:  c.Compaction.SummaryChars,
		RecordTokens:  c.Compaction.RecordTokens,
		IndexTokens:   c.Compaction.IndexTokens,
		Ingest:        c.Compaction.Ingest,
		IdleAfter:     c.Compaction.IdleAfter,
		ExcludeTools:  c.Compaction.ExcludeTools,
		RedactPins:    c.Compaction.Redact == RedactAll,
		Windows:       c.Windows(),
		Models:        c.modelPolicies(),
		StrictTurns:   c.Upstream.StrictTurns,
		StrictModels:  c.strictModels(),
		Prepare:       c.Compaction.Prepare,
		Covers:        c.Probe.Enabled,
		LeastCoverage: c.Probe.HardFailThreshold,
	}
}
