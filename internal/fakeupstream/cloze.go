package fakeupstream

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"killick/internal/fakeserver"
)

// gap stands for the word that a question asks for.
const gap = "____"

type (
	question struct {
		Category string `json:"category"`
		Question string `json:"question"`
		Expected string `json:"expected"`
		Message  int    `json:"message,omitempty"`
	}
	answered struct {
		Number int    `json:"number"`
		Answer string `json:"answer"`
	}
)

var categories = [...]string{
	taskFact: "recall", ruleFact: "recall", decisionFact: "decision", doneFact: "artifact",
	failedFact: "continuation", openFact: "continuation", nextFact: "continuation",
	stateFact: "continuation", valueFact: "recall",
}

// questions puts a gap into facts, of one category after the other: what has a
// value or a prohibition to ask for comes first, the seed chooses among equals.
func (s *Scripted) questions(a asked) string {
	byCategory := map[string][]question{}
	score := map[string]float64{}
	for _, f := range facts(a.turns) {
		q, worth := questionOf(f)
		if worth == 0 {
			continue
		}
		q.Message = f.number
		score[q.Question] = worth + s.chance(f.text)
		byCategory[q.Category] = append(byCategory[q.Category], q)
	}
	put := []question{}
	for round := 0; len(put) < a.most; round++ {
		more := false
		for _, category := range []string{"recall", "decision", "artifact", "continuation"} {
			all := byCategory[category]
			if round == 0 {
				slices.SortStableFunc(all, func(a, b question) int {
					return cmp.Compare(score[b.Question], score[a.Question])
				})
			}
			if round < len(all) && len(put) < a.most {
				put = append(put, all[round])
				more = true
			}
		}
		if !more {
			break
		}
	}
	return string(fakeserver.EncodeJSON(map[string]any{"questions": put}))
}

var forbids = regexp.MustCompile(`(?i)\b(never|always|must not|do not|don't)\b`)

// written is how a fact names a file, and where its file is asked for.
const (
	whichPath  = "Under which path was the file "
	wasWritten = " written?"
)

// questionOf makes a question of a fact, and returns how much it is worth: 0 if nothing.
func questionOf(f fact) (question, float64) {
	category := categories[f.kind]
	if path, ok := strings.CutPrefix(f.text, written); ok && f.kind == doneFact &&
		strings.Contains(path, "/") {
		return question{category, whichPath + path[strings.LastIndexByte(path, '/')+1:] +
			wasWritten, path, 0}, 2
	}
	word, worth := asksFor(f)
	if len(words(strings.Replace(f.text, word, " ", 1))) < 2 {
		return question{}, 0 // what is left fits anything
	}
	return question{category, "Which word is missing? " + strings.Replace(f.text, word, gap, 1),
		word, 0}, worth
}

// asksFor returns the word of a fact that is worth asking for, "" if none is,
// and how much it is worth.
func asksFor(f fact) (word string, worth float64) {
	if f.kind == ruleFact {
		if m := forbids.FindString(f.text); m != "" {
			return m, 3
		}
	}
	if f.kind == decisionFact {
		if m := swapped.FindStringSubmatch(f.text); m != nil {
			return m[1], 3
		}
	}
	for _, word := range values.FindAllString(f.text, -1) {
		if word = strings.Trim(word, ".:-/@"); len(word) >= 2 {
			return word, 2
		}
	}
	for _, w := range words(f.text) {
		if len(w) > len(word) {
			word = w
		}
	}
	if len(word) < 5 || len(words(f.text)) < 4 {
		return "", 0
	}
	return word, 1
}

// answers looks the answers up in the record, or gives wrong ones or none.
func (s *Scripted) answers(a asked) string {
	lines := recordLines(a.record)
	all := make([]answered, len(a.questions))
	for i, q := range a.questions {
		all[i] = answered{i + 1, "UNKNOWN"}
		switch s.Kind {
		case Wrong:
			all[i].Answer = fmt.Sprintf("ghost%02d/%04d.txt", i, 7000+i)
		case Unknowing:
		default:
			all[i].Answer = lookUp(strings.TrimPrefix(q, "Which word is missing? "), lines)
		}
	}
	return string(fakeserver.EncodeJSON(map[string]any{"answers": all}))
}

// recordLines are the sentences of a record, and its whole lines where they are
// of several.
func recordLines(record string) (lines []string) {
	for line := range strings.Lines(record) {
		line = strings.TrimSpace(line)
		for rest := line; rest != ""; {
			end := sentenceEnd(rest)
			lines = append(lines, strings.TrimSpace(rest[:end]))
			rest = strings.TrimSpace(rest[end:])
		}
	}
	return lines
}

// Shares of a question's words that a line must hold: to fill a gap, and to be
// an answer as a whole.
const (
	fillsGap   = 0.6
	answersAll = 0.4
)

// longestAnswer is the most bytes of a line that is given as an answer.
const longestAnswer = 300

// lookUp returns what the record says to a question, UNKNOWN if nothing.
func lookUp(q string, lines []string) string {
	const unknown = "UNKNOWN"
	if file, ok := strings.CutPrefix(q, whichPath); ok {
		return orElse(pathOf(strings.TrimSuffix(file, wasWritten), lines), unknown)
	}
	asked := map[string]bool{}
	for _, w := range words(strings.ReplaceAll(q, gap, " ")) {
		asked[w] = true
	}
	if len(asked) == 0 {
		return unknown
	}
	best, share := "", 0.0
	for _, line := range lines {
		held := map[string]bool{}
		for _, w := range words(line) {
			if asked[w] {
				held[w] = true
			}
		}
		if s := float64(len(held)) / float64(len(asked)); s > share {
			best, share = line, s
		}
	}
	if !strings.Contains(q, gap) {
		if share < answersAll {
			return unknown
		}
		return best[:min(len(best), longestAnswer)]
	}
	if share < fillsGap {
		return unknown
	}
	return orElse(fill(q, best), unknown)
}

// pathOf returns the first path in the record that ends in a file's name.
func pathOf(file string, lines []string) string {
	for _, line := range lines {
		for field := range strings.FieldsSeq(line) {
			if field = trimmed(field); strings.HasSuffix(field, "/"+file) {
				return field
			}
		}
	}
	return ""
}

// fill returns what a line has where the question has its gap: between the words before it and
// those after it, "" if it has neither.
func fill(q, line string) string {
	before, after, _ := strings.Cut(q, gap)
	left, right := strings.Fields(before), strings.Fields(after)
	fields := strings.Fields(line)
	for i, field := range fields {
		leftHolds := len(left) > 0 && i > 0 && same(fields[i-1], left[len(left)-1])
		rightHolds := len(right) > 0 && i+1 < len(fields) && same(fields[i+1], right[0])
		opens := len(left) == 0 && rightHolds
		if leftHolds && (rightHolds || len(right) == 0 || i+1 == len(fields)) || opens {
			return strings.Trim(field, ".,;:!?\"'`()[]")
		}
		// Of a gap of two words ("must not") both are given.
		if leftHolds && len(right) > 0 && i+2 < len(fields) && same(fields[i+2], right[0]) {
			return field + " " + fields[i+1]
		}
	}
	return ""
}

func same(a, b string) bool { return strings.EqualFold(trimmed(a), trimmed(b)) }

func trimmed(s string) string { return strings.Trim(s, ".,;:!?\"'`()[]") }
