package layout

import (
	"fmt"
	"slices"

	"killick/transcript"
	"killick/view"
)

// View is a conversation as decisions see it: the messages after the leading instructions, their
// sizes, and which of them belong together. Indexes count from the first message after the leading
// instructions, so that instructions that change from turn to turn (a clock, a git status) do not
// change them.
//
// Its slices are shared with the memory of the conversation and must not be changed.
type View struct {
	Request  *view.Request
	Lead     int // how many leading system and developer messages there are
	Messages []view.Message
	Tokens   []int
	Before   []int // Before[i] is the sum of Tokens[:i]
	Preamble int   // tokens that precede Messages: tools, leading instructions, framing

	Strict     bool // the upstream requires turns to alternate
	Rules      view.Rules
	WholeTurns int // Policy.ProtectTurns

	// Truncated has the messages that are truncated in Messages.
	Truncated map[int]Truncation
	// Stubbed has the results in Messages that were stubs, or repeats, and now have the content, in
	// order.
	Stubbed []int

	instructed []int // instructed[i] is the sum of tokens of the instructions in [0, i)
	signed     []int // likewise of signed parts; nil if there are none
	structure        // set by Split

	lookups *lookups
}

// lookups are results that are shared by all views of a request.
type lookups struct {
	messages *transcript.Memo
	found    map[any]any
}

// Truncation is an output in its short form.
type Truncation struct {
	Message  view.Message
	Ref      string
	Tokens   int // of the short form, and of the original
	Original int
	// Repeats is the message to whose output the short form refers, plus one; 0 if it shows a part.
	Repeats int
}

// Pays reports whether the short form is shorter by enough.
func (s *Truncation) Pays() bool { return s.Tokens > 0 && s.Original-s.Tokens >= s.Original/4 }

// Uncounted lays out a request without sizes. [View.CountPreamble] and [View.Count] set them; they
// must not be read before.
func Uncounted(req *view.Request) *View {
	all := req.Messages()
	v := &View{Request: req, Rules: req.Format().Rules(req), lookups: &lookups{}}
	for v.Lead < len(all) && all[v.Lead].Role().Instructs() {
		v.Lead++
	}
	v.Messages = all[v.Lead:]
	return v
}

// Truncate replaces messages by their short forms. tokens and before are the new sizes of the
// conversation.
func (v *View) Truncate(short map[int]Truncation, tokens, before []int) {
	v.Messages = slices.Clone(v.Messages) // the request keeps its own
	for i, s := range short {
		v.Messages[i] = s.Message
	}
	v.Truncated, v.Tokens, v.Before = short, tokens, before
}

// Parse reads a message on its own, in the format of the request.
func (v *View) Parse(raw []byte) (view.Message, error) {
	m, err := v.Request.Format().Message(raw)
	if err != nil {
		return view.Message{}, fmt.Errorf("reading a message: %w", err)
	}
	return m, nil
}

// Original returns message i as received, whatever its form in Messages.
func (v *View) Original(i int) *view.Message { return &v.Request.Messages()[v.Lead+i] }

// WasStub reports whether message i was a stub, or a repeat, and now has the content.
func (v *View) WasStub(i int) bool {
	_, found := slices.BinarySearch(v.Stubbed, i)
	return found
}

// Transcript reads the conversation as received, with the calls from message from on.
func (v *View) Transcript(from int) *transcript.Transcript {
	if v.lookups.messages == nil {
		v.lookups.messages = transcript.NewMemo(v.Request.Memory())
	}
	return v.lookups.messages.Read(v.Originals(), v.Groups, from)
}

// Once returns the result of find, which is called once for each key and all views of a request.
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

// Originals returns the messages as received.
func (v *View) Originals() []view.Message {
	return v.Request.Messages()[v.Lead : v.Lead+len(v.Messages)]
}

// Total returns the size of the request, after truncation if outputs were truncated.
func (v *View) Total() int { return v.Preamble + v.Before[len(v.Messages)] }

// Prefix returns the view of the conversation up to message n, which must be the end of a group.
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

// DecisionPoints calls yield with the points after from at which decisions are made: the end of
// each group that a model answers and that has no open call. They follow from the messages alone,
// so a process that sees the conversation for the first time decides at the same points, in the
// same order, as one that saw every request of it.
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

// Changeable returns how far the conversation may be changed: not into messages that the model has
// not answered, and not past a call that may still be answered: its result would have no call.
func (v *View) Changeable() int { return min(v.Protected(), v.open) }

// Foldable returns how far the conversation may be folded: as far as it may be changed, and not
// into turns of which only the server has a part, which no record could tell.
func (v *View) Foldable() int { return min(v.Changeable(), v.held) }

// Protected returns the start of the turns that stay whole whatever the target: messages that the
// model has not answered, and as many of the newest turns as the policy says.
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

// Stays reports whether message i is sent as received, even if the messages around it are folded:
// it is an instruction, or in a group that must not be changed.
func (v *View) Stays(i int) bool {
	return v.Messages[i].Role().Instructs() || v.staying != nil && v.Groups[v.GroupAt(i+1)-1].Fixed
}

// Staying returns the size of the messages in [0, n) that stay when the others are folded. n must
// be the end of a group.
func (v *View) Staying(n int) int {
	size := v.instructed[n]
	if g := v.GroupAt(n); v.staying != nil && g > 0 {
		size += v.staying[g-1]
	}
	return size
}

// PreambleRounded returns Preamble, rounded up so that a small change of the leading instructions,
// such as one more digit of a clock, does not change a decision.
func (v *View) PreambleRounded() int {
	const quantum = 256
	return (v.Preamble + quantum - 1) / quantum * quantum
}
