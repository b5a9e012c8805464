package compactor

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Plan is one decision between the forms that a conversation could take, with
// what was expected of each. It holds sizes alone: nothing of the conversation.
type Plan struct {
	At      int  // messages of the conversation, leading instructions apart
	Size    int  // tokens of the request in its present form
	Limit   int  // what it exceeds
	Turns   int  // how many more were expected
	Cold    bool // the provider's cache was taken for expired
	Options []Option
	Chosen  string // the outcome: one of the Made words
}

// Option is a form that a request can be given, or the one that it has.
type Option struct {
	Outcome   string // MadeNothing: the present form; else MadeMask, MadeSummary or MadeWritten
	After     int    // tokens of the request in it
	Rewritten int    // of them, how many the provider has not cached
	Loss      int    // tokens that are expected to be fetched again
	PerTurn   int    // what a turn is expected to cost, in fresh tokens; filled in where a Plan tells it
}

// String tells the decision in one line.
func (c Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "at %d messages, %d tokens over %d, %d more turns expected", c.At, c.Size, c.Limit, c.Turns)
	if c.Cold {
		b.WriteString(", nothing cached")
	}
	for i, o := range c.Options {
		b.WriteString(map[bool]string{true: ": ", false: "; "}[i == 0])
		fmt.Fprintf(&b, "%s %d a turn (%d tokens", optionNames[o.Outcome], o.PerTurn, o.After)
		if o.Outcome != MadeNothing {
			fmt.Fprintf(&b, ", %d rewritten, %d lost", o.Rewritten, o.Loss)
		}
		b.WriteByte(')')
	}
	return b.String() + " -> " + c.Chosen
}

var optionNames = map[string]string{MadeNothing: "stay", MadeMask: "mask", MadeSummary: "fold"}

// planner makes one plan.
type planner struct {
	*work
	f    *frontier
	look outlook
	size int
	Plan

	masked    *masking // what masks returns, nil for nothing; valid once masksMade
	masksMade bool
}

// decide makes the next form of a conversation that has outgrown the one it has:
// of masks and a fold the one that is expected to cost less, the other one if that
// is refused. nil: nothing worthwhile.
func (w *work) decide(ctx context.Context, p *view, cp *Checkpoint, size, limit int) *Checkpoint {
	f := newFrontier(p, cp, w.budget, w.policy)
	c := planner{work: w, f: f, look: f.outlook(w.cold && len(p.msgs) == len(w.v.msgs)), size: size}
	c.Plan = Plan{At: len(p.msgs), Size: size, Limit: limit, Turns: c.look.turns, Cold: c.look.cold}
	next := c.make(ctx)
	if next == nil && c.Chosen == "" {
		c.Chosen = MadeNothing
	}
	w.res.Decisions, w.chosen = append(w.res.Decisions, c.Plan), c.Chosen
	return next
}

func (c *planner) make(ctx context.Context) *Checkpoint {
	stay := c.consider(Option{Outcome: MadeNothing, After: c.size})
	if c.f.masksMayReach(c.size) {
		if masks := c.masks(stay); masks != nil && masks.After <= c.budget.Target {
			return c.use(masks) // no fold gets lower for less
		}
	}
	folded, err := c.fold(ctx, c.f, c.size)
	if err == nil {
		fold := c.f.foldOption(folded)
		if c.better(fold, c.consider(fold), stay) {
			fold.Outcome = folded.made() // who wrote it
			c.hidden = append(c.hidden, c.f.gone...)
			return c.finish(folded, fold)
		}
		err = errNoGain
	}
	c.note(err)
	masks := c.masks(stay)
	if c.size > c.budget.Window && errors.Is(err, errCoverage) && folded != nil && (masks == nil || masks.After > c.budget.Window) {
		if unproven := c.unproven(folded); unproven != nil {
			return unproven
		}
	}
	if masks != nil {
		return c.use(masks)
	}
	return nil
}

