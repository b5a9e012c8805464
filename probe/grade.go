package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Means says how the score of an answer was found.
type Means string

// The means.
const (
	ByUnknown Means = "unknown"  // the record does not say
	ByValues  Means = "values"   // typed values were compared
	ByWords   Means = "words"    // the expected words, as a whole
	ByModel   Means = "model"    // a grader
	Ungraded  Means = "ungraded" // prose in other words, and no grader
)

// wideAnswer is how many words an expected answer has beside its values when these
// alone do not decide.
const wideAnswer = 4

// Answered is a question with the answer that was given to it.
type Answered struct {
	Question
	Answer string  `json:"answer"`
	Score  float64 `json:"score"` // from 0 to 1
	Means  Means   `json:"means"`
}

// Grader judges answers in other words than were expected: it returns a score from 0
// to 1 for each. It is asked once, for all of them.
type Grader func(answers []Answered) ([]float64, error)

// Unknown is the answer where a record does not say.
const Unknown = "UNKNOWN"

func unknown(answer string) bool { return bare(answer) == bare(Unknown) }

// grade scores an answer without a model, as far as that goes.
func grade(q Question, answer string) Answered {
	a := Answered{Question: q, Answer: oneLine(answer), Means: Ungraded}
	want, got := bare(q.Expected), bare(a.Answer)
	if got == "" || unknown(a.Answer) {
		a.Means = ByUnknown
		return a
	}
	if got == want {
		a.Score, a.Means = 1, ByWords
		return a
	}
	values := Values(q.Expected)
	if len(values) > 0 {
		score := compare(values, Values(a.Answer))
		if score == 0 || valuesAlone(q.Expected, values) {
			a.Score, a.Means = score, ByValues
			return a
		}
	}
	if wholeClause(want, lower(a.Answer)) {
		a.Score, a.Means = 1, ByWords
	}
	return a
}

// compare returns the share of the wanted values that were given, half of it where
// others of the same kind were given beside them.
func compare(want, given []Value) float64 {
	held := 0
	answered := make([]bool, len(given))
	for i := range want {
		found := false
		for j := range given {
			if equal(&want[i], &given[j]) {
				found, answered[j] = true, true
			}
		}
		if found {
			held++
		}
	}
	score := float64(held) / float64(len(want))
	for j := range given {
		if !answered[j] && slices.ContainsFunc(want, func(v Value) bool { return v.Kind == given[j].Kind }) {
			return score / 2
		}
	}
	return score
}

// equal reports whether a given value is the wanted one: also where either says more
// of it, as a path from the root does.
func equal(want, given *Value) bool {
	if want.Kind == Code || given.Kind == Code {
		return bare(want.Text) == bare(given.Text)
	}
	meet := func(keys, wide []key) bool {
		return slices.ContainsFunc(keys, func(k key) bool { return slices.Contains(wide, k) })
	}
	if want.Kind == Number && given.Kind == Number {
		return meet(want.keys, given.wide) && meet(given.keys, want.wide)
	}
	return meet(want.keys, given.wide) || meet(given.keys, want.wide)
}

// valuesAlone reports whether a text is hardly more than its values, so that these
// decide what is the same.
func valuesAlone(text string, values []Value) bool {
	rest := text
	for _, v := range values {
		rest = strings.Replace(rest, v.Text, " ", 1)
	}
	return countWords(bare(rest)) < wideAnswer
}

// bare is a text in lower case, without the marks at its ends.
func bare(text string) string {
	return strings.TrimFunc(lower(oneLine(text)), func(r rune) bool {
		return (unicode.IsPunct(r) || unicode.IsSpace(r) || r == '`') && !strings.ContainsRune("%#@/\\-", r)
	})
}

// clauseMarks end a clause in one script or another.
const clauseMarks = ".,;:!?\"'`()[]{}<>«»„“”‚‘’。、！？，；：「」『』（）—–|\n"

// wholeClause reports whether text holds want between the ends of a clause. Inside
// one, a word beside it could turn it round.
func wholeClause(want, text string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if want == "" || i < 0 {
			return false
		}
		i += from
		before := strings.TrimRight(text[:i], " *_")
		after := strings.TrimLeft(text[i+len(want):], " *_")
		opened, _ := utf8.DecodeLastRuneInString(before)
		closed, _ := utf8.DecodeRuneInString(after)
		if (before == "" || strings.ContainsRune(clauseMarks, opened)) && (after == "" || strings.ContainsRune(clauseMarks, closed)) {
			return true
		}
		from = i + len(want)
	}
}
