package probe

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"killick/probe/normal"
)

// Limits of what is shown beside a quote, in characters.
const (
	maxBeside = 200 // on either side, in its message
	maxEnd    = 120 // of either end of its message
	maxLine   = 120 // of a heading, line or opening above a quote
	maxAbove  = 360 // of all of these
)

// maxBrackets is how many of the brackets around a quote count.
const maxBrackets = 3

// maxLevel is the lowest level of a heading.
const maxLevel = 6

// outline is a text on one line, and how its lines were arranged.
type outline struct {
	text  string
	lines []outlined
}

// outlined is a line of a text that is not blank.
type outlined struct {
	start, end int  // in the text on one line
	indent     int  // columns before its first character
	level      int  // of a heading in Markdown, from 1; else 0
	opens      bool // it follows a blank line, or is the first
}

func newOutline(text string) *outline {
	var o outline
	var b strings.Builder
	var last rune
	opens := true
	for raw := range strings.Lines(text) {
		one := normal.OneLine(raw)
		if one == "" {
			opens = true
			continue
		}
		first, _ := utf8.DecodeRuneInString(one)
		if b.Len() > 0 && !(normal.Unspaced(last) && normal.Unspaced(first)) {
			b.WriteByte(' ')
		}
		l := outlined{start: b.Len(), end: b.Len() + len(one), opens: opens,
			level: headingLevel(one)}
		for _, r := range raw {
			if r != ' ' && r != '\t' {
				break
			}
			l.indent++
		}
		o.lines = append(o.lines, l)
		b.WriteString(one)
		last, _ = utf8.DecodeLastRuneInString(one)
		opens = false
	}
	o.text = b.String()
	return &o
}

// passage returns a one-line quote with the text on either side of it, the lines above that it
// belongs to, and both ends of the message. Cuts are between words and marked. It returns "" if the
// text does not contain the quote.
func (o *outline) passage(quote string) string {
	before, rest, found := strings.Cut(o.text, quote)
	if !found || quote == "" {
		return ""
	}
	from, begins := startOfLast(before, maxBeside), endOfFirst(before, maxEnd)
	if from > begins {
		above := before[:begins] + ellipsis
		for _, p := range o.above(len(before), begins, from) {
			above += " " + o.text[p.start:p.end] + ellipsis
		}
		before = above + " " + strings.TrimPrefix(before[from:], " ")
	}
	to, ends := endOfFirst(rest, maxBeside), startOfLast(rest, maxEnd)
	if to < ends {
		rest = rest[:to] + ellipsis + " " + strings.TrimPrefix(rest[ends:], " ")
	}
	return before + quote + rest
}

// above returns the headings, lines and openings that the words at a position belong to, between
// from and to, in order. If there is not enough room, it returns the nearest.
func (o *outline) above(at, from, to int) (above []part) {
	left := maxAbove
	for _, p := range append(o.lineStarts(at), o.brackets(at)...) {
		if p.start < to {
			p.end = p.start + endOfFirst(o.text[p.start:min(p.end, to)], maxLine)
		}
		if p.start < to && p.end > from {
			above = append(above, p)
		}
	}
	slices.SortFunc(above, func(a, b part) int { return cmp.Compare(b.start, a.start) })
	for i, p := range above {
		if left -= utf8.RuneCountInString(o.text[p.start:p.end]); left < 0 {
			above = above[:i]
			break
		}
	}
	slices.Reverse(above)
	merged := above[:0]
	for _, p := range above {
		if n := len(merged) - 1; n >= 0 && p.start <= merged[n].end {
			merged[n].end = max(merged[n].end, p.end)
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}

// lineStarts returns the line of a position and those that it belongs to: headings, lines that are
// indented less, and the first line of a block.
func (o *outline) lineStarts(at int) (all []part) {
	n, _ := slices.BinarySearchFunc(o.lines, at+1, func(l outlined, at int) int {
		return cmp.Compare(l.end, at)
	})
	if n == len(o.lines) {
		return nil
	}
	own := &o.lines[n]
	indent, opened, level := own.indent, own.opens, cmp.Or(own.level, maxLevel+1)
	all = append(all, part{own.start, own.end})
	for i := n - 1; i >= 0 && level > 1; i-- {
		l := &o.lines[i]
		stands := false
		switch {
		case l.level > 0:
			if stands = l.level < level; stands {
				level = l.level
			}
		case level <= maxLevel: // what stands before a heading is of another section
		case l.indent < indent:
			indent, stands = l.indent, true
		case !opened && l.opens:
			stands = true
		}
		if opened = opened || l.opens; stands {
			all = append(all, part{l.start, l.end})
		}
	}
	return all
}

// brackets returns what follows the brackets that a position is in.
func (o *outline) brackets(at int) (all []part) {
	depth := 0
	for i := at - 1; i >= 0 && len(all) < maxBrackets; i-- {
		switch o.text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				all, depth = append(all, part{i, at}), 0
			}
		}
	}
	return all
}

// headingLevel returns the level of a heading in Markdown, 0 if a line is none.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	if level := len(line) - len(rest); level <= maxLevel && strings.HasPrefix(rest, " ") {
		return level
	}
	return 0
}

// part is what is between two positions of a text.
type part struct{ start, end int }

// startOfLast returns where the last words of text begin that have at most n characters.
func startOfLast(text string, n int) int {
	start := len(text)
	for ; start > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 {
		return 0
	}
	if space := strings.IndexByte(text[start:], ' '); space >= 0 {
		return start + space
	}
	return start
}

// endOfFirst returns where the first words of text end that have at most n characters.
func endOfFirst(text string, n int) int {
	end := 0
	for ; end < len(text) && n > 0; n-- {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end == len(text) {
		return end
	}
	if space := strings.LastIndexByte(text[:end], ' '); space >= 0 {
		return space
	}
	return end
}

// bothEnds returns a one-line text, without its middle if it has more than most characters.
func bothEnds(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return text[:endOfFirst(text, most/2)] + " … " +
		strings.TrimSpace(text[startOfLast(text, most/2):])
}

// ellipsis marks where a passage is cut.
const ellipsis = "…"

// around returns what is between two positions of a text, with up to beside characters on either
// side. Cuts are between words and marked.
func around(text string, start, end, beside int) string {
	before, after := text[:start], text[end:]
	middle := text[start:end]
	if from := startOfLast(before, beside); from > 0 {
		before = ellipsis + before[from:]
	}
	if to := endOfFirst(after, beside); to < len(after) {
		after = after[:to] + ellipsis
	}
	return before + middle + after
}
