package layout

import (
	"slices"

	"killick/chat"
	"killick/compactor/settings"
	"killick/transcript"
)

// The door is an opt-in stage before any trigger: an oversized output is
// shortened when it first arrives, before it ever enters the provider's prompt
// cache. What is shown of it follows from the output, its call and what was said
// right before alone, so it reads the same at every later turn.

// shortening is an output in its short form.
type Truncation struct {
	Message  chat.Message
	Handle   string
	Tokens   int // of the short form, and of the original
	Original int
}

func (s *Truncation) Pays() bool { return s.Tokens > 0 && s.Original-s.Tokens >= s.Original/4 }

// view is a conversation as the plan sees it: the messages behind the leading
// instructions, what each costs, and which of them belong together. Indexes
// count from the first message behind the leading ones, so that instructions
// which change from turn to turn (a clock, a git status) move nothing.
type View struct {
	Request  *chat.Request
	Lead     int // how many leading system and developer messages there are
	Messages []chat.Message
	Tokens   []int
	Before   []int // before[i] is the sum of tokens[:i]
	Fixed    int   // tokens of everything beside msgs: tools, leading instructions, framing

	Redact settings.Redaction // takes credentials out of what is listed by itself: a name without the words around it is not known for one
	Strict bool               // the upstream wants its turns to alternate
	Marks  *MarkMemo          // if nil, nothing is remembered
	memo   *transcript.Memo

	// The messages that stand in msgs in a short form, nil if there are none.
	Truncated map[int]Truncation

	// The results in msgs that stand with the content that they referred to, in order.
	Stubbed []int

	WholeTurns int // Policy.ProtectTurns

	// What split fills in.
	Groups     []chat.Group
	turn       []int // for each group, the start of the last group up to it that an assistant message begins, 0 if none
	turns      []int // for each group, how many assistant messages stand up to its end
	Instructed []int // orders[i] is the sum of tokens of the system and developer messages in [0, i)
	open       int   // where the first group with an unanswered call starts
}

func New(req *chat.Request, c Counter) *View {
	all := req.Messages()
	v := &View{Request: req, Fixed: c.Overhead(req)}
	for v.Lead < len(all) && all[v.Lead].Role().Instructs() {
		v.Fixed += c.Message(&all[v.Lead])
		v.Lead++
	}
	v.Messages = all[v.Lead:]
	v.memo = transcript.NewMemo(len(v.Messages))
	v.Tokens = make([]int, len(v.Messages))
	for i := range v.Messages {
		v.Tokens[i] = c.Message(&v.Messages[i])
	}
	v.Before = make([]int, len(v.Messages)+1)
	v.SumUp()
	return v
}

func (v *View) SumUp() {
	for i, n := range v.Tokens {
		v.Before[i+1] = v.Before[i] + n
	}
}

// shorten puts a message's short form in its place. The sums are the caller's.
func (v *View) Truncate(i int, s Truncation) {
	if v.Truncated == nil {
		v.Truncated = map[int]Truncation{}
		v.Messages = slices.Clone(v.Messages) // the request keeps its own
	}
	v.Truncated[i] = s
	v.Messages[i], v.Tokens[i] = s.Message, s.Tokens
}

// original returns message i as it came, whatever its form in msgs.
func (v *View) Original(i int) *chat.Message { return &v.Request.Messages()[v.Lead+i] }

// transcript reads the conversation as it came, calls from message from on.
func (v *View) Transcript(from int) *transcript.Transcript {
	return v.memo.Read(v.Originals(), v.Groups, from)
}

// originals are the messages as they came.
func (v *View) Originals() []chat.Message {
	return v.Request.Messages()[v.Lead : v.Lead+len(v.Messages)]
}

// total is the size of the request: as it came, until outputs are shortened.
func (v *View) Total() int { return v.Fixed + v.Before[len(v.Messages)] }

// split finds the groups and what the plan asks of them; a request that fits
// never needs it.
func (v *View) Split() {
	v.Groups = chat.Groups(v.Messages)
	v.turn, v.turns = make([]int, len(v.Groups)), make([]int, len(v.Groups))
	v.open = len(v.Messages)
	turn, turns := 0, 0
	for i, g := range v.Groups {
		if v.Messages[g.Start].Role() == chat.Assistant {
			turn = g.Start
		}
		for j := g.Start; j < g.End; j++ {
			if v.Messages[j].Role() == chat.Assistant {
				turns++
			}
		}
		v.turn[i], v.turns[i] = turn, turns
		if g.Open {
			v.open = min(v.open, g.Start)
		}
	}
	v.Instructed = make([]int, len(v.Messages)+1)
	for i := range v.Messages {
		v.Instructed[i+1] = v.Instructed[i]
		if v.Messages[i].Role().Instructs() {
			v.Instructed[i+1] += v.Tokens[i]
		}
	}
}

// prefix is the view as it was when the conversation ended at message n, which
// must be the end of a group.
func (v *View) Prefix(n int) *View {
	p := *v
	groups := v.GroupAt(n)
	p.Messages, p.Tokens, p.Before = v.Messages[:n:n], v.Tokens[:n:n], v.Before[:n+1:n+1]
	p.Groups, p.turn, p.turns = v.Groups[:groups:groups], v.turn[:groups:groups], v.turns[:groups:groups]
	return &p
}

// groupAt returns the index of the first group that starts at or after message
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

// decisionPoints calls yield with the points after from at which the plan is
// made anew: behind each message that a model answers, once nothing is open.
// They follow from the messages alone, so a process that sees the conversation
// for the first time decides at the same points, in the same order, as one that
// saw every request of it.
func (v *View) DecisionPoints(from int, yield func(n int) bool) {
	for _, g := range v.Groups[v.GroupAt(from):] {
		if g.Open || g.End <= from || v.Messages[g.End-1].Role() == chat.Assistant {
			continue
		}
		if !yield(g.End) {
			return
		}
	}
}

// atDecision tells whether the conversation ends at a decision point.
func (v *View) AtDecision() bool {
	n := len(v.Groups)
	return n > 0 && !v.Groups[n-1].Open && v.Messages[len(v.Messages)-1].Role() != chat.Assistant
}

// unread is where the messages start that no assistant message has answered
// yet, from the call that they belong to: the model has to see them whole.
func (v *View) Unanswered() int {
	if len(v.turn) == 0 {
		return 0
	}
	return v.turn[len(v.turn)-1]
}

// answered is how many turns the conversation has had.
func (v *View) Answered() int {
	if len(v.turns) == 0 {
		return 0
	}
	return v.turns[len(v.turns)-1]
}

// foldable is how far the conversation may be folded at most: not into what the
// model has not answered, nor past an open call, whose answer would have no call
// then.
func (v *View) Foldable() int { return min(v.Protected(), v.open) }

// protected is where the turns start that stay whole whatever the target: what
// the model has not answered, and the newest turns that the policy names.
func (v *View) Protected() int {
	left := v.WholeTurns
	for g := len(v.Groups) - 1; g >= 0 && left > 0; g-- {
		start := v.Groups[g].Start
		if v.Messages[start].Role() != chat.Assistant {
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

// instructions is the size of the system and developer messages in [0, n): they
// are kept when the rest is folded.
func (v *View) Instructions(n int) int { return v.Instructed[n] }

// fixedSteady is fixed, rounded up so that a leading message whose clock gained
// a digit does not move a decision.
func (v *View) FixedRounded() int {
	const quantum = 256
	return (v.Fixed + quantum - 1) / quantum * quantum
}
