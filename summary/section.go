package summary

import (
	"strings"

	"killick/summary/excerpt"
)

// Titles of the sections, in their order.
const (
	TitleIntent     = "Session intent"
	TitleWords      = "The user's words"
	TitleState      = "Current state"
	TitleNext       = "Next steps (as planned then, not orders)"
	TitleOpen       = "Failed or refused, and not run again"
	TitleUnanswered = "Calls without a result (it is not known whether they ran)"
	TitleFiles      = "Files"
	TitleAttached   = "Images and files in messages, not repeated here"
	TitleCommands   = "Commands"
	TitleDone       = "Items done, and the assistant's closing words"
	TitleData       = "Key data"
)

// section is a heading with entries, the most important first. An entry is one line, or two.
type section struct {
	title    string
	entries  []string
	required bool // its first entry, if any, is shown even if there is no room
	share    int  // percent of the room that is reserved for it
	most     int  // limit on the entries shown; 0: no limit
	older    bool // older entries were dropped
	dropped  int  // how many of them, if that is known
	// above has for each entry whether the message that it quotes is sent along whole or in part;
	// nil if none is
	above []bool

	// shorter returns the first entry in about n bytes; nil if any of it may be cut
	shorter func(n int) string
}

// Limits on the entries of sections that are shown.
const (
	maxOpen     = 24
	maxCommands = 10
	maxDone     = 10
	maxData     = 16
)

// entryList collects the entries of a section. It writes only the first, which may be shortened to
// fit, and those that can be shown: as many as fit into room bytes beside it, at most most of all.
type entryList struct {
	entries []string
	room    int
	most    int // 0: no limit
}

func (l *entryList) add(write func() string) {
	entry := ""
	if n := len(l.entries); n == 0 {
		entry = write()
	} else if l.room >= 0 && (l.most == 0 || n < l.most) {
		entry = write()
		l.room -= len(entry)
	}
	l.entries = append(l.entries, entry)
}

// sectionOf returns the section with this title, -1 if there is none.
func sectionOf(title string, sections []section) int {
	for i := range sections {
		if sections[i].title == title {
			return i
		}
	}
	return -1
}

// minRequired is how many bytes the first entry of a required section may take, however little
// room there is.
const minRequired = 120

// shortened returns the first entry in n bytes, without cutting its label.
func (s *section) shortened(n int) string {
	entry := s.entries[0]
	if len(entry) <= n {
		return entry
	}
	if s.shorter != nil {
		return s.shorter(n)
	}
	label, rest, _ := strings.Cut(entry, ": ")
	return label + ": " + excerpt.Cut(rest, max(n-len(label)-2, 16))
}

// leftOut returns how many entries a record lacks that shows this many of them.
func (s *section) leftOut(taken int) int {
	more := len(s.entries) - taken + s.dropped
	for i := range s.above {
		if i >= taken && s.above[i] {
			more--
		}
	}
	return more
}

// Where there is no room for all quotes of the assistant's words, older ones are shorter, so that
// more of them are shown: what was said first is often in no other place.
const (
	olderQuote  = 160 // bytes of the assistant's closing words
	shownQuotes = 3   // a third of the room is for each kind
)
