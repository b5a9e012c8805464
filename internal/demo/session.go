package demo

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"killick/chat"
	"killick/rawjson"
	"killick/view"
)

// sessionJSON is an agent's session, as one request.
//
//go:embed session.json
var sessionJSON []byte

// Session is a conversation to replay.
type Session struct {
	model    string
	tools    rawjson.Value
	messages []view.Message
	Turns    []int // the number of messages of each request: those before an assistant message
}

// LoadSession reads the session.
func LoadSession() (*Session, error) {
	req, err := chat.Parse(sessionJSON)
	if err != nil {
		return nil, fmt.Errorf("reading the demo's session: %w", err)
	}
	s := &Session{model: req.Model(), tools: req.Field("tools"), messages: req.Messages()}
	for i := range s.messages {
		if i > 0 && s.messages[i].Role() == view.Assistant {
			s.Turns = append(s.Turns, i)
		}
	}
	if len(s.Turns) == 0 {
		return nil, fmt.Errorf("reading the demo's session: it holds no assistant message")
	}
	return s, nil
}

// Request returns the body that an agent sends at a turn: all messages so far.
func (s *Session) Request(turn int) []byte {
	var b []byte
	b = append(b, `{"model":`...)
	b = rawjson.AppendQuoted(b, s.model)
	b = append(b, `,"stream":true,"stream_options":{"include_usage":true}`...)
	if len(s.tools) > 0 {
		b = append(append(b, `,"tools":`...), s.tools...)
	}
	b = append(b, `,"messages":[`...)
	for i := range s.Turns[turn] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s.messages[i].Raw...)
	}
	return append(b, "]}"...)
}

// faultsIn returns what is wrong with the request that was forwarded for the first n messages.
func (s *Session) faultsIn(forwarded []byte, n int) (broken, changed, lost int) {
	req, err := chat.Parse(forwarded)
	if err != nil {
		return 1, 0, 0
	}
	msgs := req.Messages()
	broken = brokenPairs(msgs)
	if instructionsOf(msgs) != instructionsOf(s.messages[:n]) {
		changed = 1
	}
	text := joinedText(msgs)
	first, last := requestsOf(s.messages[:n])
	for _, request := range []string{first, last} {
		if !strings.Contains(text, request) {
			lost++
		}
	}
	return broken, changed, lost
}

// brokenPairs counts results without their call and calls without their
// result.
func brokenPairs(msgs []view.Message) (broken int) {
	open := map[string]bool{}
	for i := range msgs {
		m := &msgs[i]
		if m.Role() == view.Tool {
			if !open[m.ToolCallID()] {
				broken++
			}
			delete(open, m.ToolCallID())
			continue
		}
		broken += len(open) // results must come first
		clear(open)
		for _, call := range m.ToolCalls() {
			open[call.ID] = true
		}
	}
	return broken + len(open)
}

// instructionsOf returns the system and developer messages as they are.
func instructionsOf(msgs []view.Message) string {
	var b strings.Builder
	for i := range msgs {
		if msgs[i].Role().Instructs() {
			b.Write(msgs[i].Raw)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func joinedText(msgs []view.Message) string {
	var b strings.Builder
	for i := range msgs {
		b.WriteString(msgs[i].Text())
		b.WriteByte('\n')
	}
	return b.String()
}

// requestsOf returns the words of the user's first and latest request.
func requestsOf(msgs []view.Message) (first, last string) {
	for i := range msgs {
		if msgs[i].Role() != view.User {
			continue
		}
		last = msgs[i].Text()
		first = cmp.Or(first, last)
	}
	return first, last
}
