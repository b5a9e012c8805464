package plan

import "time"

// Plan is one decision about a conversation that has outgrown its form, with the expected cost of
// each other form. It has only numbers, no text of the conversation.
type Plan struct {
	At     int // messages of the conversation, without leading instructions
	Size   int // tokens of the request in its present form
	Limit  int // the limit that Size exceeds
	Bounds Bounds
	Outlook
	Cache      Cache
	MasksReach bool // masks would bring it down to the target

	Options []Option // offered so far, the present form first
	Chosen  string   // the outcome

	masks, fold offer
	unproven    bool // the fold was rejected only for its coverage, and may still be used
}

// Bounds are the limits that a form is checked against, in tokens.
type Bounds struct {
	Window  int // the most that the model accepts
	Target  int // the size that a compaction aims for
	MinGain int // the least that it must save
}

// Enough reports whether a reduction from size to after tokens is worth a new form.
func (b Bounds) Enough(size, after int) bool { return size-after >= b.MinGain }

// Usable reports whether a form may replace one of size tokens. Past the window it need only be
// smaller by enough; else it must also be cheaper.
func (b Bounds) Usable(l Outlook, size int, o Option) bool {
	stay := Option{Outcome: Stay, After: size}
	return b.Enough(size, o.After) && (size > b.Window || l.costOf(o) < l.costOf(stay))
}

// Cache has the facts about the conversation in the provider's prompt cache. It is only for the
// log: decisions use Outlook.Cold.
type Cache struct {
	Preamble int           // tokens that precede the turns: instructions, tools, framing
	Lifetime time.Duration // of what is cached, from its last use; 0: not known
	Seen     bool          // the conversation was sent before, at a known time
	Idle     time.Duration // since that time
	Changed  bool          // it was sent with other instructions, tools or another model then
}

// offer is a form of one kind.
type offer struct {
	made bool // it was requested and the caller has answered, even if there is no such form
	Option
	usable bool // it may replace the present form
}

// Step is the next step of a decision.
type Step byte

// The steps of a decision. One that uses a form, or stays, is the last.
const (
	Keep        Step = iota // the present form stays
	MakeMasks               // offer a form with more outputs masked
	MakeFold                // offer a form with more turns folded
	UseMasks                // use the offered form with masks
	UseFold                 // use the offered fold
	UseUnproven             // use the fold that was rejected for its coverage
)

// Start begins a decision: it offers the present form.
func (p *Plan) Start() {
	p.consider(Option{Outcome: Stay, After: p.Size})
}

// Next returns the next step. Masks that reach the target are used without making a fold, since no
// fold gets as low at a lower cost. Else a fold is used if it pays, and masks if it does not.
func (p *Plan) Next() Step {
	switch masks := p.masks.usable; {
	case p.MasksReach && !p.masks.made:
		return MakeMasks
	case masks && p.masks.After <= p.Bounds.Target:
		return UseMasks
	case !p.fold.made:
		return MakeFold
	case p.fold.usable:
		return UseFold
	case !p.masks.made:
		return MakeMasks
	case p.unproven && p.Size > p.Bounds.Window && !(masks && p.masks.After <= p.Bounds.Window):
		return UseUnproven
	case masks:
		return UseMasks
	}
	return Keep
}

// OfferMasks answers MakeMasks. o is nil if no output can be masked with a gain.
func (p *Plan) OfferMasks(o *Option) {
	p.masks.made = true
	if o != nil {
		p.masks = p.weigh(*o)
	}
}

// OfferFold answers MakeFold with a fold and reports whether it is usable.
func (p *Plan) OfferFold(o Option) bool {
	p.fold = p.weigh(o)
	return p.fold.usable
}

// RejectFold answers MakeFold if no fold may be used. unproven is the fold that was rejected for
// its coverage, nil if there is none.
func (p *Plan) RejectFold(outcome string, unproven *Option) {
	p.fold = offer{made: true}
	p.Chosen = outcome
	if unproven != nil {
		p.fold.Option, p.unproven = *unproven, true
	}
}

// Unproven offers the fold that was rejected for its coverage and reports whether it helps: in it,
// the request must fit the window. If it does not help, Next returns another step.
func (p *Plan) Unproven() bool {
	fold := p.fold.Option
	p.consider(fold)
	p.unproven = fold.After <= p.Bounds.Window && p.Bounds.Enough(p.Size, fold.After)
	return p.unproven
}

// weigh notes a form and compares it to the present one.
func (p *Plan) weigh(o Option) offer {
	p.consider(o)
	return offer{made: true, Option: o, usable: p.Bounds.Usable(p.Outlook, p.Size, o)}
}

// consider notes an option with the expected cost of each turn in it.
func (p *Plan) consider(o Option) {
	o.PerTurn = p.costOf(o) / Fresh
	p.Options = append(p.Options, o)
}
