package compactor

import (
	"fmt"
	"slices"
	"strings"

	"killick/chat"
)

// The door is an opt-in stage before any trigger: an oversized output is
// shortened when it first arrives, before it ever enters the provider's prompt
// cache. What is shown of it follows from the output, its call and what was said
// right before alone, so it reads the same at every later turn.

// shortening is an output in its short form.
type shortening struct {
	message  chat.Message
	handle   string
	tokens   int // of the short form, and of the original
	original int
}

func (s *shortening) pays() bool { return s.tokens > 0 && s.original-s.tokens >= s.original/4 }

// door is what shortening needs beside the messages.
type door struct {
	policy *Policy
	limit  int // outputs of more tokens are oversized; 0: none is
	memo   *shortMemo
	who    string
	count  Counter
	handle func(content []byte) string
	fresh  []string // originals that were shortened for the first time
}

// pass puts the short forms of oversized outputs in their places.
func (d *door) pass(v *view) {
	if d.limit <= 0 {
		return
	}
	var calls []call
	var answers []int
	again := d.repeats(v)
	for i := range v.msgs {
		m := &v.msgs[i]
		if v.tokens[i] <= d.limit && !again[i] || !m.Role().Result() || !m.OnlyText() {
			continue
		}
		if answers == nil {
			calls, answers = readCalls(v.msgs, v.groups)
		}
		c := answers[i]
		if c < 0 || d.policy.excluded(calls[c].name) || d.policy.pins.hold(m, calls[c].name) || calls[c].ranged() && !again[i] {
			continue
		}
		if s := d.shorten(v, i, &calls[c], again[i]); s.pays() {
			v.shorten(i, s)
		}
	}
	v.sumUp()
}

// shorten returns the short form of message i, the output of a call. again: it is
// told shortly before, word for word.
func (d *door) shorten(v *view, i int, of *call, again bool) shortening {
	m := &v.msgs[i]
	var talk []string
	if !again {
		talk = talkBefore(v.msgs, i, of)
	}
	key := newShortKey(d.who, d.limit, m, talk)
	if s, ok := d.memo.get(key); ok {
		return s
	}
	text := m.Text()
	s := shortening{handle: d.handle([]byte(text)), original: v.tokens[i]}
	short := ""
	if again {
		short = d.policy.redact.of(repeatText(s.original, of, s.handle))
	} else {
		short = shortText(text, s.original, d.limit/2, s.handle, of, talk, d.policy.redact.namesIn(text))
	}
	raw := masked(m, short)
	if form, err := chat.ParseMessage(raw); err == nil && len(raw) < len(m.Raw) {
		s.message, s.tokens = form, d.count.Message(&form)
	}
	if s.pays() {
		d.fresh = append(d.fresh, text)
	}
	d.memo.put(key, s)
	return s
}

// talkBefore returns what was said right before an output came: the call with
// its message, the two assistant messages before, the last request.
func talkBefore(msgs []chat.Message, i int, of *call) []string {
	talk := []string{of.args, msgs[of.caller].Text()}
	assistants, users := 0, 0
	for j := of.caller - 1; j >= max(0, of.caller-12) && (assistants < 2 || users < 1); j-- {
		switch m := &msgs[j]; {
		case m.Role() == chat.Assistant && assistants < 2:
			assistants++
			talk = append(talk, m.Text())
		case m.Role() == chat.User && users < 1:
			users++
			talk = append(talk, m.Text())
		}
	}
	return talk
}

// shortText shows of an output the blocks of lines that have to do with the
// talk, of a run its end and its errors, and says which of the references in the
// gaps names gives. room is in tokens.
func shortText(text string, tokens, room int, ref string, of *call, talk []string, names func(gap string, n int) []string) string {
	lines := strings.Split(text, "\n")
	room = room * len(text) / max(tokens, 1) // in bytes
	show := chooseLines(lines, room, of, talk)
	var b strings.Builder
	shown := 0
	for _, s := range show {
		if s {
			shown++
		}
	}
	fmt.Fprintf(&b, "[Shortened on arrival to save context: %d of %d lines are shown, the gaps are marked. Ask for the part that is needed to see more. ref=%s]\n", shown, len(lines), ref)
	for i := 0; i < len(lines); {
		if show[i] {
			b.WriteString(lines[i] + "\n")
			i++
			continue
		}
		end := i
		for end < len(lines) && !show[end] {
			end++
		}
		gap := strings.Join(lines[i:end], "\n")
		fmt.Fprintf(&b, "[… %d lines left out", end-i)
		if named := names(gap, min(60, len(gap)/60)); len(named) > 0 {
			b.WriteString("; they name: " + strings.Join(named, ", "))
		}
		b.WriteString("]\n")
		i = end
	}
	return b.String()
}

// around is how many lines are shown on either side of one that matters.
const around = 7

// chooseLines marks the lines to show within room bytes: those near what the
// talk names, the most telling first; of what is left the head, and of a run
// the tail.
func chooseLines(lines []string, room int, of *call, talk []string) []bool {
	show := make([]bool, len(lines))
	take := func(from, to int) {
		for i := max(0, from); i < min(len(lines), to) && room > 0; i++ {
			if !show[i] {
				show[i] = true
				room -= len(lines[i]) + 1
			}
		}
	}
	take(0, 5)
	if of.kind != callReads {
		take(len(lines)-12, len(lines))
	}
	words := map[string]bool{}
	for _, t := range talk {
		eachRef(t, func(word string, _ refKind) { words[word] = true })
	}
	type hit struct{ line, score int }
	var hits []hit
	for i, line := range lines {
		score := 0
		eachRef(line, func(word string, kind refKind) {
			if words[word] {
				score += int(kind)
			}
		})
		if of.kind != callReads && looksWrong(line) {
			score += 6
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	for _, h := range hits {
		if room <= 0 {
			break
		}
		take(h.line-around, h.line+around+1)
	}
	if of.kind != callRuns {
		for i, line := range lines {
			if declares(line) {
				take(i, i+1)
			}
		}
	}
	take(0, len(lines))
	return show
}

func looksWrong(line string) bool {
	low := strings.ToLower(line[:min(len(line), 300)])
	return strings.Contains(low, "error") || strings.Contains(low, "fail") || strings.Contains(low, "panic")
}

// declares tells lines that declare something, in the usual languages.
func declares(line string) bool {
	l := strings.TrimLeft(line, " \t0123456789→|:-+")
	for _, p := range declarations {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return false
}

var declarations = []string{"func ", "type ", "def ", "class ", "const ", "var ", "export ", "interface ", "fn ", "struct ", "function ", "pub ", "async "}
