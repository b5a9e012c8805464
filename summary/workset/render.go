package workset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"killick/summary"
)

// opening begins the message. It is that of a record, so that one that comes back is recognized.
const opening = summary.Mark + " lines of files and search results from the messages that it " +
	"replaced, those most likely to be needed. They are verbatim behind the bars, as they were " +
	"when the message named with them was sent; what is newer stands below.]\n"

// Render returns the text of the message that shows the blocks.
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

// title names the file, or the call.
func (b *Block) title() string { return summary.Line(cmp.Or(b.Path, b.Of), maxTitle) }

// maxTitle limits a title, in bytes.
const maxTitle = 300

// continues reports whether next holds the lines after those of b in the same text.
func (b *Block) continues(next *Block) bool {
	return b.title() == next.title() && b.At == next.At && b.First > 0 &&
		next.First == b.First+len(b.Lines)
}

// label says which lines follow and which message has them.
func (b *Block) label() string {
	from := "message"
	if b.Kind == Written {
		from = "written in message"
	}
	if b.First == 0 {
		return fmt.Sprintf("%s %d:", from, b.At)
	}
	return fmt.Sprintf("from line %d, %s %d:", b.First, from, b.At)
}
