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

// categoryWeights are by how much each category counts.
var categoryWeights = map[Category]float64{Recall: 1, Artifact: 0.8, Continuation: 1, Decision: 1.2}

// Question is one about the replaced turns, with the answer that stands in them.
type Question struct {
	Category Category `json:"category"`
	Text     string   `json:"question"`
	Expected string   `json:"expected"`
	// Message is the number of the one that holds the answer, 0 where it is not known.
	Message int `json:"message"`
	// Critical is set by Accept: the question is one of recall, and a person typed in the
	// message that holds its answer.
	Critical bool `json:"critical,omitempty"`
}

// RejectedQuestion is a question that is not asked.
type RejectedQuestion struct {
	Question Question `json:"question"`
	Reason   Reason   `json:"reason"`
}

// maxAnswer bounds an expected answer, in characters: what is longer is no answer of
// a few words.
const maxAnswer = 200

// Accept returns the questions whose expected answer stands in the message that they
// name, and the others with the reason against them. A question that names none gets the
// first message of a person that holds the answer, or else the first of all.
func (x *Index) Accept(questions []Question) (kept []Question, rejected []RejectedQuestion) {
	seen := map[string]bool{}
	for _, q := range questions {
		q.Text, q.Expected = boundedLine(q.Text), boundedLine(q.Expected)
		reason := unanswerable(q)
		at := -1
		if reason == "" {
			at, reason = x.findAnswer(q)
		}
		same := lower(q.Text)
		if reason == "" && seen[same] {
			reason = Repeated
		}
		seen[same] = true
		if reason != "" {
			rejected = append(rejected, RejectedQuestion{q, reason})
			continue
		}
		q.Message = at + x.first
		q.Critical = q.Category == Recall && x.persons[at]
		kept = append(kept, q)
	}
	return kept, rejected
}

// unanswerable returns the reason against a question that it shows itself, "" if there is
// none.
func unanswerable(q Question) Reason {
	switch {
	case categoryWeights[q.Category] == 0:
		return NoCategory
	case countWords(q.Text) < 2:
		return NoText
	case normalized(q.Expected) == "" || unknown(q.Expected):
		return NoAnswer
	case utf8.RuneCountInString(q.Expected) > maxAnswer,
		utf8.RuneCountInString(q.Text) > MaxText:
		return TooLong
	case containsWhole(normalized(q.Expected), normalized(q.Text)):
		return AnswerGiven
	}
	return ""
}

// findAnswer returns the index of the message that holds the expected answer, or why
// there is none.
func (x *Index) findAnswer(q Question) (at int, reason Reason) {
	if q.Message != 0 {
		at, ok := x.indexOf(q.Message)
		switch {
		case !ok:
			return -1, OutOfRange
		case !x.holdAnswer(at, q.Expected):
			return -1, AnswerAbsent
		}
		return at, ""
	}
	at = -1
	for i := range x.texts {
		if (at < 0 || x.persons[i]) && x.holdAnswer(i, q.Expected) {
			if at = i; x.persons[i] {
				break
			}
		}
	}
	if at < 0 {
		return -1, AnswerAbsent
	}
	return at, ""
}

// holdAnswer reports whether a message, or a result that belongs to it, holds an
// expected answer: its words in their order, or, if it is no more than values, those.
func (x *Index) holdAnswer(i int, expected string) bool {
	around := x.withResults([]int{i})
	if values := Values(expected); len(values) > 0 && mostlyValues(expected, values) {
		return x.holdValues(values, around)
	}
	want := normalized(expected)
	return slices.ContainsFunc(around, func(i int) bool {
		return containsWhole(want, lower(x.texts[i]))
	})
}
