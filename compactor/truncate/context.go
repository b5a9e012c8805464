package truncate

import (
	"strconv"
	"strings"

	"killick/compactor/preview"
	"killick/transcript"
	"killick/view"
)

// contextMessages is how many messages before a call are its context at most.
const contextMessages = 12

// words are the references in the messages before outputs, by message. Each message is read once.
type words map[int]preview.Words

// before returns the references in the messages right before an output: the call with its message,
// the two messages of the assistant before it, the last message of the user.
func (w words) before(t *transcript.Transcript, call *transcript.Call) []preview.Words {
	all := []preview.Words{preview.WordsOf(call.Raw), w.of(t, call.Caller)}
	assistants, users := 0, 0
	first := max(0, call.Caller-contextMessages)
	for j := call.Caller - 1; j >= first && (assistants < 2 || users < 1); j-- {
		switch role := t.Messages[j].Role(); {
		case role == view.Assistant && assistants < 2:
			assistants++
			all = append(all, w.of(t, j))
		case role == view.User && users < 1:
			users++
			all = append(all, w.of(t, j))
		}
	}
	return all
}

func (w words) of(t *transcript.Transcript, j int) preview.Words {
	if w[j] == nil {
		w[j] = preview.WordsOf(t.Text(j))
	}
	return w[j]
}

// hits are the places that outputs name as "path:number:", by message and by the last element of
// the path. Each output is read once.
type hits map[int]map[string][]hit

type hit struct {
	path   string
	number int // of the line
}

// maxHits is how many hits of a name are kept of one output: each later output of such a file is
// compared with all of them. More say little about which lines matter.
const maxHits = 1024

// base returns the last element of a path. Paths that name one file have the same.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// before returns the lines of the file that a call reads which searches shortly before it found, as
// indexes of the lines of its output.
func (h hits) before(t *transcript.Transcript, call *transcript.Call) (lines []int) {
	shown := call.Shows()
	if len(shown.Paths) != 1 || shown.First < 1 {
		return nil
	}
	seen := map[int]bool{}
	for j := call.Caller - 1; j >= max(0, call.Caller-contextMessages); j-- {
		if !t.Messages[j].Role().Result() {
			continue
		}
		for _, found := range h.of(t, j)[base(shown.Paths[0])] {
			at := found.number - shown.First
			if at >= 0 && !seen[at] && transcript.SamePath(found.path, shown.Paths[0]) {
				seen[at] = true
				lines = append(lines, at)
			}
		}
	}
	return lines
}

func (h hits) of(t *transcript.Transcript, j int) map[string][]hit {
	found, ok := h[j]
	if ok {
		return found
	}
	found = map[string][]hit{}
	for line := range strings.Lines(t.Text(j)) {
		path, rest, _ := strings.Cut(line, ":")
		if rest == "" || rest[0] < '0' || rest[0] > '9' {
			continue // most lines; an error of Atoi would be allocated for each
		}
		number, _, ok := strings.Cut(rest, ":")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(number); err == nil && len(found[base(path)]) < maxHits {
			path = strings.Clone(path)
			name := base(path)
			found[name] = append(found[name], hit{path, n})
		}
	}
	h[j] = found
	return found
}
