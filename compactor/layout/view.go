package layout

import (
	"slices"

	"killick/compactor/settings"
	"killick/transcript"
	"killick/view"
)

// View is a conversation as decisions see it: the messages after the leading instructions, what
// each costs, and which of them belong together. Indexes count from the first message after the
// leading ones, so that instructions which change from turn to turn (a clock, a git status) move
// nothing.
//
// Its slices are shared with what is remembered of the conversation: they are not to be
// changed.
type View struct {
	Request  *view.Request
	Lead     int // how many leading system and developer messages there are
	Messages []view.Message
	Tokens   []int
	Before   []int // Before[i] is the sum of Tokens[:i]
	Fixed    int   // tokens of all but Messages: tools, leading instructions, framing

	// Redact takes credentials out of what is listed by itself: a name without the
	// words around it is not known for one.
	Redact     settings.Redaction
	Strict     bool // the upstream wants its turns to alternate
	Rules      view.Rules
	WholeTurns int // Policy.ProtectTurns

	// Truncated are the messages that are truncated in Messages.
	Truncated map[int]Truncation
	// Stubbed are the results in Messages that have the content that they referred to, in order.
	Stubbed []int

	instructed []int // instructed[i] is the sum of tokens of the instructions in [0, i)
	bound      []int // likewise of bound parts; nil if there are none
	structure        // what Split fills in

	lookups *lookups
}

// lookups are found once for all views of a request.
type lookups struct {
	messages *transcript.Memo
	found    map[any]any
}

// Truncation is an output in its short form.
type Truncation struct {
	Message  view.Message
	Handle   string
	Tokens   int // of the short form, and of the original
	Original int
}

// Pays reports whether the short form is shorter by enough.
func (s *Truncation) Pays() bool { return s.Tokens > 0 && s.Original-s.Tokens >= s.Original/4 }

// New lays a request out and counts it.
func New(req *view.Request, c Counter) *View {
	v := Uncounted(req)
	v.CountFixed(c)
	v.Count(c)
	return v
}

// Uncounted lays a request out without sizes. [View.CountFixed] and [View.Count] fill them in;
// nothing may ask for one before.
func Uncounted(req *view.Request) *View {
	all := req.Messages()
	v := &View{Request: req, Rules: req.Format().Rules(req), lookups: &lookups{}}
	for v.Lead < len(all) && all[v.Lead].Role().Instructs() {
		v.Lead++
	}
	v.Messages = all[v.Lead:]
	return v
}

// Truncate puts short forms in the places of messages. tokens and before are those of the
// conversation then.
func (v *View) Truncate(short map[int]Truncation, tokens, before []int) {
	v.Messages = slices.Clone(v.Messages) // the request keeps its own
	for i, s := range short {
		v.Messages[i] = s.Message
	}
	v.Truncated, v.Tokens, v.Before = short, tokens, before
}

// Parse reads a message on its own, in the format of the request.
func (v *View) Parse(raw []byte) (view.Message, error) { return v.Request.Format().Message(raw) }

// Original returns message i as received, whatever its form in Messages.
func (v *View) Original(i int) *view.Message { return &v.Request.Messages()[v.Lead+i] }

// Transcript reads the conversation as received, calls from message from on.
func (v *View) Transcript(from int) *transcript.Transcript {
	if v.lookups.messages == nil {
		v.lookups.messages = transcript.NewMemo(len(v.Request.Messages()) - v.Lead)
	}
	return v.lookups.messages.Read(v.Originals(), v.Groups, from)
}

// Once returns what find returns, which is called once for all views of a request.
func (v *View) Once(key any, find func() any) any {
	found, ok := v.lookups.found[key]
	if !ok {
		found = find()
		if v.lookups.found == nil {
			v.lookups.found = map[any]any{}
		}
		v.lookups.found[key] = found
	}
	return found
}

// Originals are the messages as received.
func (v *View) Originals() []view.Message {
	return v.Request.Messages()[v.Lead : v.Lead+len(v.Messages)]
}

