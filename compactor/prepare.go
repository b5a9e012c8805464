package compactor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"killick/chat"
)

// A summary by a model takes longer than a request may wait. Past a soft mark
// between target and trigger a model is asked in the background, after the
// conversation's own request has filled the provider's prompt cache, and what it
// tells of the turns that the next fold will take is kept apart from the forms in
// use. The request that crosses the trigger finds it there.

// writing is what an engine needs for that; nil where no model writes.
type writing struct {
	Writing
	store     Store // of what is prepared
	pool      *pool
	standings *standings
}

// actsPast is the size past which anything is done to a request: the trigger, or
// where models write, the size past which the next summary is prepared.
func (p Policy) actsPast(b Budget) int {
	size := p.softMark(b, b.Trigger)
	if p.IdleAfter > 0 {
		size = min(size, b.idleMark())
	}
	return size
}

// softMark is the size past which the next form is prepared, when a form must
// change past limit.
func (p Policy) softMark(b Budget, limit int) int {
	if p.Prepare >= 1 {
		return limit
	}
	return b.Target + int(p.Prepare*float64(limit-b.Target))
}

// unwritten is the policy where no model writes: nothing is prepared.
func (p Policy) unwritten() Policy {
	p.Prepare = 1
	for name, own := range p.Models {
		own.Prepare = 1
		p.Models[name] = own
	}
	return p
}

// preparation is the asking for one account, after the request that it started from.
type preparation struct {
	work
	sent    []byte // the body that was forwarded for the request
	cp      *Checkpoint
	kept    Conversation // where what is prepared is kept
	size    int
	limit   int
	at      standing
	told    Preparation
	started time.Time
}

// prepareNext returns what to call when the request has been answered, nil where
// nothing is to be prepared. ok says that the upstream took the request: only
// then does it make sense to append to it.
func (w *work) prepareNext(ctx context.Context, cp *Checkpoint, sent []byte) func(ok bool) {
	if w.author == nil || w.ready == nil {
		return nil
	}
	n, limit := len(w.v.msgs), w.limit(cp)
	size := w.v.size(cp, w.v.fixedSteady())
	if size <= w.policy.softMark(w.budget, limit) || !w.v.atDecision() {
		return nil
	}
	known := w.writing.standings.of(n, w.conv.Name)
	if known.on(baseOf(cp)).phaseOf(size, w.v.foldableTokens(cp)) != ready {
		return nil
	}
	if w.writing.pool.of(n, w.conv.Name) != nil {
		return nil
	}
	if next, _ := w.loadPrepared(ctx, n, cp, n); next != nil {
		return nil
	}
	j := w.reserve(cp, sent, size, limit)
	if j == nil {
		w.failOpen("prepare_no_room", nil)
		return nil
	}
	return func(ok bool) {
		if ok {
			j.start()
		} else {
			j.drop()
		}
	}
}

func (w *work) reserve(cp *Checkpoint, sent []byte, size, limit int) *errand {
	n := len(w.v.msgs)
	p := &preparation{work: *w, sent: sent, cp: cp, kept: w.ready, size: size, limit: limit,
		at: standing{name: w.conv.Name(n), base: baseOf(cp)}}
	p.res, p.made, p.hidden = &Result{}, nil, nil
	return w.writing.pool.reserve(w.who, p.at.name, n, len(sent)+len(w.v.req.Raw()), p.run)
}

// run asks, and says what came of it. It never panics.
func (p *preparation) run(ctx context.Context) {
	p.started = time.Now()
	p.told.WhenSent = len(p.v.msgs)
	defer func() {
		if recover() != nil { // its value may quote the conversation
			p.end(PreparedPanic, nil)
		}
	}()
	outcome, err := p.make(ctx)
	if ctx.Err() != nil && outcome != PreparedSummary {
		outcome = PreparedCancelled
	}
	p.end(outcome, err)
}

// end sets the conversation's phase. What was rejected or failed cools and is
// tried again; only where nothing is left to gain is the conversation exhausted,
// until an eighth more could be folded.
func (p *preparation) end(outcome string, err error) {
	st := p.at
	st.phase, st.until = cooling, p.size+max(p.budget.step()/2, 1)
	if outcome == PreparedNothing {
		foldable := p.v.foldableTokens(p.cp)
		st.phase, st.until = exhausted, foldable+max(p.budget.MinGain, foldable/8)
	}
	p.writing.standings.set(st)
	p.told.Outcome, p.told.Err, p.told.Duration = outcome, err, time.Since(p.started)
	p.writing.Report(p.told)
}

