package workset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"killick/summary"
)

// opening begins the message as a record begins, so that one that comes back is recognized.
const opening = summary.Mark + " lines of files and of search results that stood in the " +
	"messages replaced, those most likely to be needed. Behind the bars they are verbatim, as of " +
	"the message named above them. The messages after this one are newer.]\n"

// Render returns the text of the message that shows the blocks, by file.
func Render(blocks []Block) string {
	shown := slices.Clone(blocks)
	slices.SortStableFunc(shown, func(a, b Block) int {
		return cmp.Or(strings.Compare(a.title(), b.title()), a.First-b.First, a.At-b.At)
	})
	var b strings.Builder
	b.WriteString(opening)
	for i := range shown {
		now := &shown[i]
		if i == 0 || shown[i-1].title() != now.title() {
			b.WriteString("\n## " + now.title() + "\n")
		}
		if i == 0 || !shown[i-1].continues(now) {
			b.WriteString(now.label() + "\n")
		}
		b.WriteString(summary.Bars(now.Lines))
	}
	return b.String()
}

// title names the file, or the call that found the lines.
func (b *Block) title() string {
	if b.Of != "" {
		return b.Of // made for a record already
	}
	return summary.Line(b.Path, maxTitle)
}

// maxTitle limits a path, in bytes.
const maxTitle = 300

// continues reports whether next holds the lines after those of b in the same text.
func (b *Block) continues(next *Block) bool {
	return b.title() == next.title() && b.At == next.At && b.Kind == next.Kind &&
		b.Text == next.Text && b.First > 0 && next.First == b.First+len(b.Lines)
}

// label says which lines follow and which message has them.
func (b *Block) label() string {
	from := fmt.Sprintf("message %d", b.At)
	if b.Kind == Written {
		from = fmt.Sprintf("written in message %d", b.At)
	}
	if b.First > 0 {
		from += fmt.Sprintf(", from line %d", b.First)
	}
	return from + ":"
}
