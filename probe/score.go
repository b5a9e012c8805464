package probe

import (
	"slices"
	"strings"
	"unicode"

	"killick/probe/normal"
	"killick/probe/value"
)

// Method is how an answer was scored.
type Method string

// The methods.
const (
	ByUnknown Method = "unknown"  // the record does not say
	ByValues  Method = "values"   // typed values were compared
	ByWords   Method = "words"    // the answer is the expected text
	ByModel   Method = "model"    // a grader
	Ungraded  Method = "ungraded" // prose in other words, and no grader
)

// minProse is the number of words besides its values from which an expected answer is not
// decided by the values alone.
const minProse = 4

// Answered is a question with the answer that was given to it.
type Answered struct {
	Question
	Answer string  `json:"answer"`
	Score  float64 `json:"score"` // from 0 to 1
	Method Method  `json:"means"`
}

// Grader scores answers that are worded differently, from 0 to 1 each. It is called once,
// for all of them.
type Grader func(answers []Answered) ([]float64, error)

// Unknown is the answer if a record does not contain it.
const Unknown = "UNKNOWN"

func unknown(answer string) bool { return normalized(answer) == normalized(Unknown) }

// scoreAnswer scores an answer without a model, as far as that is possible.
func scoreAnswer(q Question, answer string) Answered {
	a := Answered{Question: q, Answer: normal.OneLine(answer), Method: Ungraded}
	want, got := normalized(q.Expected), normalized(a.Answer)
	if got == "" || unknown(a.Answer) {
		a.Method = ByUnknown
		return a
	}
	if got == want {
		a.Score, a.Method = 1, ByWords
		return a
	}
	values := value.In(q.Expected)
	if len(values) > 0 {
		score := valueScore(values, value.In(a.Answer), value.In(q.Text))
		if score == 0 || mostlyValues(q.Expected, values) {
			a.Score, a.Method = score, ByValues
			return a
		}
	}
	if isOnly(want, normal.Lower(a.Answer)) {
		a.Score, a.Method = 1, ByWords
	}
	return a
}

// valueScore returns the share of the wanted values that were given, half of it if other
// values of the same kind were given too. asked are the values of the question.
func valueScore(want, given, asked []value.Value) float64 {
	held := 0
	answered := make([]bool, len(given))
	for i := range want {
		found := false
		for j := range given {
			if sameValue(&want[i], &given[j]) {
				found = found || whole(&want[i], &given[j]) || !repeats(&given[j], asked)
				answered[j] = true
			} else if meet(given[j].Lookup, want[i].Parents) {
				answered[j] = true // beside the file, its folder is not another value
			}
		}
		if found {
			held++
		}
	}
	score := float64(held) / float64(len(want))
	for j := range given {
		sameKind := func(v value.Value) bool { return v.Kind == given[j].Kind }
		if !answered[j] && slices.ContainsFunc(want, sameKind) {
			return score / 2
		}
	}
	return score
}

// sameValue reports whether a given value is the wanted one, also if either is more
// specific, such as an absolute path. The folder of a file is not the file.
func sameValue(want, given *value.Value) bool {
	if want.Kind == value.Code || given.Kind == value.Code {
		return normalized(want.Text) == normalized(given.Text)
	}
	if want.Kind == value.Number && given.Kind == value.Number {
		return meet(want.Lookup, given.Indexed) && meet(given.Lookup, want.Indexed)
	}
	return meet(want.Lookup, given.Indexed) || meet(given.Lookup, want.Indexed)
}

// whole reports whether a given value has all of the wanted one: src/auth.go has all of auth.go.
func whole(want, given *value.Value) bool {
	return want.Kind == value.Code || given.Kind == value.Code || meet(want.Lookup, given.Indexed)
}

// repeats reports whether a given value only repeats what the question names: the question has it,
// and no other of its kind to choose from.
func repeats(given *value.Value, asked []value.Value) bool {
	named := false
	for i := range asked {
		switch {
		case meet(given.Lookup, asked[i].Indexed):
			named = true
		case asked[i].Kind == given.Kind:
			return false
		}
	}
	return named
}

func meet(lookup, indexed []value.Key) bool {
	return slices.ContainsFunc(lookup, func(k value.Key) bool {
		return slices.Contains(indexed, k)
	})
}

// mostlyValues reports whether a text is hardly more than its values, so that these
// decide equality.
func mostlyValues(text string, values []value.Value) bool {
	rest := text
	for _, v := range values {
		rest = strings.Replace(rest, v.Text, " ", 1)
	}
	return countWords(normalized(rest)) < minProse
}

// normalized returns a text on one line, in lower case, without the marks at its ends.
func normalized(text string) string {
	return strings.TrimFunc(normal.Lower(normal.OneLine(text)), func(r rune) bool {
		mark := unicode.IsPunct(r) || unicode.IsSpace(r) || r == '`'
		return mark && !strings.ContainsRune("%#@/\\-", r)
	})
}

// clauseMarks end a clause in one script or another.
const clauseMarks = ".,;:!?\"'`()[]{}<>«»„“”‚‘’。、！？，；：「」『』（）—–|\n"

// isOnly reports whether a text is want alone, possibly quoted or after a colon. A word beside it
// could reverse its meaning, and another clause could be another answer.
func isOnly(want, text string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if want == "" || i < 0 {
			return false
		}
		i += from
		const emphasis = " *_"
		before := strings.TrimRight(text[:i], emphasis+"\"'`([{<«„“‚‘「『（")
		after := strings.Trim(text[i+len(want):], emphasis+clauseMarks)
		introduced := strings.HasSuffix(before, ":") || strings.HasSuffix(before, "：")
		if (before == "" || introduced) && after == "" {
			return true
		}
		from = i + len(want)
	}
}
