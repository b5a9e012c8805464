package workset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"killick/summary/excerpt"
	"killick/transcript/speech"
)

// introduction begins the message. It begins like a record, so that a message that a client sends
// back is recognized.
const introduction = speech.RecordMark + " lines of files, and of what other tools returned " +
	"about a file, which stood in the messages replaced: those most likely to be needed. Behind " +
	"the bars they are verbatim, as of the message named above them. The messages after this one " +
	"are newer.]\n"

// Render returns the text of the message that shows the blocks, by file.
func Render(blocks []Block) string {
	shown := slices.Clone(blocks)
	slices.SortStableFunc(shown, func(a, b Block) int {
		return cmp.Or(strings.Compare(a.title(), b.title()), a.First-b.First, a.At-b.At,
			a.Text-b.Text, a.From-b.From)
	})
	var b strings.Builder
	b.WriteString(introduction)
	for i := range shown {
		now := &shown[i]
		if i == 0 || shown[i-1].title() != now.title() {
			b.WriteString("\n## " + now.title() + "\n")
		}
		if i == 0 || !shown[i-1].continues(now) {
			b.WriteString(now.label() + "\n")
		}
		b.WriteString(excerpt.ExactLines(now.Lines))
	}
	return b.String()
}

// title names the file, or the call that showed the lines.
func (b *Block) title() string {
	if b.Of != "" {
		return b.Of // made for a record already
	}
	return excerpt.Quote(b.Path, maxTitle)
}

// maxTitle limits a path, in bytes.
const maxTitle = 300

// continues reports whether next has the lines that follow those of b in the same text.
func (b *Block) continues(next *Block) bool {
	if b.title() != next.title() || b.At != next.At || b.Written != next.Written ||
		b.Text != next.Text || b.Touched != next.Touched {
		return false
	}
	if b.First == 0 || next.First == 0 {
		return b.First == next.First && next.From == b.From+len(b.Lines)
	}
	return next.First == b.First+len(b.Lines)
}

// label states which lines follow and which message contained them.
func (b *Block) label() string {
	from := fmt.Sprintf("message %d", b.At)
	if b.Written {
		from = fmt.Sprintf("written in message %d", b.At)
	}
	if b.First > 0 {
		from += fmt.Sprintf(", from line %d", b.First)
	}
	if b.CRLF {
		from += ", lines ended in CR LF there"
	}
	switch {
	case b.Touched == b.At:
		from += ", before another call of this message, which may have changed the file"
	case b.Touched > 0:
		from += fmt.Sprintf(", before message %d, which may have changed the file", b.Touched)
	}
	return from + ":"
}