// Total is the size of the request: as received, until outputs are truncated.
func (v *View) Total() int { return v.Fixed + v.Before[len(v.Messages)] }

// Prefix is the view as it was when the conversation ended at message n, which
// must be the end of a group.
func (v *View) Prefix(n int) *View {
	p := *v
	groups := v.GroupAt(n)
	p.Messages, p.Tokens, p.Before = v.Messages[:n:n], v.Tokens[:n:n], v.Before[:n+1:n+1]
	p.Groups = v.Groups[:groups:groups]
	p.turn, p.turns = v.turn[:groups:groups], v.turns[:groups:groups]
	if v.staying != nil {
		p.staying = v.staying[:groups:groups]
	}
	return &p
}

// GroupAt returns the index of the first group that starts at or after message
// i.
func (v *View) GroupAt(i int) int {
	lo, hi := 0, len(v.Groups)
	for lo < hi {
		if mid := (lo + hi) / 2; v.Groups[mid].Start < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// MayCut reports whether all groups are on one side of message i or the other.
func (v *View) MayCut(i int) bool {
	g := v.GroupAt(i)
	return g == 0 || v.Groups[g-1].End <= i
}

// DecisionPoints calls yield with the points after from at which the plan is made: after each
// message that a model answers, once nothing is open. They follow from the messages alone, so a
// process that sees the conversation for the first time decides at the same points, in the same
// order, as one that saw every request of it.
func (v *View) DecisionPoints(from int, yield func(n int) bool) {
	for _, g := range v.Groups[v.GroupAt(from):] {
		if g.Open || g.End <= from || v.Messages[g.End-1].Role() == view.Assistant {
			continue
		}
		if !yield(g.End) {
			return
		}
	}
}

// AtDecision reports whether the conversation ends at a decision point.
func (v *View) AtDecision() bool {
	n := len(v.Groups)
	return n > 0 && !v.Groups[n-1].Open && v.Messages[len(v.Messages)-1].Role() != view.Assistant
}

// Unanswered is where the messages start that no assistant message has answered
// yet, from the call that they belong to: the model has to see them whole.
func (v *View) Unanswered() int {
	if len(v.turn) == 0 {
		return 0
	}
	return v.turn[len(v.turn)-1]
}

// Answered is how many turns the conversation has had.
func (v *View) Answered() int {
	if len(v.turns) == 0 {
		return 0
	}
	return v.turns[len(v.turns)-1]
}

// Foldable is how far the conversation may be folded at most: not into what the
// model has not answered, nor past an open call, whose answer would have no call
// then.
func (v *View) Foldable() int { return min(v.Protected(), v.open) }

// Protected is where the turns start that stay whole whatever the target: what
// the model has not answered, and the newest turns that the policy names.
func (v *View) Protected() int {
	left := v.WholeTurns
	for g := len(v.Groups) - 1; g >= 0 && left > 0; g-- {
		start := v.Groups[g].Start
		if v.Messages[start].Role() != view.Assistant {
			continue
		}
		if left--; left == 0 {
			return min(start, v.Unanswered())
		}
	}
	if left > 0 {
		return 0 // all of it
	}
	return v.Unanswered()
}

// Stays reports whether message i is sent as received, whatever becomes of those around it: it is
// the operator's, or belongs to what may not be changed.
func (v *View) Stays(i int) bool {
	return v.Messages[i].Role().Instructs() || v.staying != nil && v.Groups[v.GroupAt(i+1)-1].Fixed
}

// AnyFixed reports whether any group is fixed.
func (v *View) AnyFixed() bool { return v.staying != nil }

// Staying is the size of the messages in [0, n) that stay when the rest is folded. n must be
// the end of a group.
func (v *View) Staying(n int) int {
	size := v.instructed[n]
	if g := v.GroupAt(n); v.staying != nil && g > 0 {
		size += v.staying[g-1]
	}
	return size
}

// FixedRounded is fixed, rounded up so that a leading message whose clock gained
// a digit does not move a decision.
func (v *View) FixedRounded() int {
	const quantum = 256
	return (v.Fixed + quantum - 1) / quantum * quantum
}
