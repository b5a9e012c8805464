package view

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Group is a range [Start, End) of messages that are kept, masked or folded together: an assistant
// message that calls tools, with all of its results and whatever is between them, or one message on
// its own. A message that [Resumes] belongs to the group of the one that [Defers], and an [Unknown]
// message to that of its neighbours.
type Group struct {
	Start, End int
	// Open is set if a call of the group has no result yet.
	Open bool
	// Late is set if the model went on before one of its calls had a result.
	Late bool
	// Fixed is set if one of its messages must be sent as received. Then all of them must.
	Fixed bool
	// Held is set if only the server has a part of one of its messages. Then none of them may be
	// left out, but outputs may be replaced.
	Held bool
}

// Groups splits msgs into groups, in order and without gaps. A result belongs to the nearest
// earlier call with its id that has no result yet, so ids may be reused in later turns. Calls whose
// results interleave become one group.
func Groups(msgs []Message) []Group { return Grouping{}.Extend(msgs, Rules{}).Groups }

// Grouping holds the groups of a conversation, and the state needed to extend them when messages
// are added. It is a value: extending it does not change it. The zero value has no messages.
type Grouping struct {
	Groups      []Group
	waiting     []waitingCall // calls without a result, in order
	deferred    deferral      // at the end
	startSigned bool          // the value of Rules.StartSigned that the groups were made with
}

// waitingCall is a call without a result, made in message at.
type waitingCall struct {
	key string
	at  int
}

// Messages returns the number of messages in the groups.
func (g Grouping) Messages() int {
	if len(g.Groups) == 0 {
		return 0
	}
	return g.Groups[len(g.Groups)-1].End
}

// First returns the grouping of the first n messages, without a group that extends past them.
func (g Grouping) First(n int) Grouping {
	if g.Messages() <= n {
		return g
	}
	keep := len(g.Groups)
	for keep > 0 && g.Groups[keep-1].End > n {
		keep--
	}
	g.Groups = g.Groups[:keep:keep]
	n = g.Messages()
	if g.deferred.by >= n {
		g.deferred = deferral{}
	}
	for i := range g.waiting {
		if g.waiting[i].at >= n {
			g.waiting = g.waiting[:i:i]
			break
		}
	}
	return g
}

// Same returns how many groups at the beginning are the same in both groupings, given how many
// messages at the beginning are the same.
func (g Grouping) Same(other Grouping, messages int) int {
	n := min(len(g.Groups), len(other.Groups))
	// A group with the same end has the same messages, whatever else changed.
	return sort.Search(n, func(i int) bool {
		return g.Groups[i].End > messages || g.Groups[i].End != other.Groups[i].End
	})
}

// FirstOpen returns the start of the first group with a call that may still be answered, or the
// number of messages if there is none. A call without a result is not answered any more if the
// model went on without it, unless the rules of the upstream say otherwise; calls of the last turn
// are not counted then.
func (g Grouping) FirstOpen(rules Rules) int {
	e, first := extension{groups: g.Groups}, g.Messages()
	if rules.LateResults && len(g.waiting) > 0 {
		first = g.Groups[e.indexOf(g.waiting[0].at)].Start
	}
	if g.deferred.is {
		first = min(first, g.Groups[e.indexOf(g.deferred.by)].Start)
	}
	return first
}

// deferral is a call that the provider runs itself and whose result a later message of the model
// has. It ends with the turn, at a message of the user, and at a message of the model that has
// neither the result nor calls of a program.
type deferral struct {
	is bool
	by int // the first message that defers it
}

// after returns the deferral after message i, and from where on the message belongs to one group
// with that message, i if it does not.
func (d deferral) after(m *Message, i int) (next deferral, from int) {
	switch {
	case m.Role() == User:
		return deferral{}, i
	case m.Role() != Assistant || d.is && m.Is(Programmed) && !m.Is(Resumes):
		return d, i
	case d.is && m.Is(Resumes):
		return deferral{is: m.Is(Defers), by: d.by}, d.by
	}
	return deferral{is: m.Is(Defers), by: i}, i
}

// deferredIn returns the deferral at the end of msgs.
func deferredIn(msgs []Message) (d deferral) {
	i := len(msgs)
	for i > 0 && msgs[i-1].Role() != User {
		i--
	}
	for ; i < len(msgs); i++ {
		d, _ = d.after(&msgs[i], i)
	}
	return d
}

