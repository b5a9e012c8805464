package compactor

import (
	"bytes"
	"context"
	"math"
	"time"

	"killick/chat"
)

// Counter counts tokens for one model. Its counts must not change from turn to
// turn: frontiers follow from them.
type Counter interface {
	// Message returns the tokens of a message in its place in a request.
	Message(m *chat.Message) int
	// Overhead returns the tokens of a request beside its messages.
	Overhead(r *chat.Request) int
	// Text returns the tokens of a text.
	Text(s string) int
	// Ratio is how many tokens the model may count for one of these, 1 at least.
	// It may change: it only brings the trigger down where the model's window
	// would be missed otherwise.
	Ratio() float64
}

// Store keeps checkpoints by the conversation prefix that they cover, and the
// originals of masked outputs. It is a cache: what it loses is made anew.
type Store interface {
	// Conversation gives the place of one conversation's checkpoints. who is the
	// keyed hash of the credential; msgs are those behind the leading
	// instructions.
	Conversation(who string, msgs []chat.Message) Conversation
}

// Conversation is the part of a Store that one request may see.
type Conversation interface {
	// Longest returns what is stored for the longest prefix of at most so many
	// messages that has anything, and the number of messages of that prefix; nil
	// if none has.
	Longest(ctx context.Context, most int) (value []byte, covers int, err error)
	// Put stores value for the prefix of covers messages unless there is one
	// already, and returns the one that stands.
	Put(ctx context.Context, covers int, value []byte) ([]byte, error)
	// Name tells prefixes of conversations apart, this one's of so many messages
	// from all others.
	Name(covers int) string
	// Handle returns the short name under which content is kept.
	Handle(content []byte) string
	// Keep stores originals under their handles.
	Keep(ctx context.Context, originals []Original) error
}

// Original is the whole of what is not sent whole any more: an output that was
// masked, shortened or folded, a long pinned message.
type Original struct {
	Handle  string
	Content []byte
}

// Verdict is what a probe says of a summary.
type Verdict string

// The verdicts, best first.
const (
	Pass     Verdict = "pass"
	SoftFail Verdict = "soft_fail"
	HardFail Verdict = "hard_fail"
)

// Probe is the result of probing a summary.
type Probe struct {
	Verdict  Verdict `json:"verdict"`
	Score    float64 `json:"score"` // 0 to 1
	Repaired int     `json:"repaired,omitempty"`
}

// Prober examines whether a record still holds what it replaces.
type Prober interface {
	// Questions draws what must be known of replaced, and returns the examination
	// of a record's text. missing are the facts, quoted from the messages, that
	// would mend what the record did not hold.
	Questions(replaced []chat.Message) func(record string) (p Probe, missing []string)
}

// Options are what an Engine works with.
type Options struct {
	Policy   Policy
	Counter  func(model string) Counter
	Store    Store                    // required
	Windows  Windows                  // if nil, nothing is learnt of refusals
	Prober   Prober                   // if nil, summaries are used unproven
	Redact   func(text string) string // takes credentials out of records and placeholders; if nil, they stay
	PartMost int                      // ceiling in tokens of one image, audio or file part; if zero, 3000
	Now      func() time.Time         // if nil, time.Now

	// Prepared keeps the forms that models have written until they are used, apart
	// from those in Store. If nil, no model writes.
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
	prober   Prober
	partMost int
	least    int // the smallest trigger of any model
	most     int // the largest
	short    shortMemo
	marks    markMemo
	visits   visits
	now      func() time.Time
	writing  *writing // nil where no model writes
}

