package compactor

import (
	"slices"

	"killick/chat"
	"killick/transcript"
)

// view is a conversation as the plan sees it: the messages behind the leading
// instructions, what each costs, and which of them belong together. Indexes
// count from the first message behind the leading ones, so that instructions
// which change from turn to turn (a clock, a git status) move nothing.
type view struct {
	req    *chat.Request
	lead   int // how many leading system and developer messages there are
	msgs   []chat.Message
	tokens []int
	before []int // before[i] is the sum of tokens[:i]
	fixed  int   // tokens of everything beside msgs: tools, leading instructions, framing

	redact redaction // takes credentials out of what is listed by itself: a name without the words around it is not known for one
	strict bool      // the upstream wants its turns to alternate
	marks  *markMemo // if nil, nothing is remembered
	memo   *transcript.Memo

	// The messages that stand in msgs in a short form, nil if there are none.
	short map[int]shortening

	// The results in msgs that stand with the content that they referred to, in order.
	stubbed []int

	wholeTurns int // Policy.ProtectTurns

	// What split fills in.
	groups []chat.Group
	turn   []int // for each group, the start of the last group up to it that an assistant message begins, 0 if none
	turns  []int // for each group, how many assistant messages stand up to its end
	orders []int // orders[i] is the sum of tokens of the system and developer messages in [0, i)
	open   int   // where the first group with an unanswered call starts
}

func newView(req *chat.Request, c Counter) *view {
	all := req.Messages()
	v := &view{req: req, fixed: c.Overhead(req)}
	for v.lead < len(all) && all[v.lead].Role().Instructs() {
		v.fixed += c.Message(&all[v.lead])
		v.lead++
	}
	v.msgs = all[v.lead:]
	v.memo = transcript.NewMemo(len(v.msgs))
	v.tokens = make([]int, len(v.msgs))
	for i := range v.msgs {
		v.tokens[i] = c.Message(&v.msgs[i])
	}
	v.before = make([]int, len(v.msgs)+1)
	v.sumUp()
	return v
}

func (v *view) sumUp() {
	for i, n := range v.tokens {
		v.before[i+1] = v.before[i] + n
	}
}

// shorten puts a message's short form in its place. The sums are the caller's.
func (v *view) shorten(i int, s shortening) {
	if v.short == nil {
		v.short = map[int]shortening{}
		v.msgs = slices.Clone(v.msgs) // the request keeps its own
	}
	v.short[i] = s
	v.msgs[i], v.tokens[i] = s.message, s.tokens
}

// original returns message i as it came, whatever its form in msgs.
func (v *view) original(i int) *chat.Message { return &v.req.Messages()[v.lead+i] }

// transcript reads the conversation as it came, calls from message from on.
func (v *view) transcript(from int) *transcript.Transcript {
	return v.memo.Read(v.originals(), v.groups, from)
}

// originals are the messages as they came.
func (v *view) originals() []chat.Message { return v.req.Messages()[v.lead : v.lead+len(v.msgs)] }

// total is the size of the request: as it came, until outputs are shortened.
func (v *view) total() int { return v.fixed + v.before[len(v.msgs)] }

// split finds the groups and what the plan asks of them; a request that fits
// never needs it.
func (v *view) split() {
	v.groups = chat.Groups(v.msgs)
	v.turn, v.turns = make([]int, len(v.groups)), make([]int, len(v.groups))
	v.open = len(v.msgs)
	turn, turns := 0, 0
	for i, g := range v.groups {
		if v.msgs[g.Start].Role() == chat.Assistant {
			turn = g.Start
		}
		for j := g.Start; j < g.End; j++ {
			if v.msgs[j].Role() == chat.Assistant {
				turns++
			}
		}
		v.turn[i], v.turns[i] = turn, turns
		if g.Open {
			v.open = min(v.open, g.Start)
		}
	}
	v.orders = make([]int, len(v.msgs)+1)
	for i := range v.msgs {
		v.orders[i+1] = v.orders[i]
		if v.msgs[i].Role().Instructs() {
			v.orders[i+1] += v.tokens[i]
		}
	}
}

// prefix is the view as it was when the conversation ended at message n, which
// must be the end of a group.
func (v *view) prefix(n int) *view {
	p := *v
	groups := v.groupAt(n)
	p.msgs, p.tokens, p.before = v.msgs[:n:n], v.tokens[:n:n], v.before[:n+1:n+1]
	p.groups, p.turn, p.turns = v.groups[:groups:groups], v.turn[:groups:groups], v.turns[:groups:groups]
	return &p
}

// groupAt returns the index of the first group that starts at or after message
// i.
func (v *view) groupAt(i int) int {
	lo, hi := 0, len(v.groups)
	for lo < hi {
		if mid := (lo + hi) / 2; v.groups[mid].Start < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// decisionPoints calls yield with the points after from at which the plan is
// made anew: behind each message that a model answers, once nothing is open.
// They follow from the messages alone, so a process that sees the conversation
// for the first time decides at the same points, in the same order, as one that
// saw every request of it.
func (v *view) decisionPoints(from int, yield func(n int) bool) {
	for _, g := range v.groups[v.groupAt(from):] {
		if g.Open || g.End <= from || v.msgs[g.End-1].Role() == chat.Assistant {
			continue
		}
		if !yield(g.End) {
			return
		}
	}
}

// atDecision tells whether the conversation ends at a decision point.
func (v *view) atDecision() bool {
	n := len(v.groups)
	return n > 0 && !v.groups[n-1].Open && v.msgs[len(v.msgs)-1].Role() != chat.Assistant
}

// unread is where the messages start that no assistant message has answered
// yet, from the call that they belong to: the model has to see them whole.
func (v *view) unread() int {
	if len(v.turn) == 0 {
		return 0
	}
	return v.turn[len(v.turn)-1]
}

// answered is how many turns the conversation has had.
func (v *view) answered() int {
	if len(v.turns) == 0 {
		return 0
	}
	return v.turns[len(v.turns)-1]
}

// foldable is how far the conversation may be folded at most: not into what the
// model has not answered, nor past an open call, whose answer would have no call
// then.
func (v *view) foldable() int { return min(v.protected(), v.open) }

// protected is where the turns start that stay whole whatever the target: what
// the model has not answered, and the newest turns that the policy names.
func (v *view) protected() int {
	left := v.wholeTurns
	for g := len(v.groups) - 1; g >= 0 && left > 0; g-- {
		start := v.groups[g].Start
		if v.msgs[start].Role() != chat.Assistant {
			continue
		}
		if left--; left == 0 {
			return min(start, v.unread())
		}
	}
	if left > 0 {
		return 0 // all of it
	}
	return v.unread()
}

// instructions is the size of the system and developer messages in [0, n): they
// are kept when the rest is folded.
func (v *view) instructions(n int) int { return v.orders[n] }

// fixedSteady is fixed, rounded up so that a leading message whose clock gained
// a digit does not move a decision.
func (v *view) fixedSteady() int {
	const quantum = 256
	return (v.fixed + quantum - 1) / quantum * quantum
}
