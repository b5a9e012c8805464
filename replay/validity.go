package replay

import (
	"bytes"
	"strings"

	"killick/view"
)

// Validity counts the turns at which the forwarded request has a fault. All counts must be zero.
type Validity struct {
	// a result without its call right before it, or a call without its result
	BrokenPairs int `json:"broken_pairs"`
	// a changed, missing or moved system or developer message
	ChangedInstructions int `json:"changed_instructions"`
	// the first message that a person typed is missing; if it has 12,000 bytes or more, its head or
	// tail
	LostTask int `json:"lost_task"`
	// likewise the latest message that a person typed, or the latest message with the role user
	LostRequest   int `json:"lost_request"`
	ChangedFields int `json:"changed_fields"` // a changed byte outside the messages
	Grew          int `json:"grew"`           // more bytes or tokens than the original
	// the result was not a chat request; in all other figures it counts as forwarded unchanged
	Failed int `json:"failed"`
}

// Faults returns the sum of all counts.
func (v Validity) Faults() int {
	return v.BrokenPairs + v.ChangedInstructions + v.LostTask + v.LostRequest + v.ChangedFields +
		v.Grew + v.Failed
}

func (v *Validity) add(o Validity) {
	v.BrokenPairs += o.BrokenPairs
	v.ChangedInstructions += o.ChangedInstructions
	v.LostTask += o.LostTask
	v.LostRequest += o.LostRequest
	v.ChangedFields += o.ChangedFields
	v.Grew += o.Grew
	v.Failed += o.Failed
}

// longText is the length in bytes from which a user's message need not be kept whole, only its
// first headBytes and last tailBytes.
const (
	longText  = 12_000
	headBytes = 2000
	tailBytes = 1000
)

// check compares a forwarded request with the original.
func (s *Study) check(v *Validity, t *turn, in []byte, out *view.Request, sent []*message,
	tokens int) {
	count := func(n *int, wrong bool) {
		if wrong {
			*n++
		}
	}
	count(&v.BrokenPairs, brokenPairs(sent) > t.broken)
	count(&v.ChangedInstructions, !sameInstructions(t.messages, sent))
	count(&v.LostTask, !s.holdsAll(out, sent, t.words.task))
	count(&v.LostRequest, !s.holdsAll(out, sent, t.words.request) ||
		!s.holds(out, sent, t.words.last))
	count(&v.ChangedFields, !s.sameFields(out.Raw(), out.Field("messages")))
	count(&v.Grew, tokens > t.tokens || len(out.Raw()) > len(in))
}

// brokenPairs counts results without a pending call, and calls whose result is not among the
// messages that follow immediately. Upstreams reject both.
func brokenPairs(messages []*message) (broken int) {
	waiting := map[string]bool{}
	for _, m := range messages {
		if m.answers != "" {
			if !waiting[m.answers] {
				broken++
			}
			delete(waiting, m.answers)
			continue
		}
		broken += len(waiting)
		clear(waiting)
		for _, call := range m.calls {
			waiting[call] = true
		}
	}
	return broken + len(waiting)
}

func sameInstructions(in, out []*message) bool {
	next := func(list []*message) []*message {
		for len(list) > 0 && !list[0].role.Instructs() {
			list = list[1:]
		}
		return list
	}
	for in, out = next(in), next(out); len(in) > 0 && len(out) > 0; in, out = next(in[1:]),
		next(out[1:]) {
		if in[0] != out[0] {
			return false
		}
	}
	return len(in) == len(out)
}

// holds reports whether a forwarded message still contains a text of the user. It searches from
// both ends, since the task is in the first messages and the newest words are in the last.
func (s *Study) holds(out *view.Request, sent []*message, text string) bool {
	if text == "" {
		return true
	}
	messages := out.Messages()
	for n := range sent {
		i := n / 2
		if n%2 == 1 {
			i = len(sent) - 1 - n/2
		}
		m := sent[i]
		held, known := m.contains[text]
		if !known {
			content := textOf(&messages[i])
			held = bytes.Contains(content, []byte(text)) || len(text) >= longText &&
				strings.Contains(string(content), text[:headBytes]) &&
				strings.Contains(string(content), text[len(text)-tailBytes:])
			if m.contains == nil {
				m.contains = map[string]bool{}
			}
			m.contains[text] = held
		}
		if held {
			return true
		}
	}
	return false
}

// holdsAll reports whether forwarded messages still contain all texts.
func (s *Study) holdsAll(out *view.Request, sent []*message, texts []string) bool {
	for _, text := range texts {
		if !s.holds(out, sent, text) {
			return false
		}
	}
	return true
}
