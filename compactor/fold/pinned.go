package fold

import (
	"cmp"
	"slices"
	"strings"

	"killick/compactor/history"
	"killick/compactor/settings"
	"killick/summary"
	"killick/summary/describe"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// quotes returns the pinned text in the messages [from, to) that persons did not write, after the
// pinned text among known. A record quotes it. The error is ErrPins if there is not enough room.
func (k *Keeper) quotes(from, to int, known []summary.Pinned) ([]summary.Pinned, error) {
	pinned := slices.DeleteFunc(slices.Clone(known), func(p summary.Pinned) bool {
		return p.Again || p.Opens
	})
	if len(k.policy.Pins) == 0 {
		return pinned, nil
	}
	for i := from; i < to; i++ {
		m, of := &k.t.Messages[i], ""
		c := k.t.Answered(i)
		switch role := m.Role(); {
		case role == view.Assistant && k.policy.Pins.OfAssistant(m):
			of = string(speech.Assistant)
		case role.Result(), c >= 0: // also the result of a call in text
			name := ""
			if c >= 0 {
				of = describe.Call(&k.t.Calls[c], 100)
			}
			if c >= 0 && !k.t.Calls[c].Written {
				name = k.t.Calls[c].Made().Name
			}
			if !k.policy.Pins.OfOutput(m, name) {
				continue
			}
			of = cmp.Or(of, string(speech.Tool))
		}
		text := k.t.Text(i)
		same := func(p summary.Pinned) bool { return p.Text == text }
		if of == "" || slices.ContainsFunc(pinned, same) {
			continue
		}
		pinned = append(pinned, summary.Pinned{
			At: i + 1, Of: of, Text: k.policy.PinRedaction().Of(text),
		})
		if len(pinned) > maxPinned { // each text is compared with all of them
			return nil, ErrPins
		}
	}
	bytes := 0
	for i := range pinned {
		bytes += shownBytes(pinned[i].Text)
	}
	if bytes > k.policy.SummaryBytes/2 {
		return nil, ErrPins
	}
	return pinned, nil
}

// opening returns the text that the conversation opens with, if it is the assistant's: all of it,
// or as many of its first and last lines as there is room for beside pinned. It may be all that
// says what persons asked for, as the history that an agent hands over to the next one
// (nest_handoff_history of OpenAI's Agents SDK), or set the scene of a role play.
func (k *Keeper) opening(pinned []summary.Pinned) []summary.Pinned {
	if k.t.Messages[0].Role() != view.Assistant {
		return nil
	}
	text, last := strings.TrimSpace(k.policy.Redact.Of(k.t.Text(0))), ""
	same := func(p summary.Pinned) bool { return strings.TrimSpace(p.Text) == text }
	if text == "" || slices.ContainsFunc(pinned, same) {
		return nil
	}
	if room := k.quoteRoom(pinned); shownBytes(text) > room {
		if text, last = endsOf(text, room); last == "" {
			return nil
		}
	}
	return []summary.Pinned{
		{At: 1, Of: string(speech.Assistant), Text: text, Last: last, Opens: true},
	}
}

// endsOf returns the first and the last lines of a text that a record shows in this number of
// bytes; "" if there are no last ones.
func endsOf(text string, room int) (first, last string) {
	lines := strings.Split(text, "\n")
	room -= 2 * shownBytes("")
	bytesOf := func(line string) int { return shownBytes(line+"\n") - shownBytes("") }
	begin, end := 0, len(lines)
	for left := room * 2 / 3; begin < end && bytesOf(lines[begin]) <= left; begin++ {
		left, room = left-bytesOf(lines[begin]), room-bytesOf(lines[begin])
	}
	for ; begin < end && bytesOf(lines[end-1]) <= room; end-- {
		room -= bytesOf(lines[end-1])
	}
	return strings.Join(lines[:begin], "\n"), strings.Join(lines[end:], "\n")
}

// quoteRoom returns the bytes that pinned texts leave for others that are quoted whole.
func (k *Keeper) quoteRoom(pinned []summary.Pinned) int {
	room := k.policy.SummaryBytes / 2
	for i := range pinned {
		room -= shownBytes(pinned[i].Text)
		if last := pinned[i].Last; last != "" {
			room -= shownBytes(last)
		}
	}
	return room
}

// fetchedAgain returns the outputs among known, and in [from, to), that the agent fetched again
// after they were hidden, as far as there is room beside pinned: it is likely to need them once
// more. That may be a procedure that a tool returned and that the agent follows step by step. Of
// files the working set shows lines, and a command is run again for its effects.
func (k *Keeper) fetchedAgain(
	h *history.History, from, to int, pinned, known []summary.Pinned,
) (again []summary.Pinned) {
	var found []summary.Pinned
	for i := range known {
		if isAgain(known[i]) {
			found = append(found, known[i])
		}
	}
	for i, fetched := range h.Again {
		c := &k.t.Calls[i]
		if fetched && c.Effect == transcript.Other && c.Via == nil && !c.Stub &&
			!c.MayHaveFailed() && c.Caller >= from && c.Result >= 0 && c.Result < to {
			found = append(found, summary.Pinned{At: c.Result + 1, Of: k.nameOf(c),
				Text: k.policy.Redact.Of(k.t.Text(c.Result)), Again: true})
		}
	}
	room := k.quoteRoom(pinned)
	for _, p := range k.unchanged(from, to, found) {
		same := func(q summary.Pinned) bool { return q.Text == p.Text }
		if n := shownBytes(p.Text); n <= room && len(pinned)+len(again) < maxPinned &&
			!slices.ContainsFunc(pinned, same) && !slices.ContainsFunc(again, same) {
			room -= n
			again = append(again, p)
		}
	}
	return again
}

func isAgain(p summary.Pinned) bool { return p.Again }

// unchanged drops the outputs whose call returned another result later in [from, to).
func (k *Keeper) unchanged(from, to int, outputs []summary.Pinned) []summary.Pinned {
	latest := map[string]string{} // by the call
	for _, p := range outputs {
		latest[p.Of] = p.Text
	}
	if len(latest) == 0 {
		return nil
	}
	for i := range k.t.Calls {
		c := &k.t.Calls[i]
		if c.Caller < from || c.Result < 0 || c.Result >= to || c.Stub {
			continue
		}
		name := k.nameOf(c)
		if _, quoted := latest[name]; quoted {
			latest[name] = k.policy.Redact.Of(k.t.Text(c.Result))
		}
	}
	return slices.DeleteFunc(outputs, func(p summary.Pinned) bool { return latest[p.Of] != p.Text })
}

// nameOf returns a call as a heading names it.
func (k *Keeper) nameOf(c *transcript.Call) string {
	return k.policy.Redact.Of(describe.Call(c, 100))
}

// shownBytes returns the most bytes that a record takes to show a pinned text: a heading, and a
// mark at the beginning of each line.
func shownBytes(text string) int {
	const heading, mark = 200, 4
	n := heading + mark + len(text)
	for _, r := range text {
		if r < ' ' || r == 0x85 || r == 0x2028 || r == 0x2029 {
			n += mark
		}
	}
	return n
}

// pinned returns the messages of persons in [from, to) that the operator's pins select.
func (k *Keeper) pinned(from, to int) (held []int, err error) {
	if len(k.policy.Pins) == 0 {
		return nil, nil
	}
	tokens := 0
	seen := map[string]bool{}
	for _, i := range k.selected(from, to) {
		words := k.t.Message(i).Words()
		if seen[words] {
			continue
		}
		seen[words] = true
		held = append(held, i)
		tokens += k.v.Tokens[i]
	}
	if len(held) > maxPinned || tokens > pinRoom(k.policy) {
		return nil, ErrPins
	}
	return held, nil
}

// pinRoom returns the most tokens that pinned messages may take.
func pinRoom(p *settings.Policy) int { return 4 * p.MaxTaskTokens }
