package conversation

import (
	"encoding/json"
	"fmt"
)

// Read reads a request whose conversation is in messages or in input.
func Read(body []byte) (*Conversation, error) {
	var request struct{ Messages, Input []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	conv := &Conversation{cells: map[string]*Call{}}
	all, err := turns(request.Input)
	if err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	for i, raw := range request.Messages {
		m, err := readMessage(raw)
		if err != nil {
			return nil, fmt.Errorf("reading message %d: %w", i, err)
		}
		all = append(all, m)
	}
	for _, m := range all {
		if m.Instructs() && len(conv.Messages) == 0 {
			continue
		}
		if n := len(conv.Messages); n > 0 {
			m.before = conv.Messages[n-1]
		}
		conv.Messages = append(conv.Messages, m)
		m.Number = len(conv.Messages)
	}
	conv.pair()
	return conv, nil
}

// pair gives each call its result: a result belongs to the nearest earlier call with its id that
// has no result yet.
func (conv *Conversation) pair() {
	var made []*Call
	for _, m := range conv.Messages {
		made = append(m.ranBefore(made), m.Calls...)
		if c := m.written(); c != nil {
			made = append(made, c)
			c.Caller.Wrote = append(c.Caller.Wrote, c)
		}
		if !m.Returns() {
			continue
		}
		for i := len(made) - 1; i >= 0; i-- {
			if made[i].ID == m.callID && made[i].Result == nil && !made[i].Hosted {
				made[i].Result = m
				break
			}
		}
	}
	for _, c := range made {
		switch {
		case c.Result == nil && !c.Hosted:
			conv.Unanswered = append(conv.Unanswered, c)
		case c.Result == nil:
		case c.Hosted:
			conv.Calls = append(conv.Calls, c)
		default:
			conv.Calls = append(conv.Calls, conv.nested(c)...)
		}
	}
	conv.joinSessions()
}
