package probe

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"killick/probe/normal"
	"killick/probe/value"
	"killick/transcript"
	"killick/transcript/speech"
)

const (
	newestSame = 2 // repeated calls and changed files of one statement
	nextWords  = 3 // texts of the assistant after its own
)

// Others returns what a verifier compares grounded statements with, beside their quotes. Of what is
// after the first of the quotes: the newest messages of the user; the newest results of calls that
// were made again, and the newest changes of files; passages that share words and values with a
// statement; and what the assistant wrote next. Also, what surrounds quotes in long messages, and
// what persons wrote before.
func (c *Conversation) Others(statements []Statement) []Other {
	l := &others{Conversation: c, from: len(c.texts)}
	for i := range statements {
		if at, ok := l.indexOf(statements[i].At); ok {
			l.from, l.last = min(l.from, at), max(l.last, at)
		}
	}
	l.newest()
	l.again(statements)
	l.sharing(statements, l.next(statements))
	l.results(statements)
	l.choose(l.own(statements), maxLater+maxOwn)
	l.choose(l.earlier(), maxLater+maxOwn+maxEarlier)
	slices.SortFunc(l.chosen, func(a, b Other) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.of, b.of),
			cmp.Compare(a.start, b.start))
	})
	return l.chosen
}

// newest chooses the newest messages of the user, who may retract something in any words.
func (l *others) newest() {
	var typed []Other
	for i := l.from + 1; i < len(l.texts); i++ {
		switch {
		case l.writers[i] == speech.Person:
			typed = append(typed, l.ends(i, l.cleaned(i).said, string(speech.Person)))
		case l.read.HasQueued(i):
			queued := strings.Join(speech.Queued(l.read.Text(i)), "\n")
			typed = append(typed, l.ends(i, normal.Line(l.redact(queued)), string(speech.Relayed)))
		}
	}
	l.choose(typed, maxLater/2)
}

// own returns what surrounds quotes in messages that a person or the assistant wrote: in these,
// words that retract a quote may be anywhere.
func (l *others) own(statements []Statement) (all []Other) {
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok || l.writers[of] != speech.Person && l.writers[of] != speech.Assistant {
			continue
		}
		clean := l.cleaned(of)
		text := clean.shown[0]
		at := strings.Index(text, normal.Plain(statements[s].Quote))
		if at < 0 || !strings.Contains(clean.said, statements[s].Quote) ||
			utf8.RuneCountInString(text) <= maxBeside ||
			statements[s].Passage == clean.outline.text { // the passage shows it
			continue
		}
		end := at + endOfFirst(text[at:], maxAround)
		all = append(all, l.part(of, 0, startOfLast(text[:at], maxAround), end))
	}
	return all
}

// earlier returns what persons wrote before the last of the quotes: it can say what all later
// messages are about.
func (l *others) earlier() (all []Other) {
	for i := range l.last {
		shown := func(p Other) bool { return p.Message == i+l.first }
		if l.writers[i] == speech.Person && !slices.ContainsFunc(l.chosen, shown) {
			all = append(all, l.ends(i, l.cleaned(i).said, string(speech.Person)))
		}
	}
	return all
}

// results chooses the results of calls that are shown: a call that failed changed nothing. What
// tools of the provider returned in the message of a quote is chosen too: its words are based on
// that.
func (l *others) results(statements []Statement) {
	var all []Other
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok {
			continue
		}
		quoted := 1 + l.outsideOf(of, statements[s].Quote)
		for n := 1; n <= len(l.outside[of]); n++ {
			if n != quoted {
				p := l.ends(of, l.cleaned(of).shown[n], string(speech.Tool))
				p.of = n
				all = append(all, p)
			}
		}
	}
	for _, p := range l.chosen {
		for _, n := range l.made[p.Message-l.first] {
			if p.of == 0 {
				r := l.result(n)
				r.Text = bothEnds(r.Text, maxResult)
				all = append(all, r)
			}
		}
	}
	l.choose(all, maxLater)
}

// next returns what the assistant wrote next after its own words: while it works, it may retract
// something in any words.
func (l *others) next(statements []Statement) (all []Other) {
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok || l.writers[of] != speech.Assistant || l.outsideOf(of, statements[s].Quote) >= 0 {
			continue
		}
		for i, n := of+1, 0; i < len(l.texts) && n < nextWords; i++ {
			if p := l.said(i); p.Text != "" {
				all = append(all, p)
				n++
			}
		}
	}
	return all
}

// said returns what the assistant wrote in a message as a passage, one without text if it wrote
// nothing.
func (l *others) said(i int) Other {
	if l.writers[i] != speech.Assistant {
		return Other{}
	}
	return l.ends(i, l.cleaned(i).said, string(speech.Assistant))
}

// again chooses the results of calls that were made again after a statement, and the newest changes
// of files that calls at the statement name.
func (l *others) again(statements []Statement) {
	changed, calls := l.newestChanges(), l.callsAt()
	var all []Other
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok {
			continue
		}
		var own []Other
		for _, n := range slices.Concat(calls[max(0, of-nearMessages) : of+1]...) {
			own = append(own, l.newestResult(of, n)...)
			for _, p := range l.calls[n].Paths {
				own = append(own, l.change(of, base(p.Name), changed)...)
			}
		}
		for _, v := range value.In(statements[s].Text) {
			if v.Kind == value.Path {
				own = append(own, l.change(of, base(v.Text), changed)...)
			}
		}
		slices.SortStableFunc(own, func(a, b Other) int {
			return cmp.Compare(b.Message, a.Message)
		})
		own = slices.Compact(own)
		all = append(all, own[:min(len(own), newestSame)]...)
	}
	l.choose(all, maxLater)
}

// newestChanges returns the newest call that may have changed each file, by the file's name.
func (l *others) newestChanges() map[string]int {
	changed := map[string]int{}
	for i := range l.read.Calls { // calls that the provider ran change no files
		c := &l.calls[i]
		for _, p := range c.Paths {
			if p.Effect == transcript.Writes || p.Effect == transcript.Deletes {
				changed[base(p.Name)] = i
			}
		}
		for _, change := range c.Changes() {
			changed[change.Name()] = i
		}
	}
	return changed
}

// callsAt returns, by message, the calls that it makes and those that it answers.
func (l *others) callsAt() [][]int {
	at := make([][]int, len(l.texts))
	for i := range l.calls {
		c := &l.calls[i]
		at[c.Caller] = append(at[c.Caller], i)
		if c.Result >= 0 && c.Result != c.Caller {
			at[c.Result] = append(at[c.Result], i)
		}
	}
	return at
}

// base returns the last part of a path.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// newestResult returns the newest result of a call, if it was made again after a message.
func (l *others) newestResult(of, call int) []Other {
	n := l.newestSame()[call]
	if n < 0 || l.calls[n].Caller <= of {
		return nil
	}
	if r := l.result(n); r.Text != "" {
		return []Other{r}
	}
	return nil
}

// change returns the newest change of a file with this name, if it was after a message.
func (l *others) change(of int, name string, changed map[string]int) []Other {
	n, ok := changed[name]
	if !ok || name == "" || l.calls[n].Caller <= of {
		return nil
	}
	caller := l.calls[n].Caller
	start := strings.LastIndex(l.cleaned(caller).shown[0], name)
	if start < 0 {
		return nil
	}
	return []Other{l.part(caller, 0, start, start+len(name))}
}
