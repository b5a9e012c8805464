package probe

import (
	"slices"
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
