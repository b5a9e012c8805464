package preview

import (
	"fmt"
	"slices"
	"strings"

	"killick/reference"
	"killick/summary"
	"killick/transcript"
	"killick/transcript/loglines"
)

// Output is an output that is to be shown in part.
type Output struct {
	Text    string
	Tokens  int
	Shown   int    // tokens of it that are to be shown
	Ref     string // under which the whole is kept
	Expand  bool   // models may read it: see [summary.ByExpand]
	Call    *transcript.Call
	Context []Words // of the texts right before it
	Found   []int   // lines that searches shortly before it found, those of the latest first
	// Names chooses references in a part that is not shown, which has refs, except those for which
	// skip is true: as many as fit into room bytes.
	Names func(
		gap string, refs reference.Finder, room int, skip func(word string) bool,
	) []string
	// Note, if not nil, is called with the references in Text, in order, unless some of its lines
	// are so long that they are read in parts.
	Note func([]reference.Found)
}

// Words are the references in a text.
type Words map[string]bool

// WordsOf returns the references in a text.
func WordsOf(text string) Words {
	words := Words{}
	reference.Each(text, func(word string, _ reference.Kind) { words[word] = true })
	return words
}

// Preview shows the blocks of lines that share references with the context and, of a run, its end
// and its errors. It lists the names in the gaps: each name once, and none that is shown.
func (o *Output) Preview() string {
	p := divide(o.Text)
	p.findRefs()
	if o.Note != nil && !p.divided {
		o.Note(p.refs)
	}
	show := o.choose(p)
	named := map[string]bool{}
	for i, s := range show {
		if s {
			for _, r := range p.refsOf(i, i+1) {
				named[r.Word] = true
			}
		}
	}
	var b strings.Builder
	b.Grow(o.Shown*len(o.Text)/max(o.Tokens, 1) + len(o.Text)/16)
	b.WriteString(o.heading(p, show))
	for i := 0; i < p.len(); {
		if show[i] {
			b.WriteString(p.piece(i))
			if p.endsLine(i) || i+1 == p.len() || !show[i+1] {
				b.WriteByte('\n')
			}
			i++
			continue
		}
		g := gapFrom(p, show, i)
		gap := o.Text[p.start(i):][:g.size]
		refs := withoutSeries(p.refsIn(i, g.end), named)
		i = g.end
		b.WriteString(g.String())
		names := o.Names(gap, refs, min(maxNames, len(gap)/4), func(word string) bool {
			return named[word]
		})
		if len(names) > 0 {
			b.WriteString("; they name: " + strings.Join(names, " "))
		}
		for _, name := range names {
			named[name] = true
		}
		b.WriteString("]\n")
	}
	return b.String()
}

// maxNumbered limits the ids and numbers of a gap that are listed. More of them are mostly members
// of a series, such as those in the rows of a table, which say nothing without their rows.
const maxNumbered = 8

// withoutSeries returns refs with the first ids and numbers among them alone, not counting those
// that are named elsewhere.
func withoutSeries(refs reference.Finder, named map[string]bool) reference.Finder {
	return func(yield func(word string, kind reference.Kind)) {
		numbered := map[string]bool{}
		refs(func(word string, kind reference.Kind) {
			if (kind == reference.ID || kind == reference.Number) && !named[word] {
				if len(numbered) == maxNumbered && !numbered[word] {
					return
				}
				numbered[word] = true
			}
			yield(word, kind)
		})
	}
}

// heading states what was done to the output, and what can be done about it.
func (o *Output) heading(p *pieces, show []bool) string {
	lines, whole, partly := 0, 0, 0
	n := p.len()
	if n > 1 && p.size(n-1) == 0 { // after the last line feed
		n--
	}
	for i := 0; i < n; lines++ {
		shown, of := 0, 0
		for ends := false; i < n && !ends; i++ {
			of++
			if show[i] {
				shown++
			}
			ends = p.endsLine(i)
		}
		switch shown {
		case of:
			whole++
		case 0:
		default:
			partly++
		}
	}
	shown := fmt.Sprintf("%d of %d lines are shown", whole, lines)
	if partly > 0 {
		shown += fmt.Sprintf(", and parts of %d", partly)
	}
	how := ". Ask for the part that is needed to see more"
	switch again := o.Call.Polls() == ""; { // else the call returns only what is new
	case again && o.Expand:
		how += ", or " + summary.ByExpand
	case o.Expand:
		how = ". To see more, " + summary.ByExpand
	case !again:
		how = ""
	}
	return fmt.Sprintf("[Truncated on arrival to save context: %s, the gaps are marked%s. "+
		"ref=%s]\n", shown, how, o.Ref)
}

