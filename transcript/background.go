package transcript

import (
	"sort"
	"strconv"
	"strings"

	"killick/view"
)

// taskTool is the tool of Claude Code (2.1.330), TaskOutput, that returns what a command in the
// background printed, and taskBegun begins the result of a call that starts one.
const (
	taskTool  = "taskoutput"
	taskBegun = "Command running in background with ID: "
)

// taskReport is what that tool says of a command.
type taskReport struct{ id, status, code, output string }

// readTaskReport reads a result of that tool: members as tags, with the output last. ok is false if
// it is about something else, such as a sub-agent.
func readTaskReport(result string) (r taskReport, ok bool) {
	rest, retrieval, kind := result, "", ""
	for _, m := range []struct {
		name string
		into *string
	}{{"retrieval_status", &retrieval}, {"task_id", &r.id}, {"task_type", &kind},
		{"status", &r.status}, {"exit_code", &r.code}} {
		inner, found := strings.CutPrefix(rest, "<"+m.name+">")
		if !found && m.into != &r.code {
			return taskReport{}, false
		} else if found {
			*m.into, rest, _ = strings.Cut(inner, "</"+m.name+">")
			rest = strings.TrimLeft(rest, "\r\n")
		}
	}
	if inner, found := strings.CutPrefix(rest, "<output>"); found {
		r.output = strings.TrimSuffix(strings.TrimRight(inner, "\r\n"), "</output>")
	}
	return r, kind == "local_bash" && isSession(r.id)
}

// task is for reports on commands in the background.
func (r *reported) task() (Status, int, bool) {
	report, ok := readTaskReport(r.head)
	if !ok || r.tool != taskTool {
		return Unknown, -1, false
	}
	switch code, err := strconv.Atoi(report.code); {
	case err != nil:
		return Unknown, -1, true
	case code == 0:
		return OK, code, true
	default:
		return Failed, code, true
	}
}

// waitTool is the tool of Codex (0.169), wait, that returns what a script printed since the last
// call, and whether it has ended. A script that goes on has a cell, whose id is the session of the
// call after cell.
const (
	waitTool = "wait"
	cell     = "cell "
)

// awaits returns the session of the script of which the result m of the call says more, "" if there
// is none. A script that failed is not meant: the wait itself may have failed.
func (c *Call) awaits(m *view.Message) string {
	id := c.argument("cell_id")
	if c.tool != waitTool || id == nil || !isSession(id.Text) {
		return ""
	}
	head := headOf(m)
	for _, start := range []string{scriptCompleted, scriptRunning, scriptStopped} {
		if strings.HasPrefix(head, start) {
			return cell + id.Text
		}
	}
	return ""
}

// lastIn returns the last message before message i that says that a script goes on in a cell, -1 if
// none does.
func (memo *Memo) lastIn(session string, msgs []view.Message, i int) int {
	for ; memo.cellsUpTo < i; memo.cellsUpTo++ {
		m := &msgs[memo.cellsUpTo]
		if !m.Role().Result() {
			continue
		}
		if id := codexSession(headOf(m)); strings.HasPrefix(id, cell) {
			memo.cells[id] = append(memo.cells[id], memo.cellsUpTo)
		}
	}
	in := memo.cells[session]
	if n := sort.SearchInts(in, i); n > 0 {
		return in[n-1]
	}
	return -1
}

// groupOf returns the group of message i.
func groupOf(i int, groups []view.Group) view.Group {
	return groups[sort.Search(len(groups), func(k int) bool { return groups[k].End > i })]
}

// answered returns the call that a message answers, nil if there is none.
func (read *groupRead) answered(message int) *Call {
	for _, a := range read.answers {
		if a.message == message {
			return &read.calls[a.call]
		}
	}
	return nil
}

// resume makes a call that waits for a script one that goes on with it. by is the call whose result
// m says that it goes on. If something was printed before, what the script prints from here on
// cannot be assigned to its calls.
func (c *Call) resume(by *Call, m *view.Message, session string) {
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
	c.runs(s)
}

// Began returns the message that made the call that began the script with which this call goes on,
// -1 if there is none.
func (c *Call) Began() int {
	if s := c.Made().script; s != nil && s.resumed {
		return s.began
	}
	return -1
}
