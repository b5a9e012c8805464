package transcript

import (
	"cmp"

	"killick/transcript/results"
)

// readSession sets what the result says of commands that go on, and whether that of the call may.
func (c *Call) readSession(s results.Session) {
	c.Session, c.polls, c.Stops, c.begun = s.Of, cmp.Or(s.Polled, c.polls), s.Ended, s.Begun
	c.Stopped = s.Stopped
	c.unfinished = s.Unfinished || c.InBackground()
}

// interrupt is what Ctrl-C writes to a terminal.
const interrupt = "\x03"

// readInterrupt makes a call that wrote only an interrupt to a session of Codex (0.171) one that
// stopped the command there, if the command then ended. Its exit code says nothing of the call. To
// a command that has ended, nothing can be written.
func (c *Call) readInterrupt() {
	id := c.argument("session_id")
	if c.tool != sessionTool || c.text("chars") != interrupt || c.Exit < 0 || id == nil ||
		!results.IsSession(id.Text) {
		return
	}
	c.Stops, c.Stopped, c.Status, c.Exit = id.Text, true, Unknown, -1
}

// Polls returns the session whose new output the call reads without writing to it, "" if there is
// none.
func (c *Call) Polls() string {
	if c.polls != "" {
		return c.polls
	}
	if c.tool != sessionTool || c.text("chars") != "" {
		return ""
	}
	if a := c.argument("session_id"); a != nil && results.IsSession(a.Text) {
		return a.Text
	}
	return ""
}

// Open reports for each of the calls whether it failed, and so did every later run of the same call
// that has a result. A command that goes on fails by the last call that reads on in its session. It
// takes one pass from the last to the first.
func Open(calls []Call) []bool {
	open := make([]bool, len(calls))
	began, ended := beginnings(calls), make([]bool, len(calls))
	didNotFail := map[string]bool{} // in a later run
	for i := len(calls) - 1; i >= 0; i-- {
		c, goesOn := &calls[i], ended[began[i]]
		ended[began[i]] = true
		switch {
		case c.Failed() && c.HasTasks(): // open if one of the tasks is
			tasks := c.Nested()
			for k := range tasks {
				open[i] = open[i] || tasks[k].Failed() && open[i+1+k]
			}
		case c.Failed():
			open[i] = !didNotFail[calls[began[i]].Key()]
		case c.Result >= 0 && !goesOn:
			didNotFail[calls[began[i]].Key()] = true
		}
	}
	return open
}

// beginnings returns for each call the index of the one that it reads on, its own if it reads on
// none.
func beginnings(calls []Call) []int {
	began := make([]int, len(calls))
	running := map[string]int{} // by session
	for i := range calls {
		c := &calls[i]
		delete(running, c.Stops)
		first, ok := running[c.Polls()]
		if began[i] = i; ok {
			began[i] = first
			delete(running, c.Polls())
		}
		if c.Session != "" {
			running[c.Session] = began[i]
		}
	}
	return began
}