// unproven is a fold whose record holds too little, where the upstream would refuse
// whatever else there is: a summary that lacks something is better than no answer.
// It is reported as what it is. nil: it would not help.
func (c *planner) unproven(folded *Checkpoint) *Checkpoint {
	fold := c.f.foldOption(folded)
	c.consider(fold)
	if fold.After > c.budget.Window || !c.enough(c.size, fold.After) {
		return nil
	}
	fold.Outcome = MadeUnproven
	c.failOpen("summary_unproven", errCoverage)
	c.hidden = append(c.hidden, c.f.gone...)
	return c.finish(folded, fold)
}

// masking is the form with more outputs masked, and what is expected of it.
type masking struct {
	Option
	form   *Checkpoint
	hidden []maskedMessage
}

// masks returns the form with more outputs masked if it is better than staying,
// else nil. It is made once.
func (c *planner) masks(stay int) *masking {
	if !c.masksMade {
		c.masksMade, c.masked = true, c.mask(stay)
	}
	return c.masked
}

func (c *planner) mask(stay int) *masking {
	var m masking
	m.Outcome = MadeMask
	if m.form, m.After, m.hidden = c.f.maskOutputs(c.count, c.conv.Handle); m.form == nil {
		return nil
	}
	m.Rewritten = c.f.rewritten(m.form)
	m.Loss = c.f.loss(func(yield func(int) bool) {
		for i := range m.hidden {
			if !yield(m.hidden[i].Index) {
				return
			}
		}
	}, m.After)
	if !c.better(m.Option, c.consider(m.Option), stay) {
		return nil
	}
	return &m
}

func (c *planner) use(m *masking) *Checkpoint {
	c.hidden = append(c.hidden, originals(m.hidden)...)
	return c.finish(m.form, m.Option)
}

// foldOption is what is expected of a fold.
func (f *frontier) foldOption(folded *Checkpoint) Option {
	fold := Option{Outcome: MadeSummary, After: f.v.size(folded, f.v.fixedSteady()), Rewritten: f.rewritten(folded)}
	fold.Loss = f.loss(func(yield func(int) bool) {
		for i := f.folded(); i < folded.Fold; i++ {
			if !f.masked(i) && !yield(i) {
				return
			}
		}
	}, fold.After)
	return fold
}

// consider notes an option and returns what each turn is expected to cost in it.
func (c *planner) consider(o Option) int {
	price := c.look.perTurn(o)
	o.PerTurn = price / 1000
	c.Options = append(c.Options, o)
	return price
}

// better tells whether an option may take the present form's place. Where the
// window is at stake it need only be smaller by enough; else it must be cheaper.
func (c *planner) better(o Option, price, stay int) bool {
	return c.enough(c.size, o.After) && (c.size > c.budget.Window || price < stay)
}

// enough tells whether it makes a difference that a request of size has only after
// tokens.
func (w *work) enough(size, after int) bool { return size-after >= w.budget.MinGain }

// worth tells whether a fold may take the place of a form of size.
func (w *work) worth(f *frontier, folded *Checkpoint, size int) bool {
	look, fold := f.outlook(false), f.foldOption(folded)
	return w.enough(size, fold.After) &&
		(size > w.budget.Window || look.perTurn(fold) < look.perTurn(Option{Outcome: MadeNothing, After: size}))
}

// note tells why a fold was refused.
func (c *planner) note(err error) {
	switch {
	case errors.Is(err, errCoverage):
		c.Chosen = MadeRejected
	case errors.Is(err, errPins):
		c.Chosen = MadePinsLost
		c.failOpen("pins_do_not_fit", err)
	case errors.Is(err, errNoGain), errors.Is(err, errNothingToFold):
		c.Chosen = MadeNothing
	default:
		c.Chosen = MadeMalformed
		c.failOpen("summary_invalid", err)
	}
	c.res.Made = append(c.res.Made, c.Chosen)
}

// finish fills in where and when a form was made.
func (c *planner) finish(cp *Checkpoint, o Option) *Checkpoint {
	if c.f.cp != nil {
		// A form is keyed by what it covers, and forms are immutable: a new one
		// covers more than the one before it.
		cp.Covers = max(cp.Covers, c.f.cp.Covers+1)
	}
	cp.At, cp.Before, cp.After = c.At, c.size, o.After
	cp.NextAt = max(c.budget.Trigger, o.After+c.budget.step())
	c.Chosen = o.Outcome
	c.res.Made = append(c.res.Made, o.Outcome)
	return cp
}
