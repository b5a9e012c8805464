package summary

import (
	"fmt"
	"slices"
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/summary/names"
)

// The texts by which a record reports what it leaves out. [Counts] reads them back.
const (
	moreLeftOut  = "(%d more left out)" // below the entries of a section
	olderLeftOut = "(%d more left out, and older ones)"
	olderOnly    = "(older ones left out)"
	leftOut      = " (%d left out)"              // after the title of a section that shows none
	leftOutWhole = "Left out for lack of room: " // sections that show no entry
)

// The line that names the folder without which a record writes paths.
const pathsIn, withoutFolder = "Paths in ", " are written without it."

// References returns the references in a record. A path that the record writes without its folder
// is among them with it, too.
func References(record string) []string {
	_, line, _ := strings.Cut(record, "\n"+pathsIn)
	line, _, _ = strings.Cut(line, "\n")
	// In the index, numbers beside each other are not parts of one.
	_, index, _ := strings.Cut(record, names.Heading)
	index, _, _ = strings.Cut(index, "\n\n")
	listed := strings.Fields(index)
	if dir, ok := strings.CutSuffix(line, withoutFolder); ok {
		return slices.Concat(names.WordsIn(dir, record), listed)
	}
	return slices.Concat(names.Words(record), listed)
}

// sectionsText renders the sections with as many entries of each as were taken. Sections of which
// none was taken are named at the end.
func sectionsText(sections []section, taken []int, dir string) string {
	var b strings.Builder
	if dir != "" {
		b.WriteString(pathsIn + excerpt.Line(describe.Inside(dir)) + withoutFolder + "\n")
	}
	var none []string
	for i, s := range sections {
		more := s.leftOut(taken[i])
		if taken[i] == 0 {
			if len(s.entries) > 0 && more > 0 {
				none = append(none, s.title+fmt.Sprintf(leftOut, more))
			}
			continue
		}
		b.WriteString("\n## " + s.title + "\n")
		for _, entry := range s.entries[:taken[i]] {
			b.WriteString("- " + entry + "\n")
		}
		switch {
		case s.older && more == 0:
			b.WriteString(olderOnly + "\n")
		case s.older:
			fmt.Fprintf(&b, olderLeftOut+"\n", more)
		case more > 0:
			fmt.Fprintf(&b, moreLeftOut+"\n", more)
		}
	}
	if len(none) > 0 {
		b.WriteString("\n" + leftOutWhole + strings.Join(none, "; ") + ".\n")
	}
	return b.String()
}
