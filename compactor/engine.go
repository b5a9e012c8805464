package compactor

import (
	"context"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/transcript"
)

// Options are what an Engine works with.
type Options struct {
	Policy   Policy
	Counter  func(model string) Counter
	Store    Store                    // required
	Windows  Windows                  // if nil, nothing is learnt of refusals
	Redact   func(text string) string // takes credentials out of records and placeholders; if nil, they stay
	PartMost int                      // ceiling in tokens of one image, audio or file part; if zero, 3000
	Now      func() time.Time         // if nil, time.Now
	Formed   func(*Report)            // called with each new form that holds a record; if nil, nobody is told

	// Prepared keeps what models have told until it is used, apart from the forms in
	// Store. If nil, no model writes.
	Prepared Store
	Writing  Writing
}

// Engine compacts requests. It is safe for concurrent use. It holds nothing of
// any conversation itself, save for what is being prepared; Close ends that.
type Engine struct {
	settings Policy
	counter  func(model string) Counter
	store    Store
	windows  Windows
	partMost int
	least    int // the smallest trigger of any model
	most     int // the largest
	short    *shortMemo
	marks    *markMemo
	nothing  *fruitless
	forms    *forms // nil where a model writes: what it prepares holds on to a form
	visits   visits
	now      func() time.Time
	formed   func(*Report) // nil: nobody is told
	writing  *writing      // nil where no model writes
}

// New returns an Engine.
func New(o Options) *Engine {
	setDefault(&o.PartMost, 3000)
	o.Policy.redact = o.Redact
	policy := o.Policy.withDefaults()
	if o.Prepared == nil {
		policy = policy.unwritten()
	}
	e := &Engine{settings: policy, counter: o.Counter, store: o.Store, windows: o.Windows, partMost: o.PartMost, formed: o.Formed}
	e.short, e.marks = newMemo[shortKey, shortening](mostShort), newMemo[chat.Fingerprint, bool](mostMarks)
	e.nothing = newMemo[attempt, bool](mostFruitless)
	if e.now = o.Now; e.now == nil {
		e.now = time.Now
	}
	if e.windows == nil {
		e.windows = noWindows{}
	}
	if o.Prepared == nil {
		e.forms = &forms{}
	} else {
		e.writing = &writing{Writing: o.Writing.withDefaults(), store: o.Prepared, pool: newPool(), standings: newStandings()}
	}
	e.least, e.most = policy.triggers()
	return e
}

// Close ends what is being prepared, and waits for it. It is called when nothing
// is compacted any more.
func (e *Engine) Close() {
	if e.writing != nil {
		e.writing.pool.close()
	}
}

// Abandon ends what is being prepared of conversations that are to be forgotten:
// those that of chooses by whose they are and by the name of a prefix. When it
// returns without an error, none of them is stored any more that was not before.
func (e *Engine) Abandon(ctx context.Context, of func(who, name string) bool) error {
	if e.writing == nil {
		return nil
	}
	return e.writing.pool.end(ctx, of)
}

// Rest returns when what is being prepared now is ready, or has come to nothing.
func (e *Engine) Rest(ctx context.Context) error {
	if e.writing == nil {
		return nil
	}
	return e.writing.pool.rest(ctx)
}

// Forget lets go of every form that is kept in memory. It is called when what is
// stored of somebody is erased.
func (e *Engine) Forget() { e.forms.forget() }

// Preparing is how many summaries are being prepared, or wait to be.
func (e *Engine) Preparing() int {
	if e.writing == nil {
		return 0
	}
	return e.writing.pool.size()
}

// Compact fits a request of the credential who. It never fails: what goes wrong
// is told in FailOpens, and Body is then the best valid form.
func (e *Engine) Compact(ctx context.Context, req *chat.Request, who string) compaction.Outcome {
	return e.CompactFor(ctx, req, who, nil)
}

// CompactFor is Compact for a request whose next summary author may write. If
// author is nil, nobody does.
func (e *Engine) CompactFor(ctx context.Context, req *chat.Request, who string, author Author) compaction.Outcome {
	model := req.Model()
	c := e.counter(model)
	policy := e.settings.For(model)
	budget := policy.fitted(WindowOf(model, policy.Windows), c.Ratio(), e.windows.Learned(who, model), outputAsked(req))
	return e.fit(ctx, req, job{who: who, model: model, policy: policy, budget: budget, count: c, author: author})
}

// job is what a request is fitted to, and for whom.
type job struct {
	who      string
	model    string
	policy   Policy // of the model
	budget   Budget
	count    Counter
	lastOnly bool   // decide anew at the end of the conversation alone
	author   Author // nil: no model writes for this request
}

// fit brings a request under its budget as far as that goes.
func (e *Engine) fit(ctx context.Context, req *chat.Request, j job) (res compaction.Outcome) {
	v := newView(req, j.count)
	v.wholeTurns = j.policy.ProtectTurns
	v.strict, v.marks, v.redact = j.policy.strict(j.model), e.marks, j.policy.redact
	res = compaction.Outcome{Body: req.Raw(), Raw: v.total(), Sent: v.total(), Reason: compaction.ReasonFits}
	if res.Raw <= min(j.policy.actsPast(j.budget), j.budget.doorLimit()) {
		return res
	}
	if res.Raw <= j.budget.Window && transcript.IsCompactionRequest(v.msgs) {
		res.Reason = compaction.ReasonOwn
		return res
	}
	v.split()
	w := work{engine: e, job: j, v: v, conv: e.store.Conversation(j.who, v.msgs), res: &res, cold: e.expired(req, v, j)}
	if e.writing != nil {
		w.ready = e.writing.store.Conversation(j.who, v.msgs)
	}
	d := door{policy: &w.job.policy, limit: j.budget.Ingest, memo: e.short, who: j.who, count: j.count, handle: w.conv.Handle}
	d.pass(v)
	w.keepOriginals(ctx, d.fresh)
	var cp *Checkpoint
	if v.total() > j.budget.Trigger || w.cold && v.total() > j.budget.idleMark() {
		res.Reason = compaction.ReasonNoGain
		known := w.load(ctx)
		res.Refetched = v.refetched(known)
		cp = w.settle(ctx, known)
	}
	if e.writing != nil {
		defer func() { res.After = e.writing.next(ctx, *w.task(), cp, res.Body, w.limit(cp)) }()
	}
	form := cp
	if form == nil {
		form = &Checkpoint{} // short forms alone
	}
	in, sent := v.sentAs(form, j.count)
	if sent > j.budget.Window && accountsOf(form.Records) > 0 {
		form = form.plain()
		in, sent = v.sentAs(form, j.count)
	}
	if cp == nil && len(v.short) == 0 || sent >= res.Raw {
		return res
	}
	if sent += v.answerStubs(v.filled(form, j.budget.Window, j.count)); sent >= res.Raw {
		return res
	}
	res.Body, res.Sent, res.Reason = v.render(form, in), sent, compaction.ReasonShortened
	res.Masked = len(v.short) > 0
	if cp != nil {
		res.Masked = res.Masked || len(cp.Masks) > 0
		res.Folded, res.Probe, res.Dropped, res.Reason = cp.Fold > 0, cp.Probe, cp.Dropped, compaction.ReasonCompacted
		if res.Folded {
			res.SummaryRef = ReportRef(w.conv, cp.Covers)
		}
	}
	res.Dropped = addDropped(res.Dropped, v.shortened(cp))
	res.Reused = len(w.made) == 0 && len(d.fresh) == 0
	return res
}
