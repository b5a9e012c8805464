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

// foundBefore returns the lines of the file that a call reads which searches right before it found,
// as indexes of its output: those that results name as "path:number:".
func foundBefore(before []view.Message, call *transcript.Call) (lines []int) {
	shown := call.Shows()
	if len(shown.Paths) != 1 || shown.First < 1 {
		return nil
	}
	seen := map[int]bool{}
	for j := call.Caller - 1; j >= max(0, call.Caller-contextMessages); j-- {
		if !before[j].Role().Result() {
			continue
		}
		for line := range strings.Lines(before[j].Text()) {
			path, rest, _ := strings.Cut(line, ":")
			number, _, ok := strings.Cut(rest, ":")
			if !ok || !transcript.SamePath(path, shown.Paths[0]) {
				continue
			}
			at, err := strconv.Atoi(number)
			if at -= shown.First; err == nil && at >= 0 && !seen[at] {
				seen[at] = true
				lines = append(lines, at)
			}
		}
	}
	return lines
}
