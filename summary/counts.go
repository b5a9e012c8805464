package summary

import (
	"fmt"
	"strings"

	"killick/summary/names"
)

// Count is how much of a section the records show. An item is an entry of the section.
type Count struct {
	Title    string `json:"title"`
	Items    int    `json:"items"` // in total
	Shown    int    `json:"shown"` // of the items
	Complete bool   `json:"complete"`
}

// Counts reads the records of one conversation and returns how much of each section they show
// together, in the order of the sections, and how many names they list. It sees what the model
// sees: no text from outside begins a line of a record, so all headings and entries were written by
// [Summary.Render].
func Counts(records ...string) (sections []Count, named int) {
	// The entries of an empty summary say that there is nothing.
	empty := new(Summary).sections("", 0)
	sections = make([]Count, len(empty))
	older := make([]bool, len(empty)) // older entries of the section are no longer known
	for _, record := range records {
		named += countRecord(record, empty, sections, older)
	}
	for i := range sections {
		c := &sections[i]
		c.Title, c.Complete = empty[i].title, c.Shown == c.Items && !older[i]
	}
	return sections, named
}

// countRecord adds to sections what a record shows, and returns the number of its names. It sets
// older for sections whose older entries were dropped.
func countRecord(
	record string, empty []section, sections []Count, older []bool,
) (named int) {
	at, inNames := -1, false // the section of the current line, -1 if none
	for l := range strings.SplitSeq(record, "\n") {
		title, heading := strings.CutPrefix(l, "## ")
		entry, isEntry := strings.CutPrefix(l, "- ")
		more := 0
		switch {
		case heading:
			at, inNames = sectionOf(title, empty), title == strings.Trim(names.Heading, "\n# ")
		case strings.HasPrefix(l, leftOutWhole):
			at, inNames = -1, false
			countLeftOut(l, empty, sections)
		case inNames && isEntry:
			named += names.Count(entry)
		case at < 0:
		case isEntry:
			sections[at].entry(entry, &empty[at])
		default:
			if n, _ := fmt.Sscanf(l, moreLeftOut, &more); n == 1 {
				sections[at].Items += more
			}
			older[at] = older[at] || l == olderOnly
		}
	}
	return named
}

// entry counts an entry, unless it says that there is nothing.
func (c *Count) entry(entry string, empty *section) {
	if len(empty.entries) == 1 && entry == empty.entries[0] {
		return
	}
	c.Items++
	c.Shown++
}

// countLeftOut counts the entries of sections that show none, in the line that lists these.
func countLeftOut(l string, empty []section, sections []Count) {
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(l, leftOutWhole),
		"."),
		"; ") {
		for i := range empty {
			more := 0
			rest, ok := strings.CutPrefix(part, empty[i].title)
			if n, _ := fmt.Sscanf(rest, leftOut, &more); ok && n == 1 {
				sections[i].Items += more
			}
		}
	}
}
