package summary

import (
	"fmt"
	"strings"
	"testing"

	"killick/transcript/speech"
)

// thermostat returns a summary of n requests, each answered by the assistant and followed by a
// terse message. The newest is first.
func thermostat(n int) *Summary {
	sum := &Summary{First: 1, Last: 3*n + 2, Task: 1, Latest: 3 * n,
		State: &Quote{At: 3*n + 2, By: speech.Assistant, Text: "All rooms are set."}}
	for i := n; i > 0; i-- {
		report := Quote{At: 3*i - 1, By: speech.Assistant,
			Text: fmt.Sprintf("At night room %d is at %d degrees now, as you wished.", i, 15+i)}
		sum.Reports = append(sum.Reports, report)
		sum.Words = append(sum.Words, UserQuote{Answers: &report,
			Quote: Quote{At: 3 * i, By: speech.Person, Text: "and the next room?"}})
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
			want = append(want, "- "+r.line())
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
