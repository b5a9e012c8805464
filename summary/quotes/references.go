package quotes

import (
	"strings"

	"killick/reference"
)

// EachName calls yield with the references in what a person or the assistant wrote in message i,
// without credentials. It is called once for a message.
func (s *Source) EachName(i int, yield func(word string, kind reference.Kind)) {
	found, ok := s.memo().references[i]
	if !ok {
		reference.Each(s.safeWords(i), yield)
		return
	}
	delete(s.memo().references, i)
	for _, f := range found {
		yield(f.Word, f.Kind)
	}
}

// PathsIn returns the paths that a person or the assistant names in message i, in words and calls.
func (s *Source) PathsIn(i int) []string {
	return cached(s.memo().paths, i, func() (paths []string) {
		note := func(word string, kind reference.Kind) {
			if kind == reference.Path {
				paths = append(paths, word)
			}
		}
		if text := s.words(i); s.safeWords(i) == text {
			found := []reference.Found{}
			reference.Each(text, func(word string, kind reference.Kind) {
				found = append(found, reference.Found{Word: word, Kind: kind})
				note(word, kind)
			})
			s.memo().references[i] = found
		} else {
			reference.Each(text, note)
		}
		for _, made := range s.Messages[i].ToolCalls() {
			reference.Each(made.Text(), note)
		}
		return paths
	})
}

// NamesInCode returns the references that a person or the assistant marked as code in message i: in
// a fenced block, or between backticks in a line.
func (s *Source) NamesInCode(i int) map[string]bool {
	found := map[string]bool{}
	note := func(word string, _ reference.Kind) { found[word] = true }
	fenced := false
	for line := range strings.Lines(s.safeWords(i)) {
		start := strings.TrimSpace(line)
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			reference.Each(line, note)
			continue
		}
		inside := false
		for part := range strings.SplitSeq(line, "`") {
			if inside {
				reference.Each(part, note)
			}
			inside = !inside
		}
	}
	return found
}