// Extend returns the grouping of msgs, which begin with the messages of g, under the rules of their
// upstream.
func (g Grouping) Extend(msgs []Message, rules Rules) Grouping {
	if g.startSigned != rules.StartSigned {
		g = Grouping{startSigned: rules.StartSigned}
	}
	from := g.Messages()
	if from >= len(msgs) {
		return g
	}
	e := extension{groups: make([]Group, len(g.Groups), len(g.Groups)+len(msgs)-from)}
	e.startSigned = g.startSigned
	copy(e.groups, g.Groups)
	e.waiting, e.unanswered = map[string][]int{}, map[int]int{}
	for e.turn = from - 1; e.turn > 0 && msgs[e.turn].Role() != Assistant; e.turn-- {
	}
	for _, w := range g.waiting {
		e.call(w.key, w.at)
		e.groups[e.indexOf(w.at)].Open = false // until it is seen below
	}
	deferred := deferredIn(msgs[:from])
	if deferred.is {
		e.groups[e.indexOf(deferred.by)].Open = false // until the end is known
	}
	for i := from; i < len(msgs); i++ {
		e.add(&msgs[i], i)
		var to int
		if deferred, to = deferred.after(&msgs[i], i); to < i {
			e.groups = joinFrom(e.groups, to)
		}
		if to := e.staysWith(msgs[:i+1]); to >= 0 {
			e.groups = joinFrom(e.groups, to)
		}
	}
	waiting := e.stillWaiting()
	if deferred.is {
		e.groups[e.indexOf(deferred.by)].Open = true
	}
	return Grouping{e.groups, waiting, deferred, g.startSigned}
}

// extension is the state of extending a Grouping.
type extension struct {
	groups      []Group
	waiting     map[string][]int // call → messages that make it, unanswered, in order
	unanswered  map[int]int      // message → number of its calls without a result, if any
	turn        int              // the last message of the model; before it, any message
	startSigned bool
}

// staysWith returns the first of the earlier messages that the last one must stay with although no
// call connects them, -1 if there is none.
func (e *extension) staysWith(msgs []Message) int {
	last := len(msgs) - 1
	m := &msgs[last]
	switch {
	case last == 0:
		return -1
	case m.Is(Unknown) || msgs[last-1].Is(Unknown):
		return last - 1
	case m.Role().Result() && msgs[last-1].Role().Result() &&
		e.groups[len(e.groups)-1].Start == last:
		return last - 1 // one more result of a call: Gemini CLI (0.61.0) repeats all on a resume
	case !e.startSigned || m.Role() != Assistant || m.Is(StartsSigned):
		return -1
	}
	// Messages of the user after results do not end the turn that made the calls.
	first := last
	for first > 0 && msgs[first-1].Role() != Assistant {
		first--
	}
	if first == last || !msgs[first].Role().Result() {
		return -1
	}
	return first
}

func (e *extension) call(key string, at int) {
	e.waiting[key] = append(e.waiting[key], at)
	e.unanswered[at]++
}

func (e *extension) add(m *Message, i int) {
	e.groups = append(e.groups, Group{Start: i, End: i + 1, Fixed: m.Is(Fixed | Unknown),
		Held: m.Is(Held)})
	if m.Role().Result() {
		key := resultKey(m)
		callers := e.waiting[key]
		if len(callers) == 0 {
			return // a result without a call: a group of its own
		}
		caller := callers[len(callers)-1]
		if e.waiting[key] = callers[:len(callers)-1]; len(callers) == 1 {
			delete(e.waiting, key)
		}
		if e.unanswered[caller]--; e.unanswered[caller] == 0 {
			delete(e.unanswered, caller)
		}
		e.groups = joinFrom(e.groups, caller)
		if caller < e.turn {
			e.groups[len(e.groups)-1].Late = true
		}
		return
	}
	if m.Role() != Assistant {
		return
	}
	e.turn = i
	for _, call := range m.ToolCalls() {
		e.call(callKey(call), i)
	}
}

// stillWaiting marks the groups with calls that have no result, and returns these calls.
func (e *extension) stillWaiting() (all []waitingCall) {
	for at := range e.unanswered {
		e.groups[e.indexOf(at)].Open = true
	}
	for key, callers := range e.waiting {
		for _, at := range callers {
			all = append(all, waitingCall{key, at})
		}
	}
	slices.SortFunc(all, func(a, b waitingCall) int {
		return cmp.Or(a.at-b.at, strings.Compare(a.key, b.key))
	})
	return all
}

// indexOf returns the index of the group that contains message i.
func (e *extension) indexOf(i int) int {
	at, _ := slices.BinarySearchFunc(e.groups, i, func(g Group, i int) int {
		switch {
		case g.End <= i:
			return -1
		case g.Start > i:
			return 1
		}
		return 0
	})
	return at
}

// joinFrom merges the groups from the one that contains message i to the last. Each group is merged
// at most once, so the total work for a request is linear.
func joinFrom(groups []Group, i int) []Group {
	g := len(groups) - 1
	last := groups[g]
	for groups[g].Start > i {
		g--
		last.Fixed = last.Fixed || groups[g].Fixed
		last.Held = last.Held || groups[g].Held
		last.Late = last.Late || groups[g].Late
	}
	last.Start, last.Open = groups[g].Start, groups[g].Open
	groups[g] = last
	return groups[:g+1]
}

// callKey returns the key that connects a call with its result. Keys of legacy calls begin with
// another letter.
func callKey(c ToolCall) string {
	if c.Legacy {
		return "f" + c.Name
	}
	return "t" + c.ID
}

// resultKey returns the key of the call that m answers.
func resultKey(m *Message) string {
	if m.Role() == Function {
		return "f" + m.Name()
	}
	return "t" + m.ToolCallID()
}
