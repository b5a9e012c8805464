package transcript

import (
	"strings"

	"killick/transcript/speech"
	"killick/view"
)

// Request is a message of a person, with the assistant's words before it and the report on it.
type Request struct {
	At      int
	Answers int // the assistant's last words before it, -1 if there are none
	Report  int // the assistant's closing words before the next request, -1 if there are none
}

// Requests returns the messages of persons in [from, to), in order. Answers may refer to a message
// before from; reports lie before to.
func (t *Transcript) Requests(from, to int) (requests []Request) {
	last := -1
	for i := from - 1; i >= 0 && last < 0; i-- {
		if t.Messages[i].Role() == view.User && t.Message(i).Speaker == speech.Person {
			break
		}
		if t.hasWords(i) {
			last = i
		}
	}
	for i := from; i < to; i++ {
		switch {
		case t.hasWords(i):
			last = i
			if n := len(requests); n > 0 {
				requests[n-1].Report = i
			}
		case t.Messages[i].Role() == view.User && t.Message(i).Speaker == speech.Person:
			requests = append(requests, Request{At: i, Answers: last, Report: -1})
			last = -1
		}
	}
	return requests
}

// hasWords reports whether message i has text of the assistant.
func (t *Transcript) hasWords(i int) bool {
	m := &t.Messages[i]
	if m.Role() != view.Assistant {
		return false
	}
	for part := range m.Parts() {
		if len(part.Text) <= 2 {
			continue
		}
		// Most texts begin with a letter, or with line feeds before one, and need not be decoded.
		// Some are not strings.
		body := part.Text.StringBody()
		for len(body) > 1 && body[0] == '\\' && body[1] == 'n' {
			body = body[2:]
		}
		if len(body) > 0 && body[0] > ' ' && body[0] < 0x7f && body[0] != '\\' ||
			strings.TrimSpace(part.Text.Text()) != "" {
			return true
		}
	}
	return false
}

// LastWords returns the message in [from, to) that holds the assistant's last words, -1 if there
// are none.
func (t *Transcript) LastWords(from, to int) int {
	for i := to - 1; i >= from; i-- {
		if t.hasWords(i) {
			return i
		}
	}
	return -1
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

// sessionTool is the tool of Codex (0.169), write_stdin, that writes to the session of a command
// that goes on, and returns what that printed since.
const sessionTool = "writestdin"

// sessionLine begins the line by which Codex (0.169) states such a session.
const sessionLine = "Process running with session ID "

// maxSession limits the id of a session, in letters, digits, "-" and "_".
const maxSession = 20

// codexSession returns the session that the lines before an output state, "" if they state none.
func codexSession(head string) string {
	lines, _, _ := cutCodex(head)
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, sessionLine); ok && isSession(id) {
			return id
		}
		if id, ok := strings.CutPrefix(line, scriptRunning); ok && isSession(id) {
			return cell + id
		}
	}
	return ""
}

func isSession(id string) bool {
	return id != "" && len(id) <= maxSession && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' &&
			!('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

// readSession reads in which session the command goes on, by both ends of the result.
func (c *Call) readSession(head, tail string) {
	if r, ok := c.readTask(head, tail); ok {
		switch {
		case backgroundTools[c.tool].stops:
			c.Stops = r.id
		case r.status == "running":
			c.polls, c.Session = r.id, r.id
		default:
			c.polls = r.id
		}
		return
	}
	if id := c.begunTask(head, tail); id != "" {
		c.Session, c.begun = id, true
	}
	if found := agentBegun.FindStringSubmatch(head); found != nil && reportTools[c.tool] {
		c.Session = found[1]
	}
	if _, ended, framed := codexExit(head); framed && !ended && codexFrame.tools[c.tool] {
		c.Session = codexSession(head)
	}
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
	if a := c.argument("session_id"); a != nil && isSession(a.Text) {
		return a.Text
	}
	return ""
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
