package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ItemKind is what an item of the replaced turns is.
type ItemKind string

// The kinds.
const (
	TaskItem    ItemKind = "task"
	RequestItem ItemKind = "request"
	FileItem    ItemKind = "file"
	FailingItem ItemKind = "failing command"
	TodoItem    ItemKind = "open todo"
	PinItem     ItemKind = "pin"
)

// Item is something that the replaced turns hold by structure, and the texts by any
// one of which a record holds it too.
type Item struct {
	Kind  ItemKind
	Texts []string
}

// Coverage is how many of the items a record holds. It says nothing about whether
// the record is true.
type Coverage struct {
	Held int `json:"held"`
	Of   int `json:"of"`
}

// Score is the share of the items that are held, 1 where there are none.
func (c Coverage) Score() float64 {
	if c.Of == 0 {
		return 1
	}
	return float64(c.Held) / float64(c.Of)
}

// Cover counts the items that stand in a record or in texts that are kept beside it,
// and returns the missing ones in their order. White space and letter case are
// folded; a text stands only as whole words and whole names. An item without a text
// counts as missing.
func Cover(items []Item, record string, kept ...string) (c Coverage, missing []Item) {
	texts := make([]string, 0, 1+len(kept))
	for _, text := range append([]string{record}, kept...) {
		texts = append(texts, lower(oneLine(text)))
	}
	for _, item := range items {
		c.Of++
		if item.heldBy(texts) {
			c.Held++
		} else {
			missing = append(missing, item)
		}
	}
	return c, missing
}

func (i *Item) heldBy(texts []string) bool {
	for _, want := range i.Texts {
		want = lower(oneLine(want))
		for _, text := range texts {
			if stands(want, text) {
				return true
			}
		}
	}
	return false
}

// stands reports whether text holds want, and not as a part of a longer word or
// name. Scripts without blanks have no such parts.
func stands(want, text string) bool {
	if want == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(want)
	last, _ := utf8.DecodeLastRuneInString(want)
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(want):])
		if (!within(first) || !within(before)) && (!within(last) || !within(after)) {
			return true
		}
		from = i + len(want)
	}
}

// within reports whether r may stand inside a word or name.
func within(r rune) bool {
	return r != utf8.RuneError && !unspaced(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
