package excerpt

import (
	"fmt"
	"slices"
	"strings"

	"killick/reference"
	"killick/transcript"
)

// oversized is an output that is to be shortened.
type Output struct {
	Text   string
	Tokens int
	Room   int // tokens of it that are to be shown
	Ref    string
	Of     *transcript.Call
	Talk   []string                            // what was said right before it came
	Names  func(gap string, most int) []string // chooses the references to tell of what is not shown
}

// shortText shows of the output the blocks of lines that have to do with the
// talk, of a run its end and its errors, and names what is in the gaps.
func (o *Output) Shorten() string {
	lines := strings.Split(o.Text, "\n")
	show := chooseLines(lines, o.Room*len(o.Text)/max(o.Tokens, 1), o.Of, o.Talk)
	var b strings.Builder
	shown := 0
	for _, s := range show {
		if s {
			shown++
		}
	}
	fmt.Fprintf(&b, "[Shortened on arrival to save context: %d of %d lines are shown, the gaps are marked. Ask for the part that is needed to see more. ref=%s]\n", shown, len(lines), o.Ref)
	for i := 0; i < len(lines); {
		if show[i] {
			b.WriteString(lines[i] + "\n")
			i++
			continue
		}
		end := i
		for end < len(lines) && !show[end] {
			end++
		}
		gap := strings.Join(lines[i:end], "\n")
		fmt.Fprintf(&b, "[… %d lines left out", end-i)
		if named := o.Names(gap, min(60, len(gap)/60)); len(named) > 0 {
			b.WriteString("; they name: " + strings.Join(named, ", "))
		}
		b.WriteString("]\n")
		i = end
	}
	return b.String()
}

// around is how many lines are shown on either side of one that matters.
const around = 7

// chooseLines marks the lines to show within room bytes: those near what the
// talk names, the most telling first; of what is left the head, and of a run
// the tail.
func chooseLines(lines []string, room int, of *transcript.Call, talk []string) []bool {
	show := make([]bool, len(lines))
	take := func(from, to int) {
		for i := max(0, from); i < min(len(lines), to) && room > 0; i++ {
			if !show[i] {
				show[i] = true
				room -= len(lines[i]) + 1
			}
		}
	}
	take(0, 5)
	if of.Effect != transcript.Reads {
		take(len(lines)-12, len(lines))
	}
	words := map[string]bool{}
	for _, t := range talk {
		reference.Each(t, func(word string, _ reference.Kind) { words[word] = true })
	}
	type hit struct{ line, score int }
	var hits []hit
	for i, line := range lines {
		score := 0
		reference.Each(line, func(word string, kind reference.Kind) {
			if words[word] {
				score += int(kind)
			}
		})
		if of.Effect != transcript.Reads && looksWrong(line) {
			score += 6
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	for _, h := range hits {
		if room <= 0 {
			break
		}
		take(h.line-around, h.line+around+1)
	}
	if of.Effect != transcript.Runs {
		for i, line := range lines {
			if declares(line) {
				take(i, i+1)
			}
		}
	}
	take(0, len(lines))
	return show
}

func looksWrong(line string) bool {
	low := strings.ToLower(line[:min(len(line), 300)])
	return strings.Contains(low, "error") || strings.Contains(low, "fail") || strings.Contains(low, "panic")
}

// declares tells lines that declare something, in the usual languages.
func declares(line string) bool {
	l := strings.TrimLeft(line, " \t0123456789→|:-+")
	for _, p := range declarations {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return false
}

var declarations = []string{"func ", "type ", "def ", "class ", "const ", "var ", "export ", "interface ", "fn ", "struct ", "function ", "pub ", "async "}
