package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// finalText is the end of each part of the work.
const finalText = "That part is done: every check that should pass passes."

// task stands in the first prompt, and must be in front of the model as long as nobody but the
// proxy compacts.
const task = "Keep every amount in cents, and never touch go.mod."

// prompt is what a person asks for in one part of the work.
func prompt(part, parts int) string {
	if part == 1 {
		return fmt.Sprintf("Part 1 of %d: read the sources, raise the revision of each file, and "+
			"run check.sh after each edit. %s", parts, task)
	}
	return fmt.Sprintf("Part %d of %d: go on with the next files.", part, parts)
}

// answer is what the scripted model answers.
type answer struct {
	text  string
	calls []call
}

// model is the scripted model: it goes through the steps of stepsAt, turn by turn, and follows the
// conversation by the ids of its own calls. It is safe for concurrent use.
type model struct {
	turns, parts int
	agent        agent
	dir          string // the project

	mu     sync.Mutex
	done   int // turns whose results came
	asked  int // the newest turn whose calls were made
	faults []string
	// compacted is set once the agent compacted its own conversation.
	compacted bool
	stubs     int // repeated reads that the agent answered without the content
	truncated int // results that were truncated on arrival
}

// lastOf returns the last turn of a part.
func (m *model) lastOf(part int) int { return m.turns * part / m.parts }

// answer answers a request of the agent's.
func (m *model) answer(a ask) answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case a.ownCompaction:
		m.compacted = true
		return answer{text: "<analysis>The work so far.</analysis>\n<summary>" + task +
			fmt.Sprintf(" Turns 1 to %d are done.</summary>", m.done)}
	case len(a.tools) < 3:
		return answer{text: "Revisions of the shop"} // a title, a topic
	}
	for k, text := range a.unnamed {
		a.result(idOf("call", m.asked, k), text)
	}
	m.check(a)
	m.done = max(m.done, a.last)
	next := max(m.done, m.lastOf(max(a.part, 1)-1)) + 1
	if next > m.lastOf(max(a.part, 1)) {
		return answer{text: finalText}
	}
	m.asked = next
	var reply answer
	if next%3 == 0 {
		reply.text = fmt.Sprintf("Turn %d: on to the next thing.", next)
	}
	prefix := "call"
	if m.agent.format == formatMessages {
		prefix = "toolu"
	}
	for k, s := range stepsAt(next, m.agent.parallel) {
		c := m.agent.dialect(s, m.dir)
		c.id = idOf(prefix, next, k)
		if !slices.Contains(a.tools, c.name) {
			m.fault("turn %d: the agent offers no tool %s, only %s", next, c.name,
				strings.Join(a.tools, ", "))
		}
		reply.calls = append(reply.calls, c)
	}
	return reply
}

// lost is what qwen-code (0.24.4) now and then writes in place of a command's output, also without
// a proxy.
const lost = "Output: (empty)"

// stubbed are what agents write instead of a content that they sent before.
var stubbed = []string{"unchanged since", "already in your context"}

// truncatedOnArrival begins an output that the proxy has truncated.
const truncatedOnArrival = "[Truncated on arrival"

// check looks into the newest results: each must hold what its step brings about.
func (m *model) check(a ask) {
	m.compacted = m.compacted || a.compacted
	if !m.compacted && !strings.Contains(a.text, task) {
		m.fault("turn %d: the task is not among the user's messages", a.last)
	}
	if a.last <= m.done {
		return // seen before: a retry, or the next part
	}
	truncated := 0
	for _, text := range a.results {
		if strings.Contains(text, truncatedOnArrival) {
			truncated++
		}
	}
	m.truncated += truncated
	for _, s := range stepsAt(a.last, m.agent.parallel) {
		found := false
		for id, text := range a.results {
			found = found || turnOf(id) == a.last && strings.Contains(text, s.want)
		}
		stub, empty := false, false
		for _, text := range a.results {
			empty = empty || strings.Contains(text, lost)
			stub = stub || slices.ContainsFunc(stubbed, func(words string) bool {
				return strings.Contains(text, words)
			})
		}
		switch {
		case found:
		case stub && s.kind == kindRead:
			m.stubs++
		case empty && s.kind == kindShell:
		case truncated > 0 && s.kind == kindRead: // without what was looked for
		default:
			m.fault("turn %d: the %s gave no %q: %.300q", s.n, s.kind, s.want, a.results)
		}
	}
	if a.last > m.done+1 {
		m.fault("turn %d came before turn %d", a.last, m.done+1)
	}
}

// fault notes what should not have happened, the first few.
func (m *model) fault(format string, args ...any) {
	if len(m.faults) < 10 {
		m.faults = append(m.faults, fmt.Sprintf(format, args...))
	}
}
