package summary

import (
	"slices"
	"strings"

	"killick/summary/excerpt"
)

// fitted returns the sections and how many entries of each are shown. The assistant's words that
// stand beside a message of the user are repeated in their own section only if that message is not
// shown.
func (sum *Summary) fitted(dir string, room int) (sections []section, taken []int) {
	sum = sum.shortened(room)
	sections = sum.sections(dir, room)
	words, done := sectionOf(TitleWords, sections), sectionOf(TitleDone, sections)
	state := sectionOf(TitleState, sections)
	for shown := len(sections[words].entries); ; {
		if taken = fit(sections, dir, room); taken[words] >= shown {
			sum.pointToLastCall(sections, taken)
			return sections, taken
		}
		shown = taken[words]
		sections[words].most = shown // and no more
		sections[done].entries = sum.completed(room, shown)
		sections[state].entries = sum.state(dir, room, shown)
	}
}

// pointToLastCall names the last call without its arguments if a section shows the same.
func (sum *Summary) pointToLastCall(sections []section, taken []int) {
	if sum.LastCall == nil {
		return
	}
	state := sections[sectionOf(TitleState, sections)].entries
	line := &state[len(state)-1]
	call := strings.TrimPrefix(*line, sum.LastCall.label())
	tool, _, _ := strings.Cut(call, "(")
	for _, title := range []string{TitleOpen, TitleUnanswered, TitleCommands, TitleData} {
		at := sectionOf(title, sections)
		for _, entry := range sections[at].entries[:taken[at]] {
			if short := tool + listedBelow; len(short) < len(call) &&
				strings.HasPrefix(entry, call) {
				*line = sum.LastCall.label() + short
				return
			}
		}
	}
}

// fit chooses how many entries of each section are shown: first those that fit into the section's
// share of the room; then, in the order of the sections, those that fit into the remaining room, up
// to a third of all room for one section. What is left is for what calls returned, the last
// section, and then for the assistant's closing words. The first entry of a required section is
// shortened so that it fits.
func fit(sections []section, dir string, room int) []int {
	taken, used := make([]int, len(sections)), make([]int, len(sections))
	left := room
	if dir != "" {
		left -= maxDirectoryLine
	}
	for i := range sections {
		if s := &sections[i]; len(s.entries) > 0 {
			left -= len(s.title) + len("\n## \n") + len(olderLeftOut) + len("9999\n") - len("%d")
		}
	}
	take := func(i, bound int) {
		for s := &sections[i]; taken[i] < len(s.entries) &&
			(s.most == 0 || taken[i] < s.most); taken[i]++ {
			cost := len(s.entries[taken[i]]) + len("- \n")
			if used[i]+cost > bound || cost > left {
				return
			}
			used[i] += cost
			left -= cost
		}
	}
	for i := range sections {
		if s := &sections[i]; s.required && len(s.entries) > 0 {
			most := max(room*s.share/100, minRequired)
			s.entries[0] = s.shortened(most)
			cost := len(s.entries[0]) + len("- \n")
			taken[i], used[i] = 1, cost
			left -= cost
		}
	}
	for i := range sections {
		take(i, room*sections[i].share/100)
	}
	for i := range sections {
		take(i, room/3)
	}
	take(sectionOf(TitleData, sections), room)
	take(sectionOf(TitleDone, sections), room)
	return taken
}

// maxDirectoryLine limits the line that names the folder that paths are relative to.
const maxDirectoryLine = 120

// shortened returns the summary with shorter quotes where room bytes do not suffice. The newest
// quote of each kind stays.
func (sum *Summary) shortened(room int) *Summary {
	s := *sum
	size := 0
	for i := range s.Words {
		size += len(s.Words[i].Text)
		if s.Words[i].Answers != nil {
			size += len(s.Words[i].Answers.Text)
		}
	}
	if size > room/shownQuotes {
		s.Words = slices.Clone(s.Words)
		for i := 1; i < len(s.Words); i++ {
			if q := s.Words[i].Answers; q != nil {
				short := *q
				short.Text = excerpt.ShorterQuestion(q.Text)
				s.Words[i].Answers = &short
			}
		}
	}
	size = 0
	for i := range s.Reports[:min(len(s.Reports), maxDone)] {
		size += len(s.Reports[i].Text)
	}
	if size > room/shownQuotes {
		s.Reports = slices.Clone(s.Reports)
		for i := 1; i < len(s.Reports); i++ {
			s.Reports[i].Text = excerpt.Cut(s.Reports[i].Text, olderQuote)
		}
	}
	return &s
}
