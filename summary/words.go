package summary

import (
	"slices"
	"strconv"

	"killick/summary/excerpt"
	"killick/transcript/speech"
	"killick/view"
)

// FillWords fills in the persons' messages in [from, to): those that are sent along with the
// record, quotes of the others, newest first, and what terse ones answered. What tools' results
// relay of persons is quoted too.
func (sum *Summary) FillWords(s *Source, from, to int, kept []Kept) {
	sum.Kept, sum.Words, sum.WordsLeftOut = kept, nil, 0
	isKept := map[int]bool{}
	for _, k := range kept {
		isKept[k.At] = true
	}
	persons := s.Persons(from, to)
	if queued := s.Queued(from, to); len(queued) > 0 {
		persons = slices.Concat(persons, queued)
		slices.Sort(persons)
	}
	for n, i := range slices.Backward(persons) {
		if len(sum.Words) >= maxEntries {
			sum.WordsLeftOut = notKept(persons[:n+1], kept)
			return
		}
		if s.Messages[i].Role().Result() {
			for _, words := range slices.Backward(speech.Queued(s.Text(i))) {
				sum.Words = append(sum.Words, UserQuote{Quote: Quote{At: i + 1,
					By: speech.Relayed, Text: excerpt.Quote(s.Redacted(words), maxQuote)}})
			}
			continue
		}
		if isKept[i+1] && !s.isTerse(i) {
			continue
		}
		quote := s.userQuote(i)
		if quote.Text != "" && (quote.Answers != nil || !isKept[i+1]) {
			sum.Words = append(sum.Words, quote)
		}
	}
}

// notKept returns how many messages are not kept.
func notKept(messages []int, kept []Kept) int {
	n := len(messages)
	for i := range kept {
		if _, found := slices.BinarySearch(messages, kept[i].At-1); found {
			n--
		}
	}
	return n
}

// answered returns the assistant message that the person's message i answers, -1 if
// it answers none.
func (s *Source) answered(i int) int {
	for j := i - 1; j >= 0; j-- {
		if s.Messages[j].Role() == view.User && s.Message(j).Speaker == speech.Person {
			return -1
		}
		if s.LastWords(j, j+1) == j {
			return j
		}
	}
	return -1
}

// words returns the quotes of persons' messages.
func (sum *Summary) words(room int) []string {
	l := entryList{room: room}
	for i := range sum.Words {
		w := &sum.Words[i]
		l.add(func() string {
			if w.Answers == nil {
				return w.line()
			}
			return w.line() + "\n  after " + w.Answers.line()
		})
	}
	return l.entries
}

// wordsAbove reports for each quote of a person whether its message is sent along.
func (sum *Summary) wordsAbove() []bool {
	kept := make(map[int]bool, len(sum.Kept))
	for i := range sum.Kept {
		kept[sum.Kept[i].At] = true
	}
	above := make([]bool, len(sum.Words))
	for i := range sum.Words {
		above[i] = kept[sum.Words[i].At]
	}
	return above
}

// line returns the quote with its label.
func (q *Quote) line() string { return q.Label() + q.Text }

// Label returns what precedes the words: the number of their message and who wrote it.
func (q *Quote) Label() string {
	by := string(q.By)
	if q.Name != "" {
		by += " " + q.Name
	}
	return strconv.Itoa(q.At) + " " + by + ": "
}
