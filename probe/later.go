package probe

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// Later is a passage of a message after the quotes of statements. It may show that a statement no
// longer holds.
type Later struct {
	Message int // its number
	Writer  string
	Text    string

	start, end int // what it is about in its message; both 0 if it is not from one place
}

// Limits of later passages.
const (
	maxLaterBytes = 24 << 10 // of all of them
	maxLaterText  = 400      // characters of a message that is shown whole, or of both ends
	newestWords   = 8        // closing words of the assistant
	newestSame    = 2        // repeated calls and changed files of one statement
	nextWords     = 3        // texts of the assistant after its own
)

// label is how many bytes the words "message 1234567, writer: " take without the writer.
const label = 20

// LaterPassages returns what a verifier compares grounded statements with, beside their quotes: the
// newest messages of the user and the last words of the assistant; the newest results of calls
// that were made again, and the newest changes of files; and passages that share words and values
// with a statement. All are after the first of the quotes. msgs begin with the messages that the
// statements are about, and may go on; first is the number of the first of them. redact removes
// credentials from a message before it is cut.
func LaterPassages(
	statements []Statement, msgs []view.Message, first int, redact func(text string) string,
) []Later {
	l := &later{turns: readTurns(msgs, first), clean: make([]string, len(msgs)), from: len(msgs)}
	for i := range statements {
		if at, ok := l.indexOf(statements[i].At); ok {
			l.from = min(l.from, at)
		}
	}
	for i := l.from; i < len(msgs); i++ {
		var text string
		if l.writers[i] == speech.Person { // without what the client added
			text = redact(strings.ToValidUTF8(l.read.Message(i).Words(), "\uFFFD"))
		} else {
			text = l.without(i, redact)
		}
		l.clean[i] = plain(oneLine(text))
	}
	l.newest(redact)
	l.again(statements)
	l.sharing(statements, l.next(statements, redact))
	slices.SortFunc(l.chosen, func(a, b Later) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.start, b.start))
	})
	return l.chosen
}

// later chooses later passages. What is chosen first is shown, the rest if there is room.
type later struct {
	turns
	from   int      // the first message with a quote
	clean  []string // by message from there on: its text, on one line, without credentials
	chosen []Later
	bytes  int
}

