package scripted

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"killick/internal/agents/programs"
	"killick/internal/agents/work"
)

// answer is what the scripted model answers.
type answer struct {
	text  string
	calls []programs.Call
}

// Model is the scripted model: it goes through the steps of [work.StepsAt], turn by turn, and
// follows the conversation by the ids of its own calls. It is safe for concurrent use.
type Model struct {
	Turns, Parts int
	Agent        programs.Agent
	Dir          string // the project

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
func (m *Model) lastOf(part int) int { return m.Turns * part / m.Parts }

// answer answers a request of the agent's.
func (m *Model) answer(a Ask) answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case a.OwnCompaction:
		m.compacted = true
		return answer{text: "<analysis>The work so far.</analysis>\n<summary>" + work.Task +
			fmt.Sprintf(" Turns 1 to %d are done.</summary>", m.done)}
	case len(a.Tools) < 3:
		return answer{text: "Revisions of the shop"} // a title, a topic
	}
	for k, text := range a.unnamed {
		a.result(idOf("call", m.asked, k), text)
	}
	m.check(a)
	m.done = max(m.done, a.Last)
	next := max(m.done, m.lastOf(max(a.part, 1)-1)) + 1
	if next > m.lastOf(max(a.part, 1)) {
		return answer{text: work.FinalText}
	}
	m.asked = next
	var reply answer
	if next%3 == 0 {
		reply.text = fmt.Sprintf("Turn %d: on to the next thing.", next)
	}
	prefix := "call"
	if m.Agent.Format == programs.FormatMessages {
		prefix = "toolu"
	}
	for k, s := range work.StepsAt(next, m.Agent.Parallel) {
		c := m.Agent.Dialect(s, m.Dir)
		c.ID = idOf(prefix, next, k)
		if !slices.Contains(a.Tools, c.Name) {
			m.fault("turn %d: the agent offers no tool %s, only %s", next, c.Name,
				strings.Join(a.Tools, ", "))
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
func (m *Model) check(a Ask) {
	m.compacted = m.compacted || a.compacted
	if !m.compacted && !strings.Contains(a.text, work.Task) {
		m.fault("turn %d: the task is not among the user's messages", a.Last)
	}
	if a.Last <= m.done {
		return // seen before: a retry, or the next part
	}
	truncated := 0
	for _, text := range a.results {
		if strings.Contains(text, truncatedOnArrival) {
			truncated++
		}
	}
	m.truncated += truncated
	for _, s := range work.StepsAt(a.Last, m.Agent.Parallel) {
		found := false
		for id, text := range a.results {
			found = found || turnOf(id) == a.Last && strings.Contains(text, s.Want)
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
		case stub && s.Kind == work.KindRead:
			m.stubs++
		case empty && s.Kind == work.KindShell:
		case truncated > 0 && s.Kind == work.KindRead: // without what was looked for
		default:
			m.fault("turn %d: the %s gave no %q: %.300q", s.N, s.Kind, s.Want, a.results)
		}
	}
	if a.Last > m.done+1 {
		m.fault("turn %d came before turn %d", a.Last, m.done+1)
	}
}

// fault notes what should not have happened, the first few.
func (m *Model) fault(format string, args ...any) {
	if len(m.faults) < 10 {
		m.faults = append(m.faults, fmt.Sprintf(format, args...))
	}
}

// End returns what went wrong in the whole work, how many repeated reads the agent answered without
// the content, and how many results were truncated on arrival.
func (m *Model) End() (faults []string, stubs, truncated int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done != m.Turns {
		faults = append(faults, fmt.Sprintf("%d turns were done, want %d", m.done, m.Turns))
	}
	return append(faults, m.faults...), m.stubs, m.truncated
}
