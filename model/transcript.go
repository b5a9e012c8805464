package model

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"killick/chat"
)

// Lengths of what is shown of a message to a standalone model, in bytes, where
// there is room for them.
const (
	shownOutput = 2000 // of a tool's output and of a call's arguments
	shownText   = 8000 // of what somebody said
	shownParts  = 4    // times as much of a message with many parts and calls
)

// smallest is how many times shorter than that messages are shown at most.
const smallest = 16

// shown is a message as text: credentials taken out, images and the like left
// out with a mark. It is shortened when it is written.
type shown struct {
	number int
	role   chat.Role
	said   []string
	calls  []string
}

// transcript returns the messages of a span as text, with their numbers.
func (f fence) transcript(span Span) []shown {
	redact, msgs := f.c.opt.Redact, span.Messages
	all := make([]shown, len(msgs))
	for i := range msgs {
		m := &msgs[i]
		s := shown{number: i + span.first(), role: m.Role()}
		for part := range m.Parts() {
			if part.Text == nil {
				s.said = append(s.said, "["+mediaName(part.Type)+" left out]")
				continue
			}
			s.said = append(s.said, redact(part.Text.Text()))
		}
		for _, call := range m.ToolCalls() {
			s.calls = append(s.calls, redact(call.Name+" "+call.Arguments.Text()))
		}
		all[i] = s
	}
	return all
}

// roleName names a role in one word of ours, since a client may write anything for
// one.
func roleName(r chat.Role) string {
	switch r {
	case chat.System, chat.Developer, chat.User, chat.Assistant, chat.Tool, chat.Function:
		return string(r)
	}
	return "other"
}

// mediaName says what a part is that is not text, in one word.
func mediaName(kind string) string {
	for _, known := range []string{"image", "audio", "file", "video"} {
		if strings.Contains(kind, known) {
			return known
		}
	}
	return "part"
}

// write writes a message, shortened to an nth of what could be shown of it.
func (f fence) write(b *strings.Builder, s shown, nth int) {
	f.open(b, fmt.Sprintf("message %d, %s", s.number, roleName(s.role)))
	most := shownText / nth
	if s.role.Result() {
		most = shownOutput / nth
	}
	left := shownParts * most
	put := func(before, text, after string, most int) {
		if left <= 0 {
			return
		}
		text = before + shorten(text, min(most, left)) + after + "\n"
		left -= len(text)
		b.WriteString(text)
	}
	for _, text := range s.said {
		put("", text, "", most)
	}
	for _, call := range s.calls {
		put("[calls ", call, "]", shownOutput/nth)
	}
}

// pieces cuts a transcript into texts of at most room tokens each, not more than
// most of them. Where it has to, it shows less of each message. ok is false where
// even that is not enough.
func (f fence) pieces(all []shown, room, most int) (texts []string, ok bool) {
	for nth := 1; nth <= smallest; nth *= 2 {
		if texts, ok = f.pack(all, room, nth); ok && len(texts) <= most {
			return texts, true
		}
	}
	return nil, false
}

func (f fence) pack(all []shown, room, nth int) (texts []string, ok bool) {
	var piece, one strings.Builder
	used := 0
	for _, s := range all {
		one.Reset()
		f.write(&one, s, nth)
		tokens := f.c.opt.Count(one.String())
		if tokens > room {
			return nil, false
		}
		if used+tokens > room {
			texts = append(texts, piece.String())
			piece.Reset()
			used = 0
		}
		piece.WriteString(one.String())
		used += tokens
	}
	return append(texts, piece.String()), true
}

// sample returns as much of a transcript as fits into one text of room tokens: all
// of it, shortened, or else its beginning and its end with a mark between them.
func (f fence) sample(all []shown, room int) string {
	if texts, ok := f.pieces(all, room, 1); ok {
		return texts[0]
	}
	written := make([]string, len(all))
	tokens := make([]int, len(all))
	for i, s := range all {
		var b strings.Builder
		f.write(&b, s, smallest)
		written[i] = b.String()
		tokens[i] = f.c.opt.Count(written[i])
	}
	head, used := 0, 0
	for head < len(all) && used+tokens[head] <= room/3 {
		used += tokens[head]
		head++
	}
	tail := len(all)
	for tail > head && used+tokens[tail-1] <= room {
		tail--
		used += tokens[tail]
	}
	return strings.Join(written[:head], "") + fmt.Sprintf("[%d messages left out]\n", tail-head) + strings.Join(written[tail:], "")
}

// shorten returns the head and the tail of a text of more than n bytes, cut at
// characters.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := n*2/3, len(text)-n/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", text[:head], tail-head, text[tail:])
}
