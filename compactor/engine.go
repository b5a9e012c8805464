package compactor

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/prepare"
	"killick/compactor/report"
	"killick/compactor/settings"
	"killick/compactor/trigger"
	"killick/view"
)

// Options are what an Engine works with.
type Options struct {
	Policy settings.Policy
	// Counter returns what counts for a model. What it remembers and learns of the requests of
	// one credential, by its keyed hash, it uses for no other.
	Counter func(who, model string) layout.Counter
	Store   checkpoint.Store // required
	Windows settings.Windows // if nil, nothing is learned of refusals
	// takes credentials out of records and placeholders; if nil, they stay
	Redact   func(text string) string
	PartMost int // ceiling in tokens of one image, audio or file part; if zero, 3000
	// Costs returns what a model charges; if nil, nothing is known.
	Costs func(model string) settings.Costs
	// MaxDeciding is how many requests make new forms at once; others wait until their
	// time is up and are then sent in the form that is known. If zero, twice GOMAXPROCS.
	MaxDeciding int
	Now         func() time.Time     // if nil, time.Now
	Formed      func(*report.Report) // called with each new form that holds a record; may be nil

	// Prepared keeps what models wrote until it is used, apart from the forms in
	// Store. If nil, no model writes.
	Prepared checkpoint.Store
	Writing  prepare.Options

	Replicas Replicas // if nil, no other process uses Store
}

// Engine compacts requests. It is safe for concurrent use. It holds nothing of
// any conversation itself, save for what is being prepared; Close ends that.
type Engine struct {
	settings settings.Policy
	counter  func(who, model string) layout.Counter
	store    checkpoint.Store
	windows  settings.Windows
	costs    func(model string) settings.Costs
	partMost int
	least    int // the smallest trigger of any model
	most     int // the largest
	lastSeen *lastSeenIndex
	now      func() time.Time
	formed   func(*report.Report) // may be nil
	writing  *prepare.Background  // nil where no model writes
	replicas Replicas             // may be nil
	slots    chan struct{}        // of the requests that decide at once
	origin   string               // the upstream, "" where there is only one
}

// New returns an Engine.
func New(o Options) *Engine {
	settings.SetDefault(&o.PartMost, 3000)
	o.Policy.Redact = o.Redact
	policy := o.Policy.WithDefaults()
	if o.Prepared == nil {
		policy = trigger.WithoutModel(policy)
	}
	e := &Engine{
		settings: policy,
		counter:  o.Counter,
		store:    o.Store,
		windows:  o.Windows,
		partMost: o.PartMost,
		formed:   o.Formed,
		lastSeen: newLastSeenIndex(),
		costs:    o.Costs,
		replicas: o.Replicas,
	}
	if e.costs == nil {
		e.costs = func(string) settings.Costs { return settings.Costs{} }
	}
	if e.now = o.Now; e.now == nil {
		e.now = time.Now
	}
	if e.windows == nil {
		e.windows = settings.NoWindows{}
	}
	if o.Prepared != nil {
		if o.Replicas != nil {
			o.Writing.Claims = o.Replicas
		}
		e.writing = prepare.New(o.Writing, o.Prepared)
	}
	e.slots = make(chan struct{}, cmp.Or(o.MaxDeciding, 2*runtime.GOMAXPROCS(0)))
	e.least, e.most = trigger.Range(policy, o.Costs != nil)
	return e
}

// At returns an Engine for requests to one of several upstreams, where windows are learned apart,
// and which is sent no summary that the API of another one wrote; if strict, its chat templates
// refuse two user turns in a row. It shares everything else with e, and is not closed.
func (e *Engine) At(origin string, windows settings.Windows, strict bool) *Engine {
	at := *e
	at.origin, at.windows = origin, windows
	at.settings.StrictTurns = strict || e.settings.StrictTurns
	return &at
}

// Close ends what is being prepared, and waits for it. It is called when nothing
// is compacted any more.
func (e *Engine) Close() {
	if e.writing != nil {
		e.writing.Close()
	}
}

// Abandon ends what is being prepared of conversations that are to be deleted: those that of
// chooses by their owner and by the name of a prefix. When it returns without an error, none of
// them is stored any more that was not before.
func (e *Engine) Abandon(ctx context.Context, of func(who, name string) bool) error {
	if e.writing == nil {
		return nil
	}
	return e.writing.Abandon(ctx, of)
}

// ForgetLastSeen drops from memory when the conversations of all owners were last seen. What is
// still in the store is read again. It is called before data is deleted from the store, and end
// afterwards: requests under way store nothing of it that they read before.
func (e *Engine) ForgetLastSeen() (end func()) { return e.lastSeen.clear() }

// Wait returns when what is being prepared now is ready or has failed.
func (e *Engine) Wait(ctx context.Context) error {
	if e.writing == nil {
		return nil
	}
	return e.writing.Wait(ctx)
}

// Preparing is how many summaries are being prepared, or wait to be.
func (e *Engine) Preparing() int {
	if e.writing == nil {
		return 0
	}
	return e.writing.Jobs()
}

// Compact fits a request of the credential who. It never fails: what goes wrong
// is in FailOpens, and Body is then the best valid form.
func (e *Engine) Compact(ctx context.Context, req *view.Request, who string) compaction.Outcome {
	return e.CompactFor(ctx, req, who, prepare.Writers{})
}

// CompactFor is Compact for a request for whose next summary others may write.
func (e *Engine) CompactFor(
	ctx context.Context,
	req *view.Request,
	who string,
	writers prepare.Writers,
) compaction.Outcome {
	j := e.jobFor(req, who)
	j.writers = writers
	return e.fit(ctx, req, j)
}

// jobFor returns what a request is fitted to.
func (e *Engine) jobFor(req *view.Request, who string) job {
	model := req.Model()
	c := e.counter(who, model)
	retention := req.Retention()
	policy, costs := e.settings.For(model), e.costs(model).For(retention)
	budget := e.budget(policy, who, model, c.Ratio(req.Raw()), req.MaxOutput(), costs)
	return job{
		who: who, model: model, policy: policy, budget: budget, costs: costs, count: c,
		retention: retention,
	}
}

// budget returns the limits for a request to a model. ratio is how many tokens the model may count
// for one of ours, completion how many the request asks for.
func (e *Engine) budget(
	p settings.Policy, who, model string, ratio float64, completion int, costs settings.Costs,
) settings.Budget {
	window, learned := settings.WindowOf(model, p.Windows), e.windows.Learned(who, model)
	b := p.Fit(window, ratio, learned, completion, costs.Prices)
	b.Forgets = trigger.Lifetime(p, costs, 0) > 0
	return b
}

// job is what a request is fitted to, and for whom.
type job struct {
	who      string
	model    string
	policy   settings.Policy // of the model
	budget   settings.Budget
	costs    settings.Costs
	count    layout.Counter
	lastOnly bool // decide again at the end of the conversation alone
	writers  prepare.Writers
	withdraw bool // a summary of the provider's is not sent any more: the upstream refused it
	refused  bool // the upstream found it too long: nothing is left to a sample

	retention time.Duration // that the request asks for; 0 if it does not say
}
