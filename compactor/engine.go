package compactor

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/prepare"
	"killick/compactor/report"
	"killick/compactor/settings"
	"killick/compactor/trigger"
	"killick/view"
	"killick/view/marks"
)

// Options configure an Engine.
type Options struct {
	Policy settings.Policy
	// Counter returns the token counter for a model. who is the keyed hash of a credential: what
	// the counter learns from its requests is used for no other credential.
	Counter       func(who, model string) layout.Counter
	Store         checkpoint.Store // required
	Windows       settings.Windows // if nil, nothing is learned from refusals
	MaxPartTokens int              // most tokens of one image, audio or file part; if zero, 3000
	// Costs returns the costs of a model; if nil, no costs are known.
	Costs func(model string) settings.Costs
	// MaxDeciding is how many requests make new forms at once. Others wait until their deadline
	// and are then sent in the stored form. If zero, twice GOMAXPROCS.
	MaxDeciding int
	Now         func() time.Time     // if nil, time.Now
	Formed      func(*report.Report) // called with each new form that has a record; may be nil

	// Prepared stores what models wrote until it is used, apart from the forms in Store. If nil,
	// no model writes.
	Prepared checkpoint.Store
	Writing  prepare.Options

	Replicas Replicas // if nil, no other process uses Store
}

// Replicas are the processes that share a Store.
type Replicas interface {
	prepare.Claims
	// LastSeen returns the last-seen times that any process stored last for a conversation of who.
	// name is that of its first message.
	LastSeen(ctx context.Context, who, name string) ([]byte, error)
}

// Engine compacts requests. It is safe for concurrent use. Of conversations it has only those in
// memory for which a summary is being prepared; Close ends that.
type Engine struct {
	settings      settings.Policy
	counter       func(who, model string) layout.Counter
	store         checkpoint.Store
	windows       settings.Windows
	costs         func(model string) settings.Costs
	maxPartTokens int
	minThreshold  int // the smallest size past which a request of any model is changed
	maxThreshold  int // the largest such size of any model
	lastSeen      *lastSeenIndex
	now           func() time.Time
	formed        func(*report.Report) // may be nil
	writing       *prepare.Background  // nil if no model writes
	replicas      Replicas             // may be nil
	slots         chan struct{}        // for the requests that make decisions at once
	origin        string               // the upstream, "" if there is only one
}

// New returns an Engine.
func New(o Options) *Engine {
	policy := o.Policy.WithDefaults()
	if o.Prepared == nil {
		policy.Prepare = 1 // no model writes: nothing is prepared before the trigger
	}
	e := &Engine{
		settings:      policy,
		counter:       o.Counter,
		store:         o.Store,
		windows:       o.Windows,
		maxPartTokens: cmp.Or(o.MaxPartTokens, 3000),
		formed:        o.Formed,
		lastSeen:      newLastSeenIndex(),
		costs:         o.Costs,
		replicas:      o.Replicas,
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
	e.minThreshold, e.maxThreshold = trigger.Range(policy, o.Costs != nil)
	return e
}

// At returns an Engine for requests to one of several upstreams. Windows are learned separately for
// it, and it is sent no summary that the API of another upstream wrote. If strict, its chat
// templates reject two user turns in a row. It shares everything else with e, and must not be
// closed.
func (e *Engine) At(origin string, windows settings.Windows, strict bool) *Engine {
	at := *e
	at.origin, at.windows = origin, windows
	at.settings.StrictTurns = strict || e.settings.StrictTurns
	return &at
}

// Close ends the preparation of summaries and waits for it. It is called when no more requests are
// compacted.
func (e *Engine) Close() {
	if e.writing != nil {
		e.writing.Close()
	}
}

// Abandon ends the preparation of summaries for conversations that are to be deleted. of reports
// whether a conversation is one of them, by its owner and the name of a prefix. After Abandon
// returns without an error, no summary of these conversations is stored by earlier preparations.
func (e *Engine) Abandon(ctx context.Context, of func(who, name string) bool) error {
	if e.writing == nil {
		return nil
	}
	return e.writing.Abandon(ctx, of)
}

// ForgetLastSeen removes all last-seen times from memory. Those that are still in the store are
// read again. It is called before data is deleted from the store, and end after that, so that
// requests in progress do not store again what they read before.
func (e *Engine) ForgetLastSeen() (end func()) { return e.lastSeen.clear() }

// Wait returns when all summaries in preparation are ready or have failed.
func (e *Engine) Wait(ctx context.Context) error {
	if e.writing == nil {
		return nil
	}
	return e.writing.Wait(ctx)
}

// Preparing returns the number of summaries that are being prepared or wait to be.
func (e *Engine) Preparing() int {
	if e.writing == nil {
		return 0
	}
	return e.writing.Jobs()
}

// jobFor returns the job of fitting a request.
func (e *Engine) jobFor(req *view.Request, who string) job {
	return e.jobAfter(req, who, e.learned(req, who))
}

// learned returns what was learned of the model of a request. Of a window that the request sets
// itself, nothing was.
func (e *Engine) learned(req *view.Request, who string) settings.Learned {
	if req.Limits().Window > 0 {
		return settings.Learned{}
	}
	return e.windows.Learned(who, req.Model())
}

// jobAfter returns the job of fitting a request, with what was learned of its model.
func (e *Engine) jobAfter(req *view.Request, who string, learned settings.Learned) job {
	model := req.Model()
	c := e.counter(who, model)
	retention := marks.Retention(req)
	policy, costs := e.settings.For(model), e.costs(model).For(retention)
	budget := budget(policy, model, c.Ratio(req.Raw()), learned, req.Limits(), costs)
	return job{
		who: who, model: model, policy: policy, budget: budget, costs: costs, count: c,
		retention: retention,
	}
}

// budget returns the limits for a request to a model. ratio is the number of tokens that the model
// may count for one of ours; asked are the sizes that the request asks for.
func budget(
	p settings.Policy, model string, ratio float64, learned settings.Learned, asked view.Limits,
	costs settings.Costs,
) settings.Budget {
	window := settings.WindowOf(model, p.Windows).For(asked)
	b := p.Fit(window, ratio, learned, asked.Output, costs.Prices)
	b.Forgets = trigger.Lifetime(p, costs, 0) > 0
	return b
}

// job is the task of fitting one request: for whom, and to which limits.
type job struct {
	who      string
	model    string
	policy   settings.Policy // of the model
	budget   settings.Budget
	costs    settings.Costs
	count    layout.Counter
	lastOnly bool // make decisions only at the end of the conversation
	writers  prepare.Writers
	withdraw bool // the provider's summary is not sent any more: the upstream refused it
	refused  bool // the upstream refused it as too long: it is counted exactly, not sampled

	retention time.Duration // of caches that the request asks for; 0 if it asks for none
}
