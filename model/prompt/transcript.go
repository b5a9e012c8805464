package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"killick/view"
)

// Maximum lengths of parts of a message, in bytes, if there is room for them.
const (
	shownOutput = 2000 // of a tool's output and of a call's arguments
	shownText   = 8000 // of any other text
	shownParts  = 4    // times as much of a message with many parts and calls
)

// maxReduction is the maximum factor by which messages are shortened further.
const maxReduction = 16

// Transcript is messages as fenced texts. They are shortened on writing.
type Transcript struct {
	fence    Fence
	messages []message
}

// message is one message as text, without credentials, and with placeholders for images and
// the like.
type message struct {
	number  int
	role    view.Role
	texts   []string
	calls   []string
	outside []string // what tools of the provider returned, and the pages and files that it cites
}

// Transcript returns messages as texts. first is the number of the first of them.
func (f Fence) Transcript(msgs []view.Message, first int) Transcript {
	t := Transcript{fence: f, messages: make([]message, len(msgs))}
	for i := range msgs {
		m := &msgs[i]
		shown := message{number: i + first, role: m.Role()}
		for _, text := range textsOf(m) {
			shown.texts = append(shown.texts, f.redact(string(text)))
		}
		f.hosted(&shown, m)
		for _, call := range m.ToolCalls() {
			shown.calls = append(shown.calls, f.redact(call.Name+" "+call.Text()))
		}
		t.messages[i] = shown
	}
	return t
}

// textsOf returns the texts of a message, each whole, and placeholders for images and the like.
func textsOf(m *view.Message) (texts [][]byte) {
	for part := range m.Parts() {
		switch n := len(texts); {
		case part.Text == nil && m.Is(view.Hosts): // a call that the provider ran, or its result
		case part.Text == nil:
			texts = append(texts, []byte("["+mediaName(part.Type)+" left out]"))
		case n > 0 && part.Continues:
			texts[n-1] = part.Text.AppendText(texts[n-1])
		default:
			texts = append(texts, part.Text.AppendText(nil))
		}
	}
	return texts
}

// hosted adds the calls in a message that the provider ran, their results and what it cites.
func (f Fence) hosted(shown *message, m *view.Message) {
	var results []*view.HostedResult
	for _, made := range m.HostedCalls() {
		if made.Name != "" {
			arguments := (&view.ToolCall{Arguments: made.Arguments}).Text()
			shown.calls = append(shown.calls, f.redact(made.Name+" "+arguments))
		}
		if made.Result != nil {
			results = append(results, made.Result)
		}
	}
	for _, r := range append(results, m.CitedBeside(results)) {
		if text := r.Readable(); text != "" {
			shown.outside = append(shown.outside, f.redact(text))
		}
	}
}

// roleName names a role in a fixed word: a client may send anything as a role.
func roleName(r view.Role) string {
	switch r {
	case view.System, view.Developer, view.User, view.Assistant, view.Tool, view.Function:
		return string(r)
	}
	return "other"
}

// mediaName names a part that is not text, in one word.
func mediaName(kind string) string {
	for _, known := range []string{"image", "audio", "file", "video"} {
		if strings.Contains(kind, known) {
			return known
		}
	}
	return "part"
}

// write writes a message, shortened to an nth of the maximum lengths.
func (t Transcript) write(b *strings.Builder, m message, nth int) {
	limit := shownText / nth
	if m.role.Result() {
		limit = shownOutput / nth
	}
	left := shownParts * limit
	name := func(role string) string { return fmt.Sprintf("message %d, %s", m.number, role) }
	put := func(before, text, after string, limit int) {
		if left <= 0 {
			return
		}
		text = before + Shorten(text, min(limit, left)) + after + "\n"
		left -= len(text)
		b.WriteString(text)
	}
	t.fence.open(b, name(roleName(m.role)))
	for _, text := range m.texts {
		put("", text, "", limit)
	}
	for _, call := range m.calls {
		put("[calls ", call, "]", shownOutput/nth)
	}
	for _, text := range m.outside {
		if left > 0 { // a part of its own: nothing in it can seem to be the message's
			t.fence.open(b, name(string(view.Tool)))
		}
		put("", text, "", shownOutput/nth)
	}
}

// Pieces splits the transcript into at most most texts of at most room tokens each. If
// necessary, it shows less of each message. ok is false if even that is not enough.
func (t Transcript) Pieces(room, most int) (texts []string, ok bool) {
	for nth := 1; nth <= maxReduction; nth *= 2 {
		if texts, ok = t.pack(room, nth); ok && len(texts) <= most {
			return texts, true
		}
	}
	return nil, false
}

func (t Transcript) pack(room, nth int) (texts []string, ok bool) {
	var piece, one strings.Builder
	used := 0
	for _, m := range t.messages {
		one.Reset()
		t.write(&one, m, nth)
		tokens := t.fence.count(one.String())
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

// Sample returns as much of the transcript as fits into one text of room tokens: all of it,
// shortened, or else its beginning and its end with a marker in between.
func (t Transcript) Sample(room int) string {
	if texts, ok := t.Pieces(room, 1); ok {
		return texts[0]
	}
	written := make([]string, len(t.messages))
	tokens := make([]int, len(t.messages))
	for i, m := range t.messages {
		var b strings.Builder
		t.write(&b, m, maxReduction)
		written[i] = b.String()
		tokens[i] = t.fence.count(written[i])
	}
	head, used := 0, 0
	for head < len(written) && used+tokens[head] <= room/3 {
		used += tokens[head]
		head++
	}
	tail := len(written)
	for tail > head && used+tokens[tail-1] <= room {
		tail--
		used += tokens[tail]
	}
	return strings.Join(written[:head], "") +
		fmt.Sprintf("[%d messages left out]\n", tail-head) +
		strings.Join(written[tail:], "")
}

// Shorten returns the head and the tail of a text of more than n bytes, cut at
// characters.
func Shorten(text string, n int) string {
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
