package probe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Category is what a question asks about.
type Category string

// The categories.
const (
	Recall       Category = "recall"       // the task, what the user insisted on, values in force
	Artifact     Category = "artifact"     // files and other things that were made
	Continuation Category = "continuation" // what is open or comes next
	Decision     Category = "decision"     // what was chosen, over what
)

// weights are by how much each category counts.
var weights = map[Category]float64{Recall: 1, Artifact: 0.8, Continuation: 1, Decision: 1.2}

// Question is one about the replaced turns, with the answer that stands in them.
type Question struct {
	Category Category `json:"category"`
	Text     string   `json:"question"`
	Expected string   `json:"expected"`
	Message  int      `json:"message"` // the number of the one that holds the answer; 0: not known
	// Critical is set by Accept: the question is one of recall, and a person typed in
	// the message that holds its answer.
	Critical bool `json:"critical,omitempty"`
}

// Refusal is a question that is not asked.
type Refusal struct {
	Question Question `json:"question"`
	Reason   Reason   `json:"reason"`
}

// maxAnswer bounds an expected answer, in characters: what is longer is no answer of
// a few words.
const maxAnswer = 200

// Accept returns the questions whose expected answer stands in the message that they
// name, and the others with the reason against them. A question that names none gets
// the first message of a person that holds the answer, or else the first of all.
func (x *Index) Accept(questions []Question) (kept []Question, refused []Refusal) {
	seen := map[string]bool{}
	for _, q := range questions {
		q.Text, q.Expected = trimmed(q.Text), trimmed(q.Expected)
		reason := x.unasked(&q)
		if same := lower(q.Text); reason == "" && seen[same] {
			reason = Repeated
		} else {
			seen[same] = true
		}
		if reason != "" {
			refused = append(refused, Refusal{q, reason})
			continue
		}
		i, _ := x.place(q.Message)
		q.Critical = q.Category == Recall && x.persons[i]
		kept = append(kept, q)
	}
	return kept, refused
}

// unasked returns the reason against a question, "" if there is none, and fills in
// its message.
func (x *Index) unasked(q *Question) Reason {
	switch {
	case weights[q.Category] == 0:
		return NoCategory
	case countWords(q.Text) < 2:
		return NoText
	case bare(q.Expected) == "" || unknown(q.Expected):
		return NoAnswer
	case utf8.RuneCountInString(q.Expected) > maxAnswer, utf8.RuneCountInString(q.Text) > MaxText:
		return TooLong
	case stands(bare(q.Expected), bare(q.Text)):
		return AnswerGiven
	}
	if q.Message != 0 {
		i, ok := x.place(q.Message)
		if !ok {
			return OutOfRange
		}
		if x.answers(i, q.Expected) {
			return ""
		}
		return AnswerAbsent
	}
	found := -1
	for i := range x.texts {
		if (found < 0 || x.persons[i]) && x.answers(i, q.Expected) {
			if found = i; x.persons[i] {
				break
			}
		}
	}
	if found < 0 {
		return AnswerAbsent
	}
	q.Message = found + x.first
	return ""
}

// answers reports whether a message, or a result that belongs to it, holds an
// expected answer: its words in their order, or, if it is no more than values, those.
func (x *Index) answers(i int, expected string) bool {
	around := x.around([]int{i})
	if values := Values(expected); len(values) > 0 && valuesAlone(expected, values) {
		return !slices.ContainsFunc(values, func(v Value) bool { return !x.supports(&v, around) })
	}
	want := bare(expected)
	return slices.ContainsFunc(around, func(i int) bool {
		return stands(want, lower(x.texts[i]))
	})
}

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
