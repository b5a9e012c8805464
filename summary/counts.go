package summary

import (
	"fmt"
	"strings"
)

// What a record says of what it leaves out. [Counts] reads it back.
const (
	moreLeftOut  = "(%d more left out)" // below the entries of a section
	olderLeftOut = "(%d more left out, and older ones)"
	olderOnly    = "(older ones left out)"
	leftOut      = " (%d left out)" // behind the title of a section that shows none
	nothingUnder = "Nothing is shown of these messages under: "
	unsaidEntry  = "%d older messages of the user are not shown"
	namesHeading = "\n## Names in calls and messages that are no longer here\n"
)

// Count is how much of a section records show. An item is an entry of the section, and
// each message of a person that is only counted.
type Count struct {
	Title    string `json:"title"`
	Items    int    `json:"items"` // that there are
	Shown    int    `json:"shown"` // of them
	Complete bool   `json:"complete"`
}

// Counts reads from the texts of the records of one conversation how much of each
// section they show together, in the order of the sections, and how many names they
// list. It sees what the model sees: nothing from outside begins a line of a record,
// so its headings and entries are those that [Summary.Render] wrote.
func Counts(records ...string) (sections []Count, names int) {
	// The entries of a summary of nothing say that there is nothing.
	empty := new(Summary).sections("")
	sections = make([]Count, len(empty))
	for _, record := range records {
		names += countRecord(record, empty, sections)
	}
	for i := range sections {
		c := &sections[i]
		c.Title, c.Complete = empty[i].title, c.Shown == c.Items
	}
	return sections, names
}

// countRecord adds to sections what a record shows, and returns the number of its names.
func countRecord(record string, empty []section, sections []Count) (names int) {
	at, inNames := -1, false // the section that a line stands under, -1 if none
	for l := range strings.SplitSeq(record, "\n") {
		title, heading := strings.CutPrefix(l, "## ")
		entry, isEntry := strings.CutPrefix(l, "- ")
		more := 0
		switch {
		case heading:
			at, inNames = sectionOf(title, empty), title == strings.Trim(namesHeading, "\n# ")
		case strings.HasPrefix(l, nothingUnder):
			at, inNames = -1, false
			countLeftOut(l, empty, sections)
		case inNames && isEntry:
			names += namesIn(entry)
		case at < 0:
		case isEntry:
			sections[at].entry(entry, &empty[at])
		default:
			if n, _ := fmt.Sscanf(l, moreLeftOut, &more); n == 1 {
				sections[at].Items += more
			}
		}
	}
	return names
}

// entry counts an entry, which of a summary of nothing is none.
func (c *Count) entry(entry string, empty *section) {
	unsaid := 0
	if len(empty.entries) == 1 && entry == empty.entries[0] {
		return
	}
	if n, _ := fmt.Sscanf(entry, unsaidEntry, &unsaid); n == 1 &&
		entry == fmt.Sprintf(unsaidEntry, unsaid) {
		c.Items += unsaid
		return
	}
	c.Items++
	c.Shown++
}

// countLeftOut counts the entries of sections that show none.
func countLeftOut(l string, empty []section, sections []Count) {
	for _, part := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(l, nothingUnder), "."),
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

// sectionOf returns the section of a title, -1 if it is none.
func sectionOf(title string, sections []section) int {
	for i := range sections {
		if sections[i].title == title {
			return i
		}
	}
	return -1
}

// namesIn returns the number of names in a line of the index: they have no spaces and
// stand behind the call that showed them.
func namesIn(entry string) int {
	return len(strings.Fields(entry[strings.LastIndex(entry, ": ")+1:]))
}
