package results

import "killick/view"

// Session is what a result says of commands and sub-agents that go on. The ids are "" if it states
// none.
type Session struct {
	Of     string // in which the command was running
	Polled string // whose output the call returned
	Ended  string // which the call ended
	// Stopped is set if the call ended what was running there before it had ended by itself.
	Stopped bool
	// Begun is set if the result says that the command goes on beside the conversation, Unfinished
	// if it may go on.
	Begun, Unfinished bool
}

// Session reads in which session the command goes on, by the result m, whose text decode returns.
func (c *Call) Session(m *view.Message, decode func() string) (s Session) {
	tool, isTask := backgroundTools[c.Tool]
	agent := c.Tool == "task" || c.Tool == "agent"
	if !c.Runs && !isTask && !agent {
		return s
	}
	head, tail := endsOf(m, decode)
	_, ended, framed := codexExit(head)
	s.Unfinished = c.Runs && (framed && !ended || kimiFrame.tools[c.Tool] && kimiRuns(head))
	if r, ok := c.readTask(head, tail); ok {
		switch {
		case tool.stops:
			s.Ended, s.Stopped = r.id, r.status == "killed"
		case r.status == "running":
			s.Polled, s.Of = r.id, r.id
		default:
			s.Polled = r.id
		}
		return s
	}
	if id := c.begunTask(head, tail); id != "" {
		s.Of, s.Begun = id, true
	}
	if found := agentBegun.FindStringSubmatch(head); found != nil && agent {
		s.Of = found[1] + found[2] + found[3]
	}
	if framed && !ended && codexFrame.tools[c.Tool] {
		s.Of = CodexSession(head)
	}
	return s
}
