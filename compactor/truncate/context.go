package truncate

import (
	"strconv"
	"strings"

	"killick/transcript"
	"killick/view"
)

// contextMessages is how many messages before a call are its context at most.
const contextMessages = 12

// contextOf returns the texts right before an output: the call with its message, the two messages
// of the assistant before, the last message of the user. before are the messages up to that of the
// call.
func contextOf(before []view.Message, call *transcript.Call) []string {
	texts := []string{call.Raw, before[call.Caller].Text()}
	assistants, users := 0, 0
	first := max(0, call.Caller-contextMessages)
	for j := call.Caller - 1; j >= first && (assistants < 2 || users < 1); j-- {
		switch m := &before[j]; {
		case m.Role() == view.Assistant && assistants < 2:
			assistants++
			texts = append(texts, m.Text())
		case m.Role() == view.User && users < 1:
			users++
			texts = append(texts, m.Text())
		}
	}
	return texts
}

// hits are the places that outputs name as "path:number:", by message: each output is read once.
type hits map[int][]hit

type hit struct {
	path   string
	number int // of the line
}

// before returns the lines of the file that a call reads which searches right before it found, as
// indexes of its output.
func (h hits) before(messages []view.Message, call *transcript.Call) (lines []int) {
	shown := call.Shows()
	if len(shown.Paths) != 1 || shown.First < 1 {
		return nil
	}
	seen := map[int]bool{}
	for j := call.Caller - 1; j >= max(0, call.Caller-contextMessages); j-- {
		if !messages[j].Role().Result() {
			continue
		}
		for _, found := range h.of(messages, j) {
			at := found.number - shown.First
			if at >= 0 && !seen[at] && transcript.SamePath(found.path, shown.Paths[0]) {
				seen[at] = true
				lines = append(lines, at)
			}
		}
	}
	return lines
}

func (h hits) of(messages []view.Message, j int) []hit {
	found, ok := h[j]
	if ok {
		return found
	}
	for line := range strings.Lines(messages[j].Text()) {
		path, rest, _ := strings.Cut(line, ":")
		number, _, ok := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(number); ok && err == nil {
			found = append(found, hit{strings.Clone(path), n})
		}
	}
	h[j] = found
	return found
}
