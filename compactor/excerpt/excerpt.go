package excerpt

import (
	"fmt"
	"slices"
	"strings"

	"killick/reference"
	"killick/summary"
	"killick/transcript"
)

// Output is an output that is to be shown in part.
type Output struct {
	Text    string
	Tokens  int
	Shown   int    // tokens of it that are to be shown
	Ref     string // under which the whole is kept
	Expand  bool   // models may read it: see [summary.ByExpand]
	Call    *transcript.Call
	Context []string // the texts right before it
	Found   []int    // lines that searches right before it found, those of the latest first
	// Names chooses references in a part that is not shown, those left out for which skip is true:
	// as many as room bytes hold.
	Names func(gap string, room int, skip func(word string) bool) []string
}

// Excerpt shows the blocks of lines that have to do with the context, of a run its end
// and its errors, and lists what is named in the gaps: each name once, and none that is shown.
func (o *Output) Excerpt() string {
	lines := strings.Split(o.Text, "\n")
	show := o.choose(lines)
	shown, named := 0, map[string]bool{}
	for i, s := range show {
		if s {
			shown++
			reference.Each(lines[i], func(word string, _ reference.Kind) { named[word] = true })
		}
	}
	var b strings.Builder
	how := ""
	if o.Expand {
		how = ", or " + summary.ByExpand
	}
	b.Grow(o.Shown*len(o.Text)/max(o.Tokens, 1) + len(o.Text)/16)
	fmt.Fprintf(&b, "[Shortened on arrival to save context: %d of %d lines are shown, "+
		"the gaps are marked. Ask for the part that is needed to see more%s. ref=%s]\n",
		shown, len(lines), how, o.Ref)
	rest := o.Text // from line i on
	for i := 0; i < len(lines); {
		if show[i] {
			b.WriteString(lines[i])
			b.WriteByte('\n')
			rest = rest[min(len(lines[i])+1, len(rest)):]
			i++
			continue
		}
		end, size := i, 0
		for end < len(lines) && !show[end] {
			size += len(lines[end]) + 1
			end++
		}
		gap := rest[:size-1]
		rest = rest[min(size, len(rest)):]
		fmt.Fprintf(&b, "[… %d lines left out", end-i)
		names := o.Names(gap, min(maxNames, len(gap)/4), func(word string) bool {
			return named[word]
		})
		if len(names) > 0 {
			b.WriteString("; they name: " + strings.Join(names, ", "))
		}
		for _, name := range names {
			named[name] = true
		}
		b.WriteString("]\n")
		i = end
	}
	return b.String()
}

const (
	around     = 7   // lines that are shown on either side of one that matters
	headLines  = 5   // of every output
	tailLines  = 12  // of one that was not read from a file
	maxNames   = 960 // bytes of the names that a gap lists, and a quarter of the gap
	errorScore = 6   // of a line that reports an error: more than of any one reference
)

// choose marks the lines to show within the room: the head, and of a run the tail; those near what
// searches found and what the context names, the best first; the declarations of a file; and of
// what is left the beginning.
func (o *Output) choose(lines []string) []bool {
	show := make([]bool, len(lines))
	room := o.Shown * len(o.Text) / max(o.Tokens, 1)
	take := func(from, to int) {
		for i := max(0, from); i < min(len(lines), to) && room > 0; i++ {
			if !show[i] {
				show[i] = true
				room -= len(lines[i]) + 1
			}
		}
	}
	read := o.Call.Effect == transcript.Reads || o.Call.Shows().Lines
	take(0, headLines)
	if !read {
		take(len(lines)-tailLines, len(lines))
	}
	for _, i := range slices.Concat(o.Found, related(lines, !read, o.Context)) {
		if room <= 0 {
			break
		}
		take(i-around, i+around+1)
	}
	if read || o.Call.Effect != transcript.Runs {
		for i, line := range lines {
			if room <= 0 {
				break
			}
			if !show[i] && declares(line) {
				take(i, i+1)
			}
		}
	}
	take(0, len(lines))
	return show
}

// related are the lines that share references with the context, or of a run report an error, the
// best first.
func related(lines []string, run bool, context []string) []int {
	words := map[string]bool{}
	for _, text := range context {
		reference.Each(text, func(word string, _ reference.Kind) { words[word] = true })
	}
	scores := make([]int, len(lines))
	var found []int
	for i, line := range lines {
		reference.Each(line, func(word string, kind reference.Kind) {
			if words[word] {
				scores[i] += int(kind)
			}
		})
		if run && reportsError(line) {
			scores[i] += errorScore
		}
		if scores[i] > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return scores[b] - scores[a] })
	return found
}

// reportsError reports whether a line of a run seems to report a fault.
func reportsError(line string) bool {
	low := strings.ToLower(line[:min(len(line), 300)])
	return strings.Contains(low, "error") || strings.Contains(low, "fail") ||
		strings.Contains(low, "panic")
}

// declares reports whether a line declares something, in the usual languages.
func declares(line string) bool {
	l := strings.TrimLeft(line, " \t0123456789→|:-+")
	return slices.ContainsFunc(declarations, func(p string) bool { return strings.HasPrefix(l, p) })
}

var declarations = []string{
	"func ", "type ", "def ", "class ", "const ", "var ", "export ", "interface ", "fn ",
	"struct ", "function ", "pub ", "async ",
}
