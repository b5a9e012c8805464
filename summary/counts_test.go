package summary

import (
	"fmt"
	"strings"
	"testing"

	"killick/summary/names"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/speech"
)

// full returns a summary with n entries of each kind.
func full(n int) *Summary {
	sum := &Summary{First: 1, Last: 4 * n, Task: 1, Latest: n, WordsLeftOut: 3,
		State: &quotes.Quote{At: n, By: speech.Assistant,
			Text: strings.Repeat("a long last word ", 30)}}
	for i := 1; i <= n; i++ {
		quote := quotes.Quote{At: i, By: speech.Person,
			Text: "3 older messages of the user are not shown"}
		sum.Words = append(sum.Words,
			quotes.UserQuote{Quote: quote,
				Answers: &quotes.Quote{At: i - 1, By: speech.Assistant, Text: "## Files"}})
		sum.Files = append(sum.Files,
			File{Path: fmt.Sprintf("/src/a/file_%d.go", i),
				Uses: []Use{{Tool: "Write", Times: 1, Last: i}}, Changed: i%2 == 0})
		sum.Calls = append(sum.Calls,
			Outcome{At: i, Tool: "bash", What: "go test: all", Runs: true, Exit: i % 2,
				Status: transcript.Failed},
			Outcome{At: i, Tool: "bash", What: "go vet", Runs: true, Exit: -1})
		sum.Names = append(sum.Names,
			names.Name{Word: fmt.Sprintf("name_%d.go:12", i), Of: "bash(git commit -m fix: x)",
				At: i / 3})
	}
	return sum
}

// Counts reads the choices of the rendering back from a record.
func TestCountsMatchRendering(t *testing.T) {
	for _, n := range []int{1, 4, 30} {
		for _, room := range []Room{{Summary: 500, All: 1000}, {Summary: 2000, All: 4000},
			{Summary: 6000, All: 16000}, {Summary: 100_000, All: 200_000}} {
			sum := full(n)
			sections, taken := sum.fitted(sum.directory(), room.Summary)
			record := sum.Render(room)
			counts, names := Counts(record)
			for i, s := range sections {
				want := Count{Title: s.title, Items: len(s.entries) + s.dropped, Shown: taken[i]}
				if s.title == TitleNext { // its one entry says that there is nothing
					want.Items, want.Shown = 0, 0
				}
				want.Complete = want.Items == want.Shown
				if counts[i] != want {
					t.Errorf("%d of each in %v: got %+v, want %+v:\n%s", n, room, counts[i],
						want, record)
				}
			}
			if want := strings.Count(record, " name_"); names != want {
				t.Errorf("%d of each in %v: %d names, want %d", n, room, names, want)
			}
		}
	}
}

func TestCountsOfSeveralRecordsAddUp(t *testing.T) {
	room := Room{Summary: 100_000, All: 200_000}
	one, names := Counts(full(4).Render(room))
	two, both := Counts(full(4).Render(room), full(4).Render(room))
	if both != 2*names {
		t.Errorf("%d names in two records, %d in one", both, names)
	}
	for i := range one {
		if want := (Count{one[i].Title, 2 * one[i].Items, 2 * one[i].Shown,
			one[i].Complete}); two[i] != want {
			t.Errorf("got %+v, want %+v", two[i], want)
		}
	}
}

func TestCountsOfEmptyRecords(t *testing.T) {
	for name, records := range map[string][]string{
		"no record": nil, "an empty one": {""}, "no record of ours": {"- a\n## b\n- c"},
		"nothing listed": {new(Summary).Render(Room{Summary: 2000, All: 2000})},
	} {
		sections, names := Counts(records...)
		if len(sections) == 0 || names != 0 {
			t.Errorf("%s: %d sections, %d names", name, len(sections), names)
		}
		for _, c := range sections {
			if c.Title == "" || c.Items != 0 || c.Shown != 0 || !c.Complete {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// A section whose older entries were dropped is not complete, even if all others are shown.
func TestCountsOfDroppedEntries(t *testing.T) {
	sum := full(4)
	sum.Older.Files = true
	counts, _ := Counts(sum.Render(Room{Summary: 100_000, All: 200_000}))
	for _, c := range counts {
		if c.Title == TitleFiles && (c.Complete || c.Shown != c.Items) {
			t.Errorf("%+v, want all known entries and not complete", c)
		}
	}
}
