package transcript

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"killick/view"
)

// waitTool is the tool of Codex (0.169), wait, that returns what a script printed since the last
// call, and whether it has ended. A script that goes on has a cell, whose id is the session of the
// call after cell.
const (
	waitTool = "wait"
	cell     = "cell "
)

// awaits returns the session of the script that a call waits for, "" if there is none.
func (c *Call) awaits() string {
	if id := c.argument("cell_id"); c.tool == waitTool && id != nil && isSession(id.Text) {
		return cell + id.Text
	}
	return ""
}

// endsScript reports whether a result says that a script has ended, and goesOn that one goes on.
// A script that failed is not meant: the call that waited for it may have failed itself.
func endsScript(head string) bool {
	return strings.HasPrefix(head, scriptCompleted) || strings.HasPrefix(head, scriptStopped)
}

func goesOn(head string) bool { return strings.HasPrefix(head, scriptRunning) }

// cells are the scripts that go on in a conversation.
type cells struct {
	upTo int               // of the messages before it
	last map[string][]int  // by session: the results that say that it goes on, or has ended
	ends map[int]bool      // those that say that it has ended
	made map[string]string // by the id of a call of wait: the session
}

// before returns the last message before message i that says that a script goes on, -1 if there is
// none or the script has ended since.
func (in *cells) before(session string, msgs []view.Message, i int) int {
	for ; in.upTo < i; in.upTo++ {
		in.note(&msgs[in.upTo])
	}
	at := in.last[session]
	n := sort.SearchInts(at, i)
	if n == 0 || in.ends[at[n-1]] {
		return -1
	}
	return at[n-1]
}

// note notes what message in.upTo says.
func (in *cells) note(m *view.Message) {
	if m.Role() == view.Assistant {
		for _, made := range m.ToolCalls() {
			if toolName(made.Name) == waitTool {
				c := readCall(made.Name, made.Text(), in.upTo)
				in.made[made.ID] = c.awaits()
			}
		}
		return
	}
	if !m.Role().Result() || !beginsScript(m) {
		return
	}
	head := headOf(m)
	id, awaited := codexSession(head), in.made[m.ToolCallID()]
	switch {
	case goesOn(head):
		in.last[id] = append(in.last[id], in.upTo)
	case awaited != "" && endsScript(head):
		in.last[awaited] = append(in.last[awaited], in.upTo)
		in.ends[in.upTo] = true
	}
}

// beginsScript reports whether a result begins as Codex reports on a script. It decodes nothing,
// since all results before a wait are asked.
func beginsScript(m *view.Message) bool {
	for part := range m.Parts() {
		return bytes.HasPrefix(part.Text.StringBody(), []byte("Script "))
	}
	return false
}

// groupOf returns the group of message i.
func groupOf(i int, groups []view.Group) view.Group {
	return groups[sort.Search(len(groups), func(k int) bool { return groups[k].End > i })]
}

// answered returns the call that a message answers, nil if there is none.
func (read *groupRead) answered(message int) *Call {
	at, found := slices.BinarySearchFunc(read.answers, message, func(a answer, message int) int {
		return a.message - message
	})
	if !found {
		return nil
	}
	return &read.calls[read.answers[at].call]
}

// resume makes call n of a group that is read one that goes on with a script, if message i, its
// result, says more of the script.
func (memo *Memo) resume(
	read *groupRead, n int, msgs []view.Message, groups []view.Group, i int,
) {
	c := &read.calls[n]
	session := c.awaits()
	if session == "" {
		return
	}
	head := headOf(&msgs[i])
	k := memo.cells.before(session, msgs, i)
	if k < 0 || !goesOn(head) && !endsScript(head) {
		return
	}
	in := read
	if g := groupOf(k, groups); g.End <= i {
		in = memo.group(msgs, groups, g)
	}
	by := in.answered(k)
	c.resume(by, &msgs[k], session, endsScript(head))
}

// resume makes a call that waits for a script one that goes on with it. by is the call whose result
// m says that it goes on. If something was printed before, what the script prints from here on
// cannot be assigned to its calls.
func (c *Call) resume(by *Call, m *view.Message, session string, ended bool) {
	if by == nil || by.Session != session {
		return
	}
	c.polls, c.Effect, c.commanded = session, Runs, new(commanded)
	from := by.Made()
	if from.script == nil {
		return
	}
	s := &scripted{program: from.script.program, resumed: true, began: from.Caller}
	if from.script.resumed {
		s.began = from.script.began
	}
	if texts, ok := printed(m); !ok || len(texts) > 1 ||
		len(texts) == 1 && strings.TrimSpace(texts[0].Text()) != "" {
		s.program.Prints, s.program.Printed = nil, false
	}
	c.runs(s, ended)
}

// Began returns the message that made the call that began the script with which this call goes on,
// -1 if there is none.
func (c *Call) Began() int {
	if s := c.Made().script; s != nil && s.resumed {
		return s.began
	}
	return -1
}
