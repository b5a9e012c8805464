package probe

import (
	"slices"
	"unicode/utf8"

	"killick/probe/normal"
	"killick/probe/value"
)

// categoryWeights are the weights of the categories.
var categoryWeights = map[Category]float64{Recall: 1, Artifact: 0.8, Continuation: 1, Decision: 1.2}

// RejectedQuestion is a question that is not used.
type RejectedQuestion struct {
	Question Question `json:"question"`
	Reason   Reason   `json:"reason"`
}

// maxAnswer bounds an expected answer, in characters: answers should be a few words.
const maxAnswer = 200

// Accept returns the questions whose expected answer is in the message that they name, and
// the others with the reason against them. A question that names none gets the first user
// message with the answer, or else the first of all.
func (x *Index) Accept(questions []Question) (kept []Question, rejected []RejectedQuestion) {
	seen := map[string]bool{}
	for _, q := range questions {
		q.Text, q.Expected = boundedLine(q.Text), boundedLine(q.Expected)
		reason := unanswerable(q)
		at := -1
		if reason == "" {
			at, reason = x.findAnswer(q)
		}
		same := normal.Lower(q.Text)
		if reason == "" && seen[same] {
			reason = Repeated
		}
		seen[same] = true
		if reason != "" {
			rejected = append(rejected, RejectedQuestion{q, reason})
			continue
		}
		q.Message = at + x.first
		q.Critical = q.Category == Recall && x.byPerson(at)
		kept = append(kept, q)
	}
	return kept, rejected
}

// unanswerable returns the reason against a question that follows from the question
// itself, "" if there is none.
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
	case containsWhole(normalized(q.Expected), normalized(q.Text)), givesValues(q):
		return AnswerGiven
	}
	return ""
}

// givesValues reports whether the expected answer is values that the question contains, possibly
// in another form. A question may name a file to ask for its path.
func givesValues(q Question) bool {
	values, given := value.In(q.Expected), value.In(q.Text)
	if len(values) == 0 || !mostlyValues(q.Expected, values) {
		return false
	}
	for i := range values {
		want := &values[i]
		if !slices.ContainsFunc(given, func(v value.Value) bool {
			return sameValue(want, &v) && (want.Kind == value.Code || meet(want.Lookup, v.Indexed))
		}) {
			return false
		}
	}
	return true
}

// findAnswer returns the index of the message with the expected answer, or why there is
// none.
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
		if (at < 0 || x.byPerson(i)) && x.holdAnswer(i, q.Expected) {
			if at = i; x.byPerson(i) {
				break
			}
		}
	}
	if at < 0 {
		return -1, AnswerAbsent
	}
	return at, ""
}

// holdAnswer reports whether a message, or a result that belongs to it, contains an
// expected answer: its words in order, or, if it only has values, those.
func (x *Index) holdAnswer(i int, expected string) bool {
	around := x.withResults([]int{i})
	if values := value.In(expected); len(values) > 0 && mostlyValues(expected, values) {
		return x.holdValues(values, around)
	}
	want := normalized(expected)
	return slices.ContainsFunc(around, func(i int) bool {
		return containsWhole(want, x.lower(i))
	})
}
