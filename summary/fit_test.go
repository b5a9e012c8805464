package summary

import (
	"fmt"
	"strings"
	"testing"

	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript/speech"
)

// thermostat returns a summary of n requests, each answered by the assistant and followed by a
// terse message. The newest is first.
func thermostat(n int) *Summary {
	sum := &Summary{First: 1, Last: 3*n + 2, Task: 1, Latest: 3 * n,
		State: &quotes.Quote{At: 3*n + 2, By: speech.Assistant, Text: "All rooms are set."}}
	for i := n; i > 0; i-- {
		report := quotes.Quote{At: 3*i - 1, By: speech.Assistant,
			Text: fmt.Sprintf("At night room %d is at %d degrees now, as you wished.", i, 15+i)}
		sum.Reports = append(sum.Reports, report)
		sum.Words = append(sum.Words, quotes.UserQuote{Answers: &report,
			Quote: quotes.Quote{At: 3 * i, By: speech.Person, Text: "and the next room?"}})
	}
	return sum
}

// What the assistant said is shown beside the message that followed it, or in its own section if
// that message is not shown. Otherwise only older words would remain, as if they still held.
func TestWordsBesideWhatIsLeftOutAreShown(t *testing.T) {
	sum := thermostat(12)
	for _, room := range []int{1200, 1600, 2000, 2400, 9000} {
		record := sum.Render(Room{Summary: room, All: room})
		beside := strings.Count(record, "\n  after ")
		var want []string
		for _, r := range sum.Reports[beside:] {
			want = append(want, "- "+r.Line())
		}
		got := linesUnder(record, TitleDone)
		if len(want) > 0 && (len(got) == 0 || got[0] != want[0]) {
			t.Errorf("in %d bytes, with %d shown beside messages: %q is shown first, want %q",
				room, beside, got, want[0])
		}
		for _, r := range sum.Reports {
			if strings.Count(record, r.Text) > 1 {
				t.Errorf("in %d bytes: %q is shown twice", room, r.Text)
			}
		}
	}
}

// A message that is sent along is not left out, even if the record has no room to quote it.
func TestMessagesThatAreSentAlongAreNotLeftOut(t *testing.T) {
	for _, every := range []int{1, 2} { // all of them are sent along, or the newer half
		sum := thermostat(12)
		for i := range sum.Words[:len(sum.Words)/every] {
			sum.Kept = append(sum.Kept, Kept{At: sum.Words[i].At, Class: KeptPerson})
		}
		for _, room := range []int{300, 1200, 2000} {
			record := sum.Render(Room{Summary: room, All: room})
			shown := strings.Count(record, "\n  after ")
			more := 0
			for i, w := range sum.Words {
				if i >= shown && i >= len(sum.Words)/every {
					more++
				} else if i >= shown && !strings.Contains(record, "stand above") {
					t.Errorf("message %d is nowhere", w.At)
				}
			}
			want, lines := fmt.Sprintf(moreLeftOut, more), linesUnder(record, TitleWords)
			if shown == 0 {
				want, lines = fmt.Sprintf(TitleWords+leftOut, more), []string{record}
			}
			if got := strings.Contains(lines[len(lines)-1], want); got != (more > 0) {
				t.Errorf("in %d bytes, %d of them not sent along: %q is stated: %t\n%s",
					room, more, want, got, record)
			}
			if more == 0 && strings.Contains(lines[len(lines)-1], "left out") && shown > 0 {
				t.Errorf("in %d bytes something is left out:\n%s", room, record)
			}
		}
	}
}

// The assistant's last words stand in the current state, or else beside the message that followed
// them, but not in both: a record of a chat has little room.
func TestTheLastWordsStandOnce(t *testing.T) {
	const words = "Room 12 is at 27 degrees now. Shall I set the next one, too, or is that all?"
	last := quotes.Quote{At: 40, By: speech.Assistant, Text: words}
	long := quotes.Quote{At: 40, By: speech.Assistant, Text: strings.Repeat(words+" ", 9)}
	beside := quotes.Quote{At: 40, By: speech.Assistant,
		Text: long.Text[:150] + excerpt.Gap + long.Text[:300]}
	for _, c := range []struct {
		name           string
		room           int
		state, answers quotes.Quote
		want           string
	}{
		{"there is room for both", 2000, last, last, "last words: message 40, quoted above"},
		{"the message is not shown", 300, last, last, "40 assistant: " + words},
		{"there is no room for more", 2000, long, beside, "last words: message 40, quoted above"},
		{"there is room for more", 9000, long, beside, "40 assistant: " + long.Text},
	} {
		sum := &Summary{First: 1, Last: 41, Task: 1, Latest: 41, State: &c.state,
			Words: []quotes.UserQuote{{
				Quote:   quotes.Quote{At: 41, By: speech.Person, Text: "the next one"},
				Answers: &c.answers}}}
		record := sum.Render(Room{Summary: c.room, All: c.room})
		got := linesUnder(record, TitleState)
		if len(got) != 1 || strings.TrimSpace(got[0]) != strings.TrimSpace("- "+c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Sections without entries take no room: the calls of an agent that works on no files fill it.
func TestEmptySectionsTakeNoRoom(t *testing.T) {
	sum := &Summary{First: 1, Last: 99, Task: 1, Latest: 1,
		LastCall: &Call{At: 98, Text: "book(98)"}}
	for i := range maxData {
		sum.Calls = append(sum.Calls, Outcome{At: 98 - i, Tool: "book", Exit: -1, Times: 1,
			What: strings.Repeat("x", 40), Output: strings.Repeat("y", 40)})
	}
	const room = 1600
	entry := len("- " + sum.Calls[0].line(nil) + "\n")
	record := sum.Render(Room{Summary: room, All: room})
	if left := room - len(record); left > entry+3*len(olderLeftOut) {
		t.Errorf("%d bytes are left, an entry takes %d:\n%s", left, entry, record)
	}
}

// However much of one kind there is, its section takes at most a third of the room.
func TestNoSectionTakesMoreThanAThird(t *testing.T) {
	const room = 3000
	record := thermostat(60).Render(Room{Summary: room, All: room})
	_, words, _ := strings.Cut(record, "\n## "+TitleWords+"\n")
	words, _, _ = strings.Cut(words, "\n## ")
	entries, _, _ := strings.Cut(words, "\n(")
	if n := len(entries); n > room/3 || n < room/5 {
		t.Errorf("%d of %d bytes, want a fifth to a third:\n%s", n, room, record)
	}
}
