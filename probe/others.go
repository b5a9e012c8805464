package probe

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"killick/probe/normal"
	"killick/transcript/speech"
)

// Other is a passage of another message than that of a quote, or of another part of it. It may show
// what a quote is about, or that a statement no longer holds.
type Other struct {
	Message int // its number
	Writer  string
	Text    string

	of         int // 0 if the writer of the message wrote it, n if it is the nth text outside
	start, end int // what it is about in that text; both 0 if it is not from one place
}

// Limits of other passages, in bytes: of those that come after statements, of what stands around
// quotes in long messages, and of what persons wrote before.
const (
	maxLater   = 21 << 10
	maxOwn     = 2 << 10
	maxEarlier = 2 << 10
)

// others chooses other passages. What is chosen first is shown, the rest if there is room.
type others struct {
	*Conversation
	from   int // the first message with a quote
	last   int // the last one
	chosen []Other
	bytes  int
}

// Limits of one of them, in characters.
const (
	maxOtherText = 400 // of a message that is shown whole, or of both ends
	maxAround    = 600 // on either side of a quote in a long message
	maxResult    = 160 // of the result of a call that is shown
)

// label is how many bytes the words "message 1234567, writer: " take without the writer.
const label = 20

// choose adds passages, the newest first, up to a number of bytes of all that are chosen.
func (l *others) choose(passages []Other, most int) {
	slices.SortStableFunc(passages, func(a, b Other) int {
		return cmp.Or(cmp.Compare(b.Message, a.Message), cmp.Compare(b.of, a.of),
			cmp.Compare(b.start, a.start))
	})
	for _, p := range passages {
		at := slices.IndexFunc(l.chosen, func(c Other) bool {
			return c.Message == p.Message && c.of == p.of &&
				(strings.Contains(c.Text, p.Text) || overlap(c, p))
		})
		size := label + len(p.Writer)
		if at >= 0 {
			if c := &l.chosen[at]; !strings.Contains(c.Text, p.Text) {
				i := p.Message - l.first
				p = l.part(i, p.of, min(c.start, p.start), max(c.end, p.end))
			} else {
				continue
			}
			size = -len(l.chosen[at].Text)
		}
		if size += len(p.Text); p.Text == "" || l.bytes+size > most {
			continue
		}
		if l.bytes += size; at >= 0 {
			l.chosen[at] = p
		} else {
			l.chosen = append(l.chosen, p)
		}
	}
}

// overlap reports whether two passages of a message show some of the same words.
func overlap(a, b Other) bool {
	return a.end > 0 && b.end > 0 && a.start <= b.end+maxOtherText/2 &&
		b.start <= a.end+maxOtherText/2
}

// ends returns a text of a message as a passage: whole, or both ends of it.
func (l *others) ends(i int, text, writer string) Other {
	shown := bothEnds(normal.Plain(text), maxOtherText)
	return Other{Message: i + l.first, Writer: writer, Text: shown}
}

// result returns the result of a call as a passage, one without text if there is none.
func (l *others) result(call int) Other {
	i, of := l.calls[call].Result, 0
	if i < 0 {
		return Other{}
	}
	if l.calls[call].Hosted {
		of = 1 + slices.IndexFunc(l.outside[i], func(o outside) bool { return o.call == call })
		if of == 0 {
			return Other{} // it returned no text
		}
	}
	p := l.ends(i, l.cleaned(i).shown[of], string(speech.Tool))
	p.of = of
	return p
}

// part returns what is between two positions of one of the texts of a message, with words beside
// it.
func (l *others) part(i, of, start, end int) Other {
	text := l.cleaned(i).shown[of]
	p := Other{Message: i + l.first, Writer: string(l.writers[i]), Text: text, of: of}
	if of > 0 {
		p.Writer = string(speech.Tool)
	}
	if utf8.RuneCountInString(text) > maxOtherText {
		p.start, p.end = start, end
		p.Text = around(text, start, end, maxOtherText/4)
	}
	return p
}