const (
	around     = 7   // pieces that are shown on either side of one that matters
	headPieces = 5   // of every output
	tailPieces = 12  // of an output that is not just a file
	fileTail   = 3   // of a file, after which agents say whether it continues
	maxMark    = 64  // more bytes than the longest mark of a gap has
	maxNames   = 960 // bytes of the names that a gap lists; also at most a quarter of the gap
	errorScore = 6   // of a line that reports an error: more than of any one reference
)

// choose marks the pieces to show within the room: the head and the tail, in half of the room at
// most; those near lines that searches found and near references of the context, the best
// first; the rest of the tail; the declarations of a file; then other pieces from the beginning on.
// A gap that is not longer than its mark is shown too.
func (o *Output) choose(p *pieces) []bool {
	show := make([]bool, p.len())
	room := o.Shown * len(o.Text) / max(o.Tokens, 1)
	one := func(i int) {
		if !show[i] {
			show[i] = true
			room -= p.size(i)
		}
	}
	take := func(from, to int) {
		for i := max(0, from); i < min(p.len(), to) && room > 0; i++ {
			one(i)
		}
	}
	shown := o.Call.Shows()
	read := o.Call.Effect == transcript.Reads || shown.Lines
	tail := tailPieces
	if read && !shown.Mixed {
		tail = fileTail
	}
	first, last := 0, max(0, p.len()-tail)
	half := room / 2
	for i := 0; i < min(headPieces, p.len()) && room > half+half/2; i++ {
		one(i)
		first = i + 1
	}
	for i := p.len() - 1; i >= last && room > half; i-- {
		one(i)
	}
	for _, i := range slices.Concat(p.firstOf(o.Found), related(p, !read, o.Context)) {
		if room <= 0 {
			break
		}
		one(i) // itself first, then those next to it
		for away := 1; away <= around; away++ {
			take(i-away, i-away+1)
			take(i+away, i+away+1)
		}
	}
	take(first, headPieces)
	for i := p.len() - 1; i >= last && room > 0; i-- {
		one(i)
	}
	if read || o.Call.Effect != transcript.Runs {
		for i := 0; i < p.len() && room > 0; i++ {
			if !show[i] && declares(p.piece(i)) {
				take(i, i+1)
			}
		}
	}
	take(0, p.len())
	showSmallGaps(p, show)
	return show
}

// showSmallGaps marks the pieces of gaps that are not longer than their marks.
func showSmallGaps(p *pieces, show []bool) {
	for i := 0; i < p.len(); i++ {
		if show[i] {
			continue
		}
		g := gapFrom(p, show, i)
		if g.size <= maxMark && g.size <= len(g.String()) {
			for j := i; j < g.end; j++ {
				show[j] = true
			}
		}
		i = g.end
	}
}

// related returns the pieces that share references with the context or, in a run, report an error,
// the best first.
func related(p *pieces, run bool, context []Words) (found []int) {
	inContext := func(word string) bool {
		return slices.ContainsFunc(context, func(words Words) bool { return words[word] })
	}
	scores := map[int]int{} // of those found
	var log loglines.Lines
	if run {
		log = loglines.Of(p.text)
	}
	for i := range p.len() {
		score := 0
		for _, r := range p.refsOf(i, i+1) {
			if inContext(r.Word) {
				score += int(r.Kind)
			}
		}
		if run && (reportsError(p.piece(i)) || log.IsError(p.piece(i))) {
			score += errorScore
		}
		if score > 0 {
			found, scores[i] = append(found, i), score
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return scores[b] - scores[a] })
	return found
}

// reportsError reports whether a line of a run seems to report an error.
func reportsError(line string) bool {
	low := strings.ToLower(line[:min(len(line), 300)])
	return strings.Contains(low, "error") || strings.Contains(low, "fail") ||
		strings.Contains(low, "panic")
}

// margin has what stands before the lines of a listing or a diff, and indents them. An arrow may
// too; among these, it would make trimming many times slower.
const margin = " \t0123456789|:-+"

// declares reports whether a line declares something, in the usual languages.
func declares(line string) bool {
	line = strings.TrimLeft(line, margin)
	for strings.HasPrefix(line, "→") {
		line = strings.TrimLeft(line[len("→"):], margin)
	}
	word, _, spaced := strings.Cut(line, " ")
	switch word {
	case "func", "type", "def", "class", "const", "var", "export", "interface", "fn", "struct",
		"function", "pub", "async":
		return spaced
	}
	return false
}