// choose adds passages, the newest first, up to a number of bytes of all that are chosen.
func (l *later) choose(passages []Later, most int) {
	slices.SortStableFunc(passages, func(a, b Later) int {
		return cmp.Or(cmp.Compare(b.Message, a.Message), cmp.Compare(b.start, a.start))
	})
	for _, p := range passages {
		at := slices.IndexFunc(l.chosen, func(c Later) bool {
			return c.Message == p.Message && (strings.Contains(c.Text, p.Text) || overlap(c, p))
		})
		size := label + len(p.Writer)
		if at >= 0 {
			if c := &l.chosen[at]; !strings.Contains(c.Text, p.Text) {
				p = l.part(p.Message-l.first, min(c.start, p.start), max(c.end, p.end))
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
func overlap(a, b Later) bool {
	return a.end > 0 && b.end > 0 && a.start <= b.end+maxLaterText/2 &&
		b.start <= a.end+maxLaterText/2
}

// newest chooses the newest messages of the user: what a user takes back they may take back in any
// words. And the assistant's last words before each of the user's, which say how things are then.
func (l *later) newest(redact func(string) string) {
	var typed, words []Later
	closing := true
	for i := len(l.clean) - 1; i > l.from; i-- {
		text, isTyped := l.clean[i], l.writers[i] == speech.Person
		switch {
		case isTyped:
		case l.read.HasQueued(i):
			queued := strings.Join(speech.Queued(l.read.Text(i)), "\n")
			text = plain(oneLine(redact(strings.ToValidUTF8(queued, "\uFFFD"))))
			isTyped = true
		case closing && len(words) < newestWords:
			if p := l.said(i, redact); p.Text != "" {
				words = append(words, p)
				closing = false
			}
		}
		closing = closing || isTyped
		if isTyped {
			writer := speech.Person
			if l.writers[i] != speech.Person {
				writer = speech.Relayed
			}
			typed = append(typed, l.ends(i, text, string(writer)))
		}
	}
	l.choose(typed, maxLaterBytes/2)
	l.choose(words, maxLaterBytes)
}

// next returns what the assistant wrote next after its own words: what it takes back while it works
// it may take back in any words.
func (l *later) next(statements []Statement, redact func(string) string) (all []Later) {
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok || l.writers[of] != speech.Assistant {
			continue
		}
		for i, n := of+1, 0; i < len(l.clean) && n < nextWords; i++ {
			if p := l.said(i, redact); p.Text != "" {
				all = append(all, p)
				n++
			}
		}
	}
	return all
}

// said returns what the assistant wrote in a message as a passage, one without text if it wrote
// nothing.
func (l *later) said(i int, redact func(string) string) Later {
	if l.writers[i] != speech.Assistant {
		return Later{}
	}
	text := strings.ToValidUTF8(l.read.Messages[i].Text(), "\uFFFD")
	return l.ends(i, plain(oneLine(redact(text))), string(speech.Assistant))
}

// ends returns a text of a message as a passage: whole, or both ends of it.
func (l *later) ends(i int, text, writer string) Later {
	return Later{Message: i + l.first, Writer: writer, Text: bothEnds(text, maxLaterText)}
}

// part returns what is between two positions of a message, with words beside it.
func (l *later) part(i, start, end int) Later {
	text := l.clean[i]
	p := Later{Message: i + l.first, Writer: string(l.writers[i]), Text: text}
	if utf8.RuneCountInString(text) > maxLaterText {
		p.start, p.end = start, end
		p.Text = around(text, start, end, maxLaterText/4)
	}
	return p
}

// again chooses the results of calls that were made again after a statement, and the newest changes
// of files that calls at the statement name.
func (l *later) again(statements []Statement) {
	changed := map[string]int{} // by name of a file: the newest call that may have changed it
	calls := l.read.Calls
	for i := range calls {
		c := &calls[i]
		for _, p := range c.Paths {
			if p.Effect == transcript.Writes || p.Effect == transcript.Deletes {
				changed[base(p.Name)] = i
			}
		}
		for _, change := range c.Changes() {
			changed[change.Name()] = i
		}
	}
	at := make([][]int, len(l.clean)) // by message: its calls, and those that it answers
	for i := range calls {
		at[calls[i].Caller] = append(at[calls[i].Caller], i)
		if result := calls[i].Result; result >= 0 {
			at[result] = append(at[result], i)
		}
	}
	var all []Later
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok {
			continue
		}
		var own []Later
		for i := max(0, of-nearMessages); i <= of; i++ {
			for _, n := range at[i] {
				own = append(own, l.result(of, n)...)
				for _, p := range calls[n].Paths {
					own = append(own, l.change(of, base(p.Name), changed)...)
				}
			}
		}
		for _, v := range Values(statements[s].Text) {
			if v.Kind == Path {
				own = append(own, l.change(of, base(v.Text), changed)...)
			}
		}
		slices.SortStableFunc(own, func(a, b Later) int {
			return cmp.Compare(b.Message, a.Message)
		})
		own = slices.Compact(own)
		all = append(all, own[:min(len(own), newestSame)]...)
	}
	l.choose(all, maxLaterBytes)
}

// base returns the last part of a path.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// result returns the newest result of a call, if it was made again after a message.
func (l *later) result(of, call int) []Later {
	n := l.newestSame()[call]
	if n < 0 || l.read.Calls[n].Caller <= of {
		return nil
	}
	result := l.read.Calls[n].Result
	return []Later{l.ends(result, l.clean[result], string(speech.Tool))}
}

// change returns the newest change of a file with this name, if it was after a message.
func (l *later) change(of int, name string, changed map[string]int) []Later {
	n, ok := changed[name]
	if !ok || name == "" || l.read.Calls[n].Caller <= of {
		return nil
	}
	caller := l.read.Calls[n].Caller
	start := strings.LastIndex(l.clean[caller], name)
	if start < 0 {
		return nil
	}
	return []Later{l.part(caller, start, start+len(name))}
}
