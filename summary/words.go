package summary

import (
	"slices"

	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript/speech"
)

// FillWords fills in the persons' messages in [from, to): those that are sent along with the
// record, quotes of the others, newest first, and what terse ones answered. What tools' results
// relay of persons is quoted too.
func (sum *Summary) FillWords(s *quotes.Source, from, to int, kept []Kept) {
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
				sum.Words = append(sum.Words, quotes.UserQuote{Quote: quotes.Quote{At: i + 1,
					By: speech.Relayed, Text: excerpt.Quote(s.Redacted(words), quotes.MaxQuote)}})
			}
			continue
		}
		if isKept[i+1] && !s.IsTerse(i) {
			continue
		}
		quote := s.UserQuote(i)
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

// words returns the quotes of persons' messages.
func (sum *Summary) words(room int) []string {
	l := entryList{room: room}
	for i := range sum.Words {
		w := &sum.Words[i]
		l.add(func() string {
			if w.Answers == nil {
				return w.Line()
			}
			return w.Line() + "\n  after " + w.Answers.Line()
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