// New returns an Engine.
func New(o Options) *Engine {
	setDefault(&o.PartMost, 3000)
	o.Policy.redact = o.Redact
	policy := o.Policy.withDefaults()
	if o.Prepared == nil {
		policy = policy.unwritten()
	}
	e := &Engine{settings: policy, counter: o.Counter, store: o.Store, windows: o.Windows, prober: o.Prober, partMost: o.PartMost}
	if e.now = o.Now; e.now == nil {
		e.now = time.Now
	}
	if e.windows == nil {
		e.windows = noWindows{}
	}
	if o.Prepared != nil {
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

// Preparing is how many summaries are being prepared, or wait to be.
func (e *Engine) Preparing() int {
	if e.writing == nil {
		return 0
	}
	return e.writing.pool.size()
}

// Result is what became of a request.
type Result struct {
	Body      []byte // to forward: the original itself, or one with masks and a record
	Raw, Sent int    // tokens of the request as it came and of Body
	Masked    bool   // Body has masked outputs
	Folded    bool   // Body has a record in place of old turns
	Reused    bool   // the form was known: nothing was made for this request
	Refetched int    // calls of the newest turn that fetch again what was hidden from the model
	Probe     *Probe // of the record in Body
	Dropped   []Dropped
	Reason    string   // why Body is what it is, in fixed words
	Made      []string // what was tried for this request, in fixed words: the outcomes below
	Plans     []Plan   // the decisions that were made for this request
	FailOpens []FailOpen
	Waited    bool // for a model, where the window would have overflowed
	// After, if not nil, is to be called once when the request has been answered:
	// true if the upstream took it. Then the next form is prepared.
	After func(ok bool)
}

// Outcomes of a compaction that was tried.
const (
	MadeMask      = "mask"
	MadeSummary   = "summary"
	MadeWritten   = "summary_by_model"
	MadeNothing   = "nothing_to_gain"
	MadeRejected  = "rejected_probe"
	MadeMalformed = "rejected_invalid"
)

// Reasons of a Result.
const (
	ReasonFits      = "under the trigger"
	ReasonCompacted = "over the trigger"
	ReasonNoGain    = "over the trigger, nothing worthwhile to gain"
	ReasonShortened = "oversized outputs shortened on arrival"
	ReasonOverflow  = "refused by the upstream as too long"
)

// FailOpen is a fault that cost a compaction or its storage, never the request.
type FailOpen struct {
	Reason string // a fixed word for counters
	Err    error
}

// Fits tells from a body without reading its messages that it is under the
// trigger: a token is at least a byte of the body, save for parts that are
// billed by something else than their text. The trigger is that of the model
// which the body names at one of its ends, else the smallest of any. A body that
// names several models is judged by one of them.
func (e *Engine) Fits(body []byte) bool {
	trigger := min(e.least, e.settings.leastDoor())
	if len(body) <= e.most {
		if model := chat.PeekModel(body); model != nil {
			name := model.Text()
			policy := e.settings.For(name)
			b := policy.fitted(WindowOf(name, e.settings.Windows), e.counter(name).Ratio(), e.windows.Learned("", name), math.MaxInt32)
			trigger = min(policy.mark(b), b.doorLimit())
		}
	}
	return len(body) <= trigger && len(body)+billedParts(body)*e.partMost <= trigger
}

// triggers returns the smallest and the largest size at which anything is done,
// whatever model is asked for.
func (p Policy) triggers() (least, most int) {
	least = p.mark(p.Budget(defaultWindow, 1))
	most = least
	see := func(p Policy, w Window) {
		trigger := p.mark(p.Budget(w.orDefault(), 1))
		least, most = min(least, trigger), max(most, trigger)
	}
	for _, windows := range []map[string]Window{knownWindows, p.Windows} {
		for _, w := range windows {
			see(p, w)
			for _, own := range p.Models {
				see(own, w)
			}
		}
	}
	return least, most
}

// Compact fits a request of the credential who. It never fails: what goes wrong
// is told in FailOpens, and Body is then the best valid form.
func (e *Engine) Compact(ctx context.Context, req *chat.Request, who string) Result {
	return e.CompactFor(ctx, req, who, nil)
}

// CompactFor is Compact for a request whose next summary author may write. If
// author is nil, nobody does.
func (e *Engine) CompactFor(ctx context.Context, req *chat.Request, who string, author Author) Result {
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
func (e *Engine) fit(ctx context.Context, req *chat.Request, j job) (res Result) {
	v := newView(req, j.count)
	v.wholeTurns = j.policy.ProtectTurns
	v.strict, v.marks, v.redact = j.policy.strict(j.model), &e.marks, j.policy.redact
	res = Result{Body: req.Raw(), Raw: v.total(), Sent: v.total(), Reason: ReasonFits}
	if res.Raw <= min(j.policy.mark(j.budget), j.budget.doorLimit()) {
		return res
	}
	v.split()
	w := work{Engine: e, job: j, v: v, conv: e.store.Conversation(j.who, v.msgs), res: &res, cold: e.expired(req, v, j)}
	if e.writing != nil {
		w.ready = e.writing.store.Conversation(j.who, v.msgs)
	}
	d := door{policy: &w.policy, limit: j.budget.Ingest, memo: &e.short, who: j.who, count: j.count, handle: w.conv.Handle}
	d.pass(v)
	w.keepOriginals(ctx, d.fresh)
	var cp *Checkpoint
	if v.total() > j.budget.Trigger || w.cold && v.total() > j.budget.idleMark() {
		res.Reason = ReasonNoGain
		known := w.load(ctx)
		res.Refetched = v.refetched(known)
		cp = w.settle(ctx, known)
	}
	defer func() { res.After = w.prepareNext(ctx, cp, res.Body) }()
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
	res.Body, res.Sent, res.Reason = v.render(form, in), sent, ReasonShortened
	res.Masked = len(v.short) > 0
	if cp != nil {
		res.Masked = res.Masked || len(cp.Masks) > 0
		res.Folded, res.Probe, res.Dropped, res.Reason = cp.Fold > 0, cp.Probe, cp.Dropped, ReasonCompacted
	}
	res.Dropped = addDropped(res.Dropped, v.shortened(cp))
	res.Reused = len(w.made) == 0 && len(d.fresh) == 0
	return res
}

// work is the compaction of one request.
type work struct {
	*Engine
	job
	v      *view
	conv   Conversation
	res    *Result
	made   []*Checkpoint // for this request, in order
	hidden []string      // the originals of what was masked or folded
	cold   bool          // the provider has nothing of the conversation cached any more

	ready   Conversation // what was prepared; nil where no model writes
	awaited bool         // a form was waited for: it may be as new as the request
}

func (w *work) failOpen(reason string, err error) {
	w.res.FailOpens = append(w.res.FailOpens, FailOpen{Reason: reason, Err: err})
}

// load returns the checkpoint of the longest known prefix, nil if there is none
// that can be used. One that was made when the conversation was longer than this
// request is left out, so that a turn that is sent again reads as it did then.
func (w *work) load(ctx context.Context) *Checkpoint {
	for most := len(w.v.msgs); most >= 0; {
		value, covers, err := w.conv.Longest(ctx, most)
		if err != nil {
			w.failOpen("store_read", err)
			return nil
		}
		if value == nil {
			return nil
		}
		cp, err := decodeCheckpoint(value, covers, w.v.msgs)
		if err != nil {
			w.failOpen("checkpoint_unreadable", err)
			return nil
		}
		if cp.At <= len(w.v.msgs) {
			return cp
		}
		most = covers - 1
	}
	return nil
}

// settle brings the conversation from the form that is known, nil if none, to
// the one that its length asks for, and stores what was made on the way.
func (w *work) settle(ctx context.Context, known *Checkpoint) *Checkpoint {
	cp := w.advance(ctx, known)
	if w.v.size(cp, w.v.fixed) > w.budget.Window && w.await(ctx, known) {
		w.made, w.hidden, w.res.Made = nil, nil, nil
		cp = w.advance(ctx, known)
	}
	if len(w.made) == 0 {
		return cp
	}
	if err := sound(w.v, cp); err != nil {
		w.failOpen("form_unsound", err)
		w.made = nil
		return known
	}
	w.keepOriginals(ctx, w.hidden)
	for _, made := range w.made {
		stands := w.put(ctx, made)
		if made == cp {
			cp = stands
		}
	}
	return cp
}

// advance replays the decisions that are due between the form that is known and
// the end of the conversation, in order, and returns the form that the request
// has then. A request that is seen for the first time, after a restart with an
// empty store or by another replica, passes the same points as one that was seen
// turn by turn, and ends in the same bytes.
//
// A decision that comes to nothing is taken up again once an eighth more could
// be folded, so what they cost grows with the conversation and not with its
// square.
func (w *work) advance(ctx context.Context, cp *Checkpoint) *Checkpoint {
	limit, from, tried := w.limit(cp), 0, 0
	if cp != nil {
		from = min(cp.At, len(w.v.msgs)-1)
	}
	if w.lastOnly {
		from = max(from, len(w.v.msgs)-1)
	}
	w.v.decisionPoints(from, func(n int) bool {
		p := w.v.prefix(n)
		size, foldable := p.size(cp, p.fixedSteady()), p.foldableTokens(cp)
		past := limit
		if w.cold && n == len(w.v.msgs) {
			past = min(limit, w.budget.idleMark())
		}
		if size <= past || foldable < tried+max(w.budget.MinGain, tried/8) {
			return ctx.Err() == nil
		}
		next := w.decide(ctx, p, cp, size, past)
		if next == nil {
			tried = foldable
			return ctx.Err() == nil
		}
		cp, tried = next, 0
		limit = w.limit(cp)
		w.made = append(w.made, cp)
		return ctx.Err() == nil
	})
	return cp
}

// limit is what a request in the form cp must exceed before the next is tried:
// the trigger, or what cp could be brought down to and a step more, but never
// more than the window.
func (w *work) limit(cp *Checkpoint) int {
	if cp == nil {
		return w.budget.Trigger
	}
	return max(w.budget.Trigger, min(cp.NextAt, w.budget.Window))
}

func (w *work) keepOriginals(ctx context.Context, originals []string) {
	if len(originals) == 0 {
		return
	}
	list := make([]Original, len(originals))
	for i, text := range originals {
		list[i].Content = []byte(text)
		list[i].Handle = w.conv.Handle(list[i].Content)
	}
	if err := w.conv.Keep(ctx, list); err != nil {
		w.failOpen("store_write", err)
	}
}

// put stores a form and returns the one that stands: another request may have
// stored one for the same prefix first.
func (w *work) put(ctx context.Context, cp *Checkpoint) *Checkpoint {
	value, err := cp.encode()
	if err != nil {
		w.failOpen("checkpoint_encoding", err)
		return cp
	}
	stands, err := w.conv.Put(ctx, cp.Covers, value)
	if err != nil {
		w.failOpen("store_write", err)
		return cp
	}
	if bytes.Equal(stands, value) {
		return cp
	}
	first, err := decodeCheckpoint(stands, cp.Covers, w.v.msgs)
	if err != nil {
		w.failOpen("checkpoint_unreadable", err)
		return cp
	}
	return first
}
