package summary

import (
	"fmt"
	"strings"
	"testing"

	"killick/summary/excerpt"
	"killick/summary/names"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/speech"
)

// crowd returns a summary with more of everything than any room has space for.
func crowd() *Summary {
	sum := &Summary{
		First: 1, Last: 4000, Folds: 9, Task: 1, Latest: 3990, Originals: "k7q2w9",
		State: &quotes.Quote{At: 3999, By: speech.Assistant,
			Text: strings.Repeat("The last words are long. ", 30)},
		LastCall: &Call{At: 3998, Text: "Bash(" + strings.Repeat("make everything; ", 14) + ")"},
		Kept:     []Kept{{At: 1, Class: KeptPerson}, {At: 3990, Class: KeptPerson, Cut: true}},
		Repairs:  []string{"17 user: " + strings.Repeat("a repaired line ", 20)},
	}
	for i := range 60 {
		long := strings.Repeat("and so on ", 30)
		sum.Words = append(sum.Words,
			quotes.UserQuote{Quote: quotes.Quote{At: 3900 - i, By: speech.Person, Text: long}})
		sum.Reports = append(sum.Reports, quotes.Quote{At: 3900 - i,
			By: speech.Assistant, Text: long})
		sum.Files = append(sum.Files,
			File{Path: fmt.Sprintf("/srv/app/folder_%d/file_%d.go", i, i),
				Uses: []Use{{Tool: "Edit", Times: 2, Last: i}}, Changed: i%2 == 0})
		sum.Calls = append(sum.Calls,
			Outcome{At: i, Tool: "Bash", What: long, Runs: i%2 == 0,
				Status: transcript.Status(i % 3), Exit: -1, Times: 1, Output: "the end"})
		sum.Todos = append(sum.Todos,
			transcript.Todo{Text: long,
				Status: []transcript.TodoStatus{transcript.TodoOpen, transcript.TodoActive,
					transcript.TodoDone}[i%3], At: i})
		for j := range 20 {
			sum.Names = append(sum.Names,
				names.Name{Word: fmt.Sprintf("nameNumber%d", 20*i+j), Of: "Bash(make)", At: i})
		}
	}
	return sum
}

// However little room there is, each required section that has entries shows one, and every other
// is named with the number of those that were left out.
func TestRequiredSectionsNeverVanish(t *testing.T) {
	for _, sum := range []*Summary{crowd(), full(3), {First: 1, Last: 2}} {
		for _, room := range []int{0, 1, 200, 300, 400, 500, 600, 700, 800, 2000} {
			record := sum.Render(Room{Summary: room, All: room})
			none := ""
			if i := strings.Index(record, "\nLeft out for lack of room: "); i >= 0 {
				none, _, _ = strings.Cut(record[i+1:], "\n")
			}
			for _, s := range sum.sections(sum.directory(), 1<<20) {
				lines := linesUnder(record, s.title)
				named := strings.Contains(none, s.title)
				if s.required && len(s.entries) > 0 &&
					(len(lines) == 0 || !strings.HasPrefix(lines[0], "- ")) {
					t.Errorf("in %d bytes: nothing under %s:\n%s", room, s.title, record)
				}
				if named == (len(lines) > 0 || len(s.entries) == 0) {
					t.Errorf("in %d bytes: %s is named as left out %t, with %d lines of %d", room,
						s.title, named, len(lines), len(s.entries))
				}
				left := fmt.Sprintf("%s (%d left out)", s.title, len(s.entries)+s.dropped)
				if named && len(s.entries) > 0 && !strings.Contains(none, left) {
					t.Errorf("in %d bytes: %q is not among %q", room, left, none)
				}
			}
			if room > 0 && room <= 800 && len(record) > room+1860 {
				t.Errorf("in %d bytes: a record of %d", room, len(record))
			}
		}
	}
}

// What a person answered to a question of the agent is shown before what other calls returned, in
// any room.
func TestAnswersToQuestionsAreShown(t *testing.T) {
	sum := crowd()
	sum.Calls = append(sum.Calls, Outcome{At: 2, Tool: "AskUserQuestion", What: "How?", Exit: -1,
		Times: 1, Output: "User has answered your questions: keep both"})
	for _, room := range []int{0, 400, 800, 3000} {
		lines := linesUnder(sum.Render(Room{Summary: room, All: room}), TitleData)
		if len(lines) == 0 || !strings.HasPrefix(lines[0], "- 2 AskUserQuestion(How?) → User ") {
			t.Errorf("in %d bytes: %q", room, lines)
		}
	}
}

// A record with all of its parts (introduction, sections, pins, repairs, names) does not exceed its
// room.
func TestRecordsKeepToTheirRoom(t *testing.T) {
	const most = 16_000
	pinned := []Pinned{{At: 5, Of: "get_policy()",
		Text: strings.Repeat("Refunds take 17 days and a form.\n", 100)},
		{At: 9, Of: "assistant", Text: "IMPORTANT"}}
	for name, c := range map[string]struct {
		change func(*Summary)
		room   Room
	}{
		"all of it":     {func(*Summary) {}, Room{Summary: most, All: most}},
		"half of it":    {func(*Summary) {}, Room{Summary: most / 2, All: most}},
		"without names": {func(s *Summary) { s.Names = nil }, Room{Summary: most, All: most}},
		"with pins": {func(s *Summary) { s.Pinned = pinned },
			Room{Summary: most, All: most}},
		"with pins, apart": {func(s *Summary) { s.Pinned = pinned },
			Room{Summary: most * 3 / 4, All: most}},
	} {
		sum := crowd()
		c.change(sum)
		record := sum.Render(c.room)
		if len(record) > most {
			t.Errorf("%s: %d bytes, at most %d are allowed", name, len(record), most)
		}
		for _, p := range sum.Pinned {
			if !strings.Contains(record, excerpt.Block(p.Text)) {
				t.Errorf("%s: the pinned message %d is cut", name, p.At)
			}
		}
	}
}
