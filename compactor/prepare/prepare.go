package prepare

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/mask"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/compactor/trigger"
	"killick/probe"
	"killick/summary"
)

// A summary by a model takes longer than a request may wait. Past a soft mark
// between target and trigger a model is asked in the background, after the
// conversation's own request has filled the provider's prompt cache, and what it
// tells of the turns that the next fold will take is kept apart from the forms in
// use. The request that crosses the trigger finds it there.

// writing is what an engine needs for that; nil where no model writes.
type Background struct {
	Options
	Store     checkpoint.Store // of what is prepared
	Pool      *pool
	Standings *backoffs
}

// New returns a Background that keeps what is prepared in store.
func New(o Options, store checkpoint.Store) *Background {
	return &Background{Options: o.WithDefaults(), Store: store, Pool: newPool(), Standings: NewBackoffs()}
}

// Task is a conversation for which a model may write.
type Task struct {
	Who    string
	Policy settings.Policy
	Budget settings.Budget
	Count  layout.Counter
	Author Author // nil: no model writes for this request
	View   *layout.View

	Conversation checkpoint.Conversation
	Prepared     checkpoint.Conversation // where what is prepared is kept; nil where no model writes

	FailOpen func(reason string, err error)
}

// preparation is the asking for statements, after the request that it started from.
type Writer struct {
	Task
	Writing *Background
	sent    []byte // the body that was forwarded for the request
	cp      *checkpoint.Checkpoint
	Size    int
	limit   int
	At      Backoff
	report  Report
	started time.Time
}

