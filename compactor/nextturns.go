package compactor

import (
	"strings"

	"killick/chat"
)

// Bounds of what the turns after a fold add to its record.
const (
	maxNeeded      = 16   // lines
	maxNeededBytes = 2400 // of all of them
	maxNeededLine  = 240
)

// neededLines are the lines of the replaced messages that hold the references
// which the turns after them have used and which neither the record nor what
// stood before the use tells. The turns that really came are the best question
// that a summary can be asked, and this one costs nothing. What was used last
// comes first.
func neededLines(replaced, after []chat.Message, record string) []string {
	wanted := neededRefs(after, record)
	if len(wanted) == 0 {
		return nil
	}
	order := map[string]int{}
	for i, word := range wanted {
		order[word] = i
	}
	lines, said := make([]string, len(wanted)), make([]string, len(wanted))
	for i := len(replaced) - 1; i >= 0; i-- {
		into := lines
		if replaced[i].Role() == chat.Assistant {
			into = said // what it was read from tells more
		}
		eachLine(&replaced[i], func(line string) {
			eachRef(line, func(word string, _ refKind) {
				if at, ok := order[word]; ok && into[at] == "" {
					into[at] = lineAround(line, word)
				}
			})
		})
	}
	for i := range lines {
		lines[i] = orElse(lines[i], said[i])
	}
	return newestLines(lines)
}

// neededRefs are the references that the turns of after use before anything that
// still stands there has told them.
func neededRefs(after []chat.Message, record string) (wanted []string) {
	told := map[string]bool{}
	tell := func(word string, _ refKind) { told[word] = true }
	eachRef(record, tell)
	for i := range after {
		m := &after[i]
		if !m.Role().Result() {
			eachLine(m, func(line string) {
				eachRef(line, func(word string, _ refKind) {
					if !told[word] {
						told[word] = true
						wanted = append(wanted, word)
					}
				})
			})
		}
		eachRef(m.Text(), tell)
	}
	return wanted
}

// newestLines returns the last of the lines that were found, each once, within
// the bounds.
func newestLines(lines []string) (kept []string) {
	room := maxNeededBytes
	for i := len(lines) - 1; i >= 0 && len(kept) < maxNeeded; i-- {
		if lines[i] == "" || len(lines[i]) > room {
			continue
		}
		if before := len(kept); before == len(appendNew(kept, lines[i])) {
			continue
		}
		kept = append(kept, lines[i])
		room -= len(lines[i])
	}
	return kept
}

// eachLine calls yield with the lines of a message's text and of its calls'
// arguments.
func eachLine(m *chat.Message, yield func(line string)) {
	for line := range strings.Lines(m.Text()) {
		yield(line)
	}
	for _, made := range m.ToolCalls() {
		args := made.Arguments.Text()
		if made.Arguments.Kind() == chat.Object {
			args = string(made.Arguments)
		}
		for line := range strings.Lines(unescapeBreaks.Replace(args)) {
			yield(line)
		}
	}
}

// lineAround is a line with a word in it, shortened on both sides of the word.
func lineAround(line, word string) string {
	line = strings.ToValidUTF8(line, "\uFFFD")
	if i := strings.Index(line, word); i > maxNeededLine-len(word)-40 {
		from := i - 40
		if space := strings.IndexByte(line[from:i], ' '); space >= 0 {
			from += space
		}
		line = "…" + strings.ToValidUTF8(line[from:], "")
	}
	return oneLine(line, maxNeededLine)
}
