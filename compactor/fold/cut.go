package fold

import (
	"bytes"
	"fmt"
	"strings"

	"killick/compactor/checkpoint"
	"killick/compactor/preview"
	"killick/rawjson"
	"killick/summary/excerpt"
	"killick/transcript/speech"
	"killick/view"
	"killick/view/marks"
)

// message returns the kept form of a message with at most most tokens. It is cut once for all folds
// of a request.
func (k *Keeper) message(i, most int) checkpoint.Kept {
	key := cutKey{i, most}
	cut, ok := k.memo.cuts[key]
	if !ok {
		cut = k.cut(i, most)
		k.memo.cuts[key] = cut
	}
	if len(cut.original.Content) > 0 {
		k.keep(cut.original)
	}
	return cut.kept
}

func (k *Keeper) cut(i, most int) cutForm {
	m := &k.t.Messages[i]
	read := k.t.Message(i)
	kept := checkpoint.Kept{
		Index: i, Tokens: k.v.Tokens[i], Client: read.Speaker != speech.Person,
	}
	redacts := k.policy.PinRedaction().Of(read.Text) != read.Text
	if kept.Tokens <= most && !redacts {
		return cutForm{kept: kept}
	}
	c := cutter{Keeper: k, message: m, read: read, most: most}
	raw := c.cut()
	cut := cutForm{kept: kept, original: c.original}
	form, err := k.v.Parse(raw)
	if err != nil {
		return cut
	}
	tokens := k.count.Message(&form)
	if tokens >= kept.Tokens && !redacts {
		return cut
	}
	cut.kept.Raw, cut.kept.Tokens = raw, tokens
	return cut
}

// cutter shortens a user message. It removes text of the client and documents before words that a
// person typed, and marks what was removed, with the ref of the whole message.
type cutter struct {
	*Keeper
	message *view.Message
	read    *speech.Message
	most    int // tokens

	original checkpoint.Original // of the whole text, if the cut text has its ref
}

// cut returns the message with a shorter text.
func (c *cutter) cut() []byte {
	whole := c.read.Text
	text := c.policy.PinRedaction().Of(whole)
	if text == whole {
		text = c.withoutBlocks()
	}
	if tokens := c.count.Text(text); tokens > c.most {
		text = c.ends(text, tokens)
	}
	if c.read.Media {
		return c.message.WithContent(c.parts(text))
	}
	return c.message.WithContent(rawjson.AppendQuoted(nil, text))
}

// longBlock is the length in bytes from which a client's block or a document is removed to make a
// message shorter.
const longBlock = 300

// withoutBlocks returns the text with a mark in place of each long block and document, or of
// several that only white space parts.
func (c *cutter) withoutBlocks() string {
	var b strings.Builder
	text, spans := c.read.Text, c.read.Spans
	for i := 0; i < len(spans); i++ {
		if !long(&spans[i]) {
			b.WriteString(text[spans[i].Start:spans[i].End])
			continue
		}
		first := i
		for next := i + 1; next < len(spans); next++ {
			if long(&spans[next]) {
				i = next
			} else if strings.TrimSpace(text[spans[next].Start:spans[next].End]) != "" {
				break
			}
		}
		run := spans[first : i+1]
		b.WriteString(c.mark(nameOf(run), text[run[0].Start:spans[i].End]))
	}
	return b.String()
}

// long reports whether a span is a block or a document that is removed.
func long(s *speech.Span) bool { return !s.Kind.Typed() && s.End-s.Start >= longBlock }

// nameOf says what is removed.
func nameOf(run []speech.Span) string {
	blocks, documents := 0, 0
	for i := range run {
		switch {
		case !long(&run[i]):
		case run[i].Kind == speech.Document:
			documents++
		default:
			blocks++
		}
	}
	switch {
	case blocks == 0 && documents == 1:
		return "a document"
	case blocks == 0:
		return "documents"
	case documents == 0 && blocks == 1:
		return "a block of the client application"
	}
	return "blocks of the client application"
}

// ends returns the head and the tail of a text of this many tokens, which is more than most. The
// head gets three quarters of the room.
func (c *cutter) ends(text string, tokens int) string {
	keep := max(len(text)/max(tokens, 1)*c.most-len(markFormat)-80, 0)
	head := lineEnd(text, keep*3/4)
	tail := max(lineStart(text, len(text)-keep/4), head)
	return text[:head] + c.mark("the middle", text[head:tail]) + text[tail:]
}

// markFormat is the text in place of a part that is left out.
const markFormat = " […%s of about %s tokens left out here; ref=%s…] "

// mark returns the text that is sent in place of a part.
func (c *cutter) mark(what, part string) string {
	if c.original.Content == nil {
		c.original = checkpoint.NewOriginal(c.read.Text, c.refOf)
	}
	tokens := preview.Thousands(c.count.Text(part))
	return fmt.Sprintf(markFormat, what, tokens, c.original.Ref)
}

// parts returns a content with the text and, if there is room, the other parts of the message.
// Providers refuse a part without text.
func (c *cutter) parts(text string) []byte {
	spelling := c.v.Request.Format().Spelling()
	out := []byte{'['}
	if strings.TrimSpace(text) != "" {
		out = append(spelling.AppendText(out, rawjson.AppendQuoted(nil, text)), ',')
	}
	for part := range c.message.Parts() {
		if part.Text != nil {
			continue
		}
		if c.most < c.policy.MaxTaskTokens {
			out = append(spelling.AppendText(out, []byte(`"[…an attachment left out here…]"`)), ',')
			continue
		}
		// A cache mark here would be one too many once the client sets it elsewhere.
		out = append(append(out, marks.Without(part.Raw)...), ',')
	}
	return append(bytes.TrimSuffix(out, []byte(",")), ']')
}

// longestWord is how many bytes of a text at most are left out so that no line, or else no word or
// number, is cut in two: half a number is another number.
const longestWord = 100

// lineEnd returns the largest offset of at most n at which a line ends, or else a word.
func lineEnd(s string, n int) int {
	if i := strings.LastIndexByte(s[:n], '\n'); i >= n-longestWord && i > 0 {
		return i
	}
	return excerpt.CutEnd(s, n, n-longestWord)
}

// lineStart returns the smallest offset of at least n at which a line begins, or else a word.
func lineStart(s string, n int) int {
	if i := strings.IndexByte(s[n:min(len(s), n+longestWord)], '\n'); i >= 0 && n+i+1 < len(s) {
		return n + i + 1
	}
	return excerpt.CutStart(s, n, n+longestWord)
}