// next returns what to call when a request in the form cp has been answered, nil where
// nothing is to be prepared. limit is the size past which the form must change. ok says
// that the upstream took the request: only then does it make sense to append to it.
func (w *Background) Next(ctx context.Context, t Task, cp *checkpoint.Checkpoint, sent []byte, limit int) func(ok bool) {
	if t.Author == nil || t.Prepared == nil {
		return nil
	}
	n := len(t.View.Messages)
	size := checkpoint.Size(t.View, cp, t.View.FixedRounded())
	if size <= trigger.Prepare(t.Policy, t.Budget, limit) || !t.View.AtDecision() {
		return nil
	}
	known := w.Standings.Of(n, t.Conversation.Name)
	if known.On(checkpoint.BaseOf(cp)).KindAt(size, checkpoint.FoldableTokens(t.View, cp)) != Ready {
		return nil
	}
	if w.Pool.of(n, t.Conversation.Name) != nil {
		return nil
	}
	if next, _ := t.load(ctx, n, cp, n); next != nil {
		return nil
	}
	p := &Writer{Task: t, Writing: w, sent: sent, cp: cp, Size: size, limit: limit,
		At: Backoff{Name: t.Conversation.Name(n), base: checkpoint.BaseOf(cp)}}
	j := w.Pool.reserve(t.Who, p.At.Name, n, len(sent)+len(t.View.Request.Raw()), p.run)
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
func (p *Writer) run(ctx context.Context) {
	p.started = time.Now()
	p.report.WhenSent = len(p.View.Messages)
	defer func() {
		if recover() != nil { // its value may quote the conversation
			p.End(Panic, nil)
		}
	}()
	outcome, err := p.make(ctx)
	if ctx.Err() != nil && outcome != Prepared {
		outcome = Cancelled
	}
	p.End(outcome, err)
}

// end sets the conversation's phase. What was rejected or failed cools and is
// tried again; only where nothing is left to gain is the conversation exhausted,
// until an eighth more could be folded.
func (p *Writer) End(outcome string, err error) {
	st := p.At
	st.Kind, st.until = Cooling, trigger.PrepareAgain(p.Budget, p.Size)
	if outcome == NothingToGain {
		foldable := checkpoint.FoldableTokens(p.View, p.cp)
		st.Kind, st.until = Exhausted, trigger.Retry(p.Budget, foldable)
	}
	p.Writing.Standings.set(st)
	p.report.Outcome, p.report.Err, p.report.Duration = outcome, err, time.Since(p.started)
	p.Writing.Report(p.report)
}

func (p *Writer) make(ctx context.Context) (string, error) {
	f := history.New(p.View, p.cp, p.Budget, p.Policy)
	if masks, after, _ := mask.Outputs(f, p.Count, p.Conversation.Handle); masks != nil && after <= p.Budget.Target {
		return MasksSuffice, nil
	}
	old := fold.Old(f)
	k := fold.NewKeeper(f, p.Count, p.Conversation.Handle)
	room, err := fold.TailRoom(f, &old, k)
	if err != nil {
		return NothingToGain, err
	}
	// The conversation grows until then, so the fold will reach further than one
	// would now: about so far is written of.
	to := f.FoldTo(room - min(max(p.limit-p.Size, 0), p.Budget.Target/2))
	if to == 0 {
		return NothingToGain, nil
	}
	form, d, err := fold.Compose(f, &old, to, k)
	if err == nil {
		err = d.Render(p.Policy.Redact)
	}
	if err == nil {
		err = d.Count(p.Count)
	}
	if err != nil {
		return RejectedInvalid, err
	}
	form.Records = append(form.Records, d.Record)
	if outcome := p.foresee(f, form); outcome != "" {
		return outcome, nil
	}
	p.report.Folded, p.report.Record = to, shownBeside(f, d)
	turns := Turns{Messages: f.Transcript.Messages[old.Fold:to], First: old.Fold + 1}
	return p.ask(ctx, turns, checkpoint.Text(old.Records), to)
}

// shownBeside is what a model is shown in the place of the turns, but for what a model
// wrote: the messages that stay as they came, and the record.
func shownBeside(f *history.History, d *fold.Draft) string {
	stay := f.Policy.Redact.Of(fold.TextOfKept(f, d.Kept))
	if stay != "" {
		stay = "Messages of the user's side that stay as they came:\n" + stay + "\n"
	}
	return stay + d.Text()
}

// foresee says why the form that is made without a model would not be used, "" if it
// would: then a model's words would be used neither.
func (p *Writer) foresee(f *history.History, form *checkpoint.Checkpoint) string {
	switch got := checkpoint.Size(p.View, form, p.View.FixedRounded()); {
	case p.Size-got < p.Budget.MinGain:
		return NothingToGain
	case !p.pays(f, form):
		return WouldNotPay
	case p.Writing.OnlyForWindow && p.Size < trigger.ForWindow(p.Budget):
		return WouldNotPay
	}
	return ""
}

// pays reports whether a form would take the place of the present one.
func (p *Writer) pays(f *history.History, form *checkpoint.Checkpoint) bool {
	return p.Budget.Bounds().Usable(plan.NewOutlook(f.View.Answered(), false), max(p.Size, p.limit), fold.Option(f, form))
}

// ask has a model write statements about the turns, and stores what is proven of
// them.
func (p *Writer) ask(ctx context.Context, turns Turns, soFar string, to int) (string, error) {
	writing, cancel := context.WithTimeout(ctx, p.Writing.WriteTimeout)
	defer cancel()
	written, err := p.Author.Write(writing, p.sent, turns, soFar)
	p.report.Form, p.report.Written = written.Form, written.Statements
	if err != nil {
		return ModelFailed, err
	}
	index := probe.NewIndex(turns.Messages, turns.First)
	grounded := p.grounded(index, written.Statements)
	if len(grounded) == 0 {
		return RejectedEmpty, nil
	}
	verdicts, err := p.Author.Verify(writing, p.sent, grounded)
	if err != nil {
		return RejectedUnverified, err
	}
	verified, dropped := probe.Verified(grounded, verdicts)
	p.report.Dropped = append(p.report.Dropped, dropped...)
	if len(verified) == 0 {
		return RejectedEmpty, nil
	}
	p.report.Kept = p.Statements(verified)
	proven := &compaction.ModelProbe{Verdict: compaction.Unprobed, Verified: len(verified), Written: len(written.Statements)}
	p.report.Probe = proven
	if outcome, err := p.quiz(ctx, index, turns, proven); outcome != "" {
		return outcome, err
	}
	return p.keep(ctx, &stored{
		Version: storedVersion, Covers: to, At: len(p.View.Messages), Base: checkpoint.BaseOf(p.cp), Form: written.Form,
		Statements: p.report.Kept, Probe: proven,
	})
}

// grounded are the statements that rest on words of the turns.
func (p *Writer) grounded(index *probe.Index, written []probe.Statement) []probe.Statement {
	kept, dropped := index.Ground(index.Locate(written))
	if p.Writing.RedactIdentifiers {
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
func (p *Writer) Statements(verified []probe.Statement) []summary.Statement {
	list := make([]summary.Statement, 0, len(verified))
	for _, s := range verified[:min(len(verified), MaxStatements)] {
		list = append(list, summary.Statement{
			Section: s.Section, Text: p.Policy.Redact.Of(s.Text), Messages: s.Messages, Quote: p.Policy.Redact.Of(s.Quote),
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
func (p *Writer) quiz(ctx context.Context, index *probe.Index, turns Turns, proven *compaction.ModelProbe) (string, error) {
	if p.Writing.MaxQuestions < leastAsked {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.Writing.ProbeTimeout)
	defer cancel()
	report, err := p.questions(ctx, index, turns)
	p.report.Questions = report
	if report != nil {
		proven.Verdict, proven.Score, proven.Asked = report.Verdict, report.Score, len(report.Answers)
	}
	switch {
	case proven.Verdict == compaction.HardFail:
		return RejectedProbe, nil
	case proven.Verdict == compaction.Unprobed:
		if p.report.Unasked = err; p.Writing.RejectUnprobed {
			return RejectedUnprobed, err
		}
	}
	return "", nil
}

func (p *Writer) questions(ctx context.Context, index *probe.Index, turns Turns) (*probe.Report, error) {
	asked, err := p.Author.Ask(ctx, p.sent, turns, p.Writing.MaxQuestions)
	if err != nil {
		return nil, err
	}
	asked, p.report.Refused = index.Accept(asked[:min(len(asked), p.Writing.MaxQuestions)])
	if len(asked) < leastAsked {
		return nil, errFewQuestions
	}
	account := summary.Narrative(p.report.Kept)
	answers, err := p.Author.Answer(ctx, p.sent, account, p.report.Record, asked)
	if err != nil {
		return nil, err
	}
	report, err := probe.Grade(asked, answers, func(open []probe.Answered) ([]float64, error) {
		return p.Author.Grade(ctx, p.sent, open)
	}, p.Writing.Bounds)
	return &report, err
}

// keep stores what was proven apart from the forms in use.
func (p *Writer) keep(ctx context.Context, next *stored) (string, error) {
	value, err := json.Marshal(next)
	if err != nil {
		return RejectedInvalid, err
	}
	if ctx.Err() != nil { // what was ended must not be stored: its conversation may be forgotten by now
		return Cancelled, ctx.Err()
	}
	stands, err := p.Prepared.Put(ctx, next.Covers, value)
	switch {
	case err != nil:
		return NotStored, err
	case string(stands) != string(value):
		return Second, nil
	}
	return Prepared, nil
}
