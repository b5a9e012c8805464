package summary

import (
	"killick/transcript"
	"killick/view"
)

// FillWords fills in the persons' messages in [from, to): which are sent along with the record,
// quotes of the others, newest first, and what terse ones answered.
func (sum *Summary) FillWords(s *Source, from, to int, kept []Kept) {
	sum.Kept, sum.Words, sum.WordsLeftOut = kept, nil, 0
	isKept := map[int]bool{}
	for _, k := range kept {
		isKept[k.At] = true
	}
	for i := to - 1; i >= from; i-- {
		if s.Messages[i].Role() != view.User || s.Message(i).Speaker != transcript.Person {
			continue
		}
		m := s.Message(i)
		if isKept[i+1] && !m.Terse() {
			continue
		}
		if len(sum.Words) == maxEntries {
			if !isKept[i+1] {
				sum.WordsLeftOut++
			}
			continue
		}
		quote := UserQuote{Quote: Quote{At: i + 1, By: transcript.Person,
			Text: quoted(s.safeWords(i), maxQuote)}}
		if m.Terse() {
			if of := s.answered(i); of >= 0 {
				quote.Answers = &Quote{At: of + 1, By: transcript.Assistant,
					Text: ending(line(s.Redacted(tail(s.text(of), quoteBytes))), maxQuote)}
			}
		}
		if quote.Text != "" && (quote.Answers != nil || !isKept[i+1]) {
			sum.Words = append(sum.Words, quote)
		}
	}
}

// answered returns the assistant message that the person's message i answers, -1 if
// it answers none.
func (s *Source) answered(i int) int {
	for j := i - 1; j >= 0; j-- {
		if s.Messages[j].Role() == view.User && s.Message(j).Speaker == transcript.Person {
			return -1
		}
		if s.LastWords(j, j+1) == j {
			return j
		}
	}
	return -1
}
