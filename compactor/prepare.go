package compactor

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"killick/compaction"
	"killick/compactor/plan"
	"killick/probe"
	"killick/summary"
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

// Task is a conversation for which a model may write.
type Task struct {
	Who    string
	Policy Policy
	Budget Budget
	Count  Counter
	Author Author // nil: no model writes for this request
	View   *view

	Conversation Conversation
	Prepared     Conversation // where what is prepared is kept; nil where no model writes

	FailOpen func(reason string, err error)
}

// preparation is the asking for statements, after the request that it started from.
type preparation struct {
	Task
	writing *writing
	sent    []byte // the body that was forwarded for the request
	cp      *Checkpoint
	size    int
	limit   int
	at      standing
	report  Preparation
	started time.Time
}

// next returns what to call when a request in the form cp has been answered, nil where
// nothing is to be prepared. limit is the size past which the form must change. ok says
// that the upstream took the request: only then does it make sense to append to it.
func (w *writing) next(ctx context.Context, t Task, cp *Checkpoint, sent []byte, limit int) func(ok bool) {
	if t.Author == nil || t.Prepared == nil {
		return nil
	}
	n := len(t.View.msgs)
	size := t.View.size(cp, t.View.fixedSteady())
	if size <= t.Policy.softMark(t.Budget, limit) || !t.View.atDecision() {
		return nil
	}
	known := w.standings.of(n, t.Conversation.Name)
	if known.on(baseOf(cp)).phaseOf(size, t.View.foldableTokens(cp)) != ready {
		return nil
	}
	if w.pool.of(n, t.Conversation.Name) != nil {
		return nil
	}
	if next, _ := t.loadPrepared(ctx, n, cp, n); next != nil {
		return nil
	}
	p := &preparation{Task: t, writing: w, sent: sent, cp: cp, size: size, limit: limit,
		at: standing{name: t.Conversation.Name(n), base: baseOf(cp)}}
	j := w.pool.reserve(t.Who, p.at.name, n, len(sent)+len(t.View.req.Raw()), p.run)
	if j == nil {
		t.FailOpen("prepare_no_room", nil)
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

// run asks, and says what came of it. It never panics.
func (p *preparation) run(ctx context.Context) {
	p.started = time.Now()
	p.report.WhenSent = len(p.View.msgs)
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
	st.phase, st.until = cooling, p.size+max(p.Budget.step()/2, 1)
	if outcome == PreparedNothing {
		foldable := p.View.foldableTokens(p.cp)
		st.phase, st.until = exhausted, foldable+max(p.Budget.MinGain, foldable/8)
	}
	p.writing.standings.set(st)
	p.report.Outcome, p.report.Err, p.report.Duration = outcome, err, time.Since(p.started)
	p.writing.Report(p.report)
}

func (p *preparation) make(ctx context.Context) (string, error) {
	f := newFrontier(p.View, p.cp, p.Budget, p.Policy)
	if masks, after, _ := f.maskOutputs(p.Count, p.Conversation.Handle); masks != nil && after <= p.Budget.Target {
		return PreparedMasks, nil
	}
	old := f.old()
	k := f.keeper(p.Count, p.Conversation.Handle)
	room, err := f.tailRoom(&old, k)
	if err != nil {
		return PreparedNothing, err
	}
	// The conversation grows until then, so the fold will reach further than one
	// would now: about so far is written of.
	to := f.foldTo(room - min(max(p.limit-p.size, 0), p.Budget.Target/2))
	if to == 0 {
		return PreparedNothing, nil
	}
	form, d, err := f.compose(&old, to, k)
	if err == nil {
		err = d.render(p.Policy.redact)
	}
	if err == nil {
		err = d.count(p.Count)
	}
	if err != nil {
		return PreparedMalformed, err
	}
	form.Records = append(form.Records, d.Record)
	if outcome := p.foresee(f, form); outcome != "" {
		return outcome, nil
	}
	p.report.Folded, p.report.Record = to, f.shownBeside(d)
	turns := Turns{Messages: f.t.Messages[old.Fold:to], First: old.Fold + 1}
	return p.ask(ctx, turns, textOf(old.Records), to)
}

// shownBeside is what a model is shown in the place of the turns, but for what a model
// wrote: the messages that stay as they came, and the record.
func (f *frontier) shownBeside(d *draft) string {
	stay := f.policy.redact.of(f.textOfKept(d.Kept))
	if stay != "" {
		stay = "Messages of the user's side that stay as they came:\n" + stay + "\n"
	}
	return stay + d.text()
}

// foresee says why the form that is made without a model would not be used, "" if it
// would: then a model's words would be used neither.
func (p *preparation) foresee(f *frontier, form *Checkpoint) string {
	switch got := p.View.size(form, p.View.fixedSteady()); {
	case p.size-got < p.Budget.MinGain:
		return PreparedNothing
	case !p.pays(f, form):
		return PreparedUnworthy
	case p.writing.OnlyForWindow && p.size < p.Budget.Window-p.Budget.Target:
		return PreparedUnworthy
	}
	return ""
}

// pays reports whether a form would take the place of the present one.
func (p *preparation) pays(f *frontier, form *Checkpoint) bool {
	return p.Budget.bounds().Usable(plan.NewOutlook(f.v.answered(), false), max(p.size, p.limit), f.foldOption(form))
}

// ask has a model write statements about the turns, and stores what is proven of
// them.
func (p *preparation) ask(ctx context.Context, turns Turns, soFar string, to int) (string, error) {
	writing, cancel := context.WithTimeout(ctx, p.writing.WriteTimeout)
	defer cancel()
	written, err := p.Author.Write(writing, p.sent, turns, soFar)
	p.report.Form, p.report.Written = written.Form, written.Statements
	if err != nil {
		return PreparedFailed, err
	}
	index := probe.NewIndex(turns.Messages, turns.First)
	grounded := p.grounded(index, written.Statements)
	if len(grounded) == 0 {
		return PreparedEmpty, nil
	}
	verdicts, err := p.Author.Verify(writing, p.sent, grounded)
	if err != nil {
		return PreparedUnverified, err
	}
	verified, dropped := probe.Verified(grounded, verdicts)
	p.report.Dropped = append(p.report.Dropped, dropped...)
	if len(verified) == 0 {
		return PreparedEmpty, nil
	}
	p.report.Kept = p.statements(verified)
	proven := &compaction.ModelProbe{Verdict: compaction.Unprobed, Verified: len(verified), Written: len(written.Statements)}
	p.report.Probe = proven
	if outcome, err := p.quiz(ctx, index, turns, proven); outcome != "" {
		return outcome, err
	}
	return p.keep(ctx, &prepared{
		Version: preparedVersion, Covers: to, At: len(p.View.msgs), Base: baseOf(p.cp), Form: written.Form,
		Statements: p.report.Kept, Probe: proven,
	})
}

// grounded are the statements that rest on words of the turns.
func (p *preparation) grounded(index *probe.Index, written []probe.Statement) []probe.Statement {
	kept, dropped := index.Ground(index.Locate(written))
	if p.writing.RedactIdentifiers {
		all := kept
		kept = nil
		for _, s := range all {
			if identifies(s.Text) || identifies(s.Quote) {
				dropped = append(dropped, probe.Drop{Statement: s, Reason: holdsIdentifier})
			} else {
				kept = append(kept, s)
			}
		}
	}
	p.report.Dropped = dropped
	return kept
}

// holdsIdentifier is why a statement is not used where identifiers are left out.
const holdsIdentifier probe.Reason = "holds an identifier"

// identifies reports whether an identifier or an address stands in text.
func identifies(text string) bool {
	return slices.ContainsFunc(probe.Values(text), func(v probe.Value) bool { return v.Kind == probe.Identifier || v.Kind == probe.URL })
}

// statements are verified statements as a record shows them: without credentials.
func (p *preparation) statements(verified []probe.Statement) []summary.Statement {
	list := make([]summary.Statement, 0, len(verified))
	for _, s := range verified[:min(len(verified), maxStatements)] {
		list = append(list, summary.Statement{
			Section: s.Section, Text: p.Policy.redact.of(s.Text), Messages: s.Messages, Quote: p.Policy.redact.of(s.Quote),
		})
	}
	return list
}

// leastAsked is the fewest questions that prove something.
const leastAsked = 2

// errFewQuestions says that a model's questions prove nothing.
var errFewQuestions = errors.New("fewer than two questions were about what stands in the turns")

// quiz asks a model what it would want to know of the turns and then, from the
// statements and the record, for the answers. It returns an outcome where the
// statements may not be used.
func (p *preparation) quiz(ctx context.Context, index *probe.Index, turns Turns, proven *compaction.ModelProbe) (string, error) {
	if p.writing.MaxQuestions < leastAsked {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.writing.ProbeTimeout)
	defer cancel()
	report, err := p.questions(ctx, index, turns)
	p.report.Questions = report
	if report != nil {
		proven.Verdict, proven.Score, proven.Asked = report.Verdict, report.Score, len(report.Answers)
	}
	switch {
	case proven.Verdict == compaction.HardFail:
		return PreparedRejected, nil
	case proven.Verdict == compaction.Unprobed:
		if p.report.Unasked = err; p.writing.RejectUnprobed {
			return PreparedUnprobed, err
		}
	}
	return "", nil
}

func (p *preparation) questions(ctx context.Context, index *probe.Index, turns Turns) (*probe.Report, error) {
	asked, err := p.Author.Ask(ctx, p.sent, turns, p.writing.MaxQuestions)
	if err != nil {
		return nil, err
	}
	asked, p.report.Refused = index.Accept(asked[:min(len(asked), p.writing.MaxQuestions)])
	if len(asked) < leastAsked {
		return nil, errFewQuestions
	}
	account := summary.Account(p.report.Kept)
	answers, err := p.Author.Answer(ctx, p.sent, account, p.report.Record, asked)
	if err != nil {
		return nil, err
	}
	report, err := probe.Judge(asked, answers, func(open []probe.Answered) ([]float64, error) {
		return p.Author.Grade(ctx, p.sent, open)
	}, p.writing.Bounds)
	return &report, err
}

// keep stores what was proven apart from the forms in use.
func (p *preparation) keep(ctx context.Context, next *prepared) (string, error) {
	value, err := json.Marshal(next)
	if err != nil {
		return PreparedMalformed, err
	}
	if ctx.Err() != nil { // what was ended must not be stored: its conversation may be forgotten by now
		return PreparedCancelled, ctx.Err()
	}
	stands, err := p.Prepared.Put(ctx, next.Covers, value)
	switch {
	case err != nil:
		return PreparedLost, err
	case string(stands) != string(value):
		return PreparedSecond, nil
	}
	return PreparedSummary, nil
}
