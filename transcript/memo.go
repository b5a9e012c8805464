package transcript

import (
	"slices"
	"sort"

	"killick/reference"
	"killick/series"
	"killick/transcript/results"
	"killick/transcript/speech"
	"killick/view"
)

// Memo caches what was read of the messages of one conversation, so that several transcripts read
// each message once. It is not safe for concurrent use.
type Memo struct {
	messages map[int]*speech.Message
	texts    map[int]string     // by message
	groups   map[int]*groupRead // by first message
	persons  series.Matches     // the messages of persons
	clients  series.Matches     // the messages of clients that have a text
	queued   series.Matches     // the results that end with a person's words

	references map[int][]reference.Found // by message: those in its text, where they were noted

	scripts following
}

// NewMemo returns a Memo for a conversation. What later requests of it need is kept in its memory,
// which may be nil.
func NewMemo(memory *view.Memory) *Memo {
	return &Memo{
		messages: map[int]*speech.Message{}, texts: map[int]string{},
		groups: map[int]*groupRead{}, references: map[int][]reference.Found{},
		scripts: following{memory: memory},
	}
}

// groupRead has the calls and answers of a group of messages.
type groupRead struct {
	end     int
	calls   []Call
	answers []answer
	said    saidList
}

// answer says that a message answers a call, by its index in the group.
type answer struct{ message, call int }

func (memo *Memo) text(msgs []view.Message, i int) string {
	text, ok := memo.texts[i]
	if !ok {
		if o := memo.observed(msgs, i); o != nil {
			text = memo.message(msgs, i).Text[o.Start:o.End]
		} else {
			text = msgs[i].Text()
		}
		memo.texts[i] = text
	}
	return text
}

func (memo *Memo) message(msgs []view.Message, i int) *speech.Message {
	if memo.messages[i] == nil {
		var before *view.Message
		if i > 0 {
			before = &msgs[i-1]
		}
		memo.messages[i] = speech.Read(&msgs[i], before)
	}
	return memo.messages[i]
}

// observed returns what message i is of a call in text, nil if it is not what one returned.
func (memo *Memo) observed(msgs []view.Message, i int) *speech.Observed {
	if msgs[i].Role() != view.User {
		return nil
	}
	return memo.message(msgs, i).Observed
}

// group returns the calls and answers of g, one of the groups of msgs.
func (memo *Memo) group(msgs []view.Message, groups []view.Group, g view.Group) *groupRead {
	read := memo.groups[g.Start]
	if read == nil || read.end != g.End {
		read = memo.readGroup(msgs, groups, g)
		memo.groups[g.Start] = read
	}
	return read
}

// readGroup pairs the calls of a group with their results. A result belongs to the nearest earlier
// call with its id that has no result yet.
func (memo *Memo) readGroup(
	msgs []view.Message, groups []view.Group, g view.Group,
) *groupRead {
	read := &groupRead{end: g.End}
	waiting := map[string][]int{}
	for i := g.Start; i < g.End; i++ {
		m := &msgs[i]
		if m.Role().Result() {
			key := m.ToolCallID()
			if m.Role() == view.Function {
				key = "\x00" + m.Name()
			}
			open := waiting[key]
			if len(open) == 0 {
				continue
			}
			last := open[len(open)-1]
			waiting[key] = open[:len(open)-1]
			c := &read.calls[last]
			resumed := memo.resume(read, c, msgs, groups, g, i)
			read.answers = append(read.answers, answer{i, last})
			c.answer(m, i, func() string { return memo.text(msgs, i) })
			if s, ok := c.says(m, resumed); ok {
				read.said.all = append(read.said.all, s)
			}
			continue
		}
		if o := memo.observed(msgs, i); o != nil {
			read.answers = append(read.answers, answer{i, len(read.calls)})
			read.calls = append(read.calls, writtenCall(o, i))
			continue
		}
		if m.Role() != view.Assistant {
			continue
		}
		for _, made := range m.ToolCalls() {
			key := made.ID
			if made.Legacy {
				key = "\x00" + made.Name
			}
			waiting[key] = append(waiting[key], len(read.calls))
			read.calls = append(read.calls, NewCall(made, i))
		}
	}
	read.calls, read.answers = withNested(read.calls, read.answers)
	return read
}

// follow reads the groups that end before message i, as far as they say something of scripts that
// are waited for and were not followed before.
func (memo *Memo) follow(msgs []view.Message, groups []view.Group, i int) {
	f := &memo.scripts
	f.load()
	first := sort.Search(len(groups), func(k int) bool { return groups[k].End > f.to })
	for _, g := range groups[first:] {
		if g.End > i {
			break
		}
		if followsScripts(msgs[g.Start:g.End]) {
			read := memo.group(msgs, groups, g)
			for _, s := range read.said.all[read.said.before(f.to):] {
				if n := len(f.said.all); n > 0 {
					s.bytes += f.said.all[n-1].bytes
				}
				f.said.all = append(f.said.all, s)
			}
		}
		f.to = g.End
	}
}

// resume makes call c of group g, which is being read, one that goes on with a script, if message
// i, its result, says more of the script. It returns the session of the script, "" if there is
// none.
func (memo *Memo) resume(
	read *groupRead, c *Call, msgs []view.Message, groups []view.Group, g view.Group, i int,
) (session string) {
	if session = c.awaits(); session == "" {
		return ""
	}
	head := results.Head(&msgs[i])
	if !goesOn(head) && !endsScript(head) {
		return ""
	}
	memo.follow(msgs, groups, g.Start)
	from := read.said.last(session, i)
	if from == nil {
		from = memo.scripts.said.last(session, g.Start)
	}
	if from == nil || !from.goesOn {
		return ""
	}
	c.resumes(from, endsScript(head))
	return session
}

// withNested returns calls, each followed by those that its script made, and the answers to them.
func withNested(calls []Call, answers []answer) ([]Call, []answer) {
	if !slices.ContainsFunc(calls, func(c Call) bool { return len(c.madeBy()) > 0 }) {
		return calls, answers
	}
	var all []Call
	at := make([]int, len(calls))
	for i := range calls {
		at[i] = len(all)
		all = append(append(all, calls[i]), calls[i].madeBy()...)
	}
	answers = slices.Clone(answers)
	for i := range answers {
		answers[i].call = at[answers[i].call]
	}
	return all, answers
}