func (p *preparation) make(ctx context.Context) (string, error) {
	f := newFrontier(p.v, p.cp, p.budget, p.policy)
	if masks, after, _ := f.maskOutputs(p.count, p.conv.Handle); masks != nil && after <= p.budget.Target {
		return PreparedMasks, nil
	}
	old := f.old()
	mk := f.pinner(p.count, p.conv.Handle)
	// The conversation grows until then, so the fold will reach further than one
	// would now: about so far is told.
	ahead := min(max(p.limit-p.size, 0), p.budget.Target/2)
	to := f.foldTo(f.tailRoom(&old, mk, p.policy.summaryChars(p.budget)) - ahead)
	if to == 0 {
		return PreparedNothing, nil
	}
	plain, d := f.compose(&old, to, extract(p.v, f.callsUpTo(to), old.Fold, to), mk)
	if outcome, err := p.foresee(f, plain, d); outcome != "" {
		return outcome, err
	}
	soFar := textOf(old.Records)
	written, err := p.write(ctx, f.v.msgs[old.Fold:to], soFar)
	if err != nil {
		return PreparedFailed, err
	}
	account := p.judge(written.Prose, old.Fold, to, soFar)
	if account == nil {
		return PreparedEmpty, nil
	}
	full := d.with(old.Account.and(account, d.found), "")
	if d.folded < to {
		full = d.with(account, soFar)
	}
	probe, err := f.prove(full, to, p.prober)
	p.told.Probe, p.told.ByRules, p.told.Folded = probe, probe, to
	switch {
	case errors.Is(err, errProbe):
		return PreparedRejected, nil
	case err != nil:
		return PreparedMalformed, err
	}
	if probe, err = p.examine(ctx, f, full, to, probe); err != nil {
		if errors.Is(err, errProbe) {
			return PreparedRejected, nil
		}
		return PreparedUnproven, err
	}
	p.told.Summary, p.told.Account, p.told.Record = full.summary, full.account, full.text
	if len(p.told.Repairs) > 0 {
		account = account.asked(p.told.Repairs)
	}
	return p.keep(ctx, &prepared{
		Version: preparedVersion, Covers: to, At: len(p.v.msgs), Base: baseOf(p.cp), Form: written.Form, Account: account, Probe: probe,
	})
}

// foresee renders the form that the rules alone would make. Where that would not
// be used, a model's words would not be either.
func (p *preparation) foresee(f *frontier, plain *Checkpoint, d *draft) (string, error) {
	if err := d.render(p.policy.redact); err != nil {
		return PreparedMalformed, err
	}
	if err := f.seal(plain, d, nil, p.count); err != nil {
		return PreparedMalformed, err
	}
	switch got := p.v.size(plain, p.v.fixedSteady()); {
	case p.size-got < p.budget.MinGain:
		return PreparedNothing, nil
	case !p.worth(f, plain, max(p.size, p.limit)):
		return PreparedUnworthy, nil
	}
	return "", nil
}

func (p *preparation) write(ctx context.Context, turns []chat.Message, soFar string) (Written, error) {
	ctx, cancel := context.WithTimeout(ctx, p.writing.WriteTimeout)
	defer cancel()
	written, err := p.author.Write(ctx, p.sent, turns, soFar)
	p.told.Form, p.told.Written = written.Form, written.Prose
	return written, err
}

// judge returns what is taken of the prose, nil if nothing is.
func (p *preparation) judge(prose Prose, from, to int, soFar string) *Account {
	originals := p.originals(from, to)
	fl := floor{source: readSource(originals, soFar), redact: p.policy.redact}
	if p.writing.Contradictions != nil {
		fl.contradicts = p.writing.Contradictions(originals)
	}
	account := fl.judge(prose)
	p.told.Refused = fl.refused
	if p.writing.Exam != nil && !account.empty() {
		var refused Refused
		account, refused = account.proven(p.writing.Exam(p.originals(0, to)))
		p.told.Refused.add(refused)
	}
	if account.empty() {
		return nil
	}
	return account
}

// originals are the messages [from, to) as they came.
func (p *preparation) originals(from, to int) []chat.Message {
	all := make([]chat.Message, 0, to-from)
	for i := from; i < to; i++ {
		all = append(all, *p.v.original(i))
	}
	return all
}

// keep stores what was told apart from the forms in use.
func (p *preparation) keep(ctx context.Context, next *prepared) (string, error) {
	value, err := json.Marshal(next)
	if err != nil {
		return PreparedMalformed, err
	}
	if ctx.Err() != nil { // what was ended must not be stored: its conversation may be forgotten by now
		return PreparedCancelled, ctx.Err()
	}
	stands, err := p.kept.Put(ctx, next.Covers, value)
	switch {
	case err != nil:
		return PreparedLost, err
	case string(stands) != string(value):
		return PreparedSecond, nil
	}
	return PreparedSummary, nil
}

// textOf is what the records say, as a model is shown it.
func textOf(records []Record) string {
	var b strings.Builder
	for i := range records {
		if m, err := chat.ParseMessage(records[i].Raw); err == nil {
			b.WriteString(m.Text() + "\n")
		}
	}
	return b.String()
}
