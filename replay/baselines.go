package replay

import (
	"killick/chat"
	"killick/view"
)

// keptOutputs is how many of the newest tool outputs the masking baselines keep.
const keptOutputs = 10

// hiddenOutput replaces an output that a baseline hides.
const hiddenOutput = `"[old output hidden]"`

// Nothing forwards every request unchanged.
func Nothing() Strategy {
	return Strategy{Name: "nothing", Open: stateless(func(body []byte) []byte { return body })}
}

// DropOldest drops the oldest turns, calls with their results, until the messages have at most
// limit tokens. Instructions and the newest turn stay.
func DropOldest(counter Counter, limit int) Strategy {
	return Strategy{Name: "drop the oldest turns", Trigger: at(limit),
		Open: stateless(func(body []byte) []byte {
			return dropOldest(counter, limit, body)
		})}
}

// HideOutputs hides all but the newest keptOutputs outputs, in every request.
func HideOutputs() Strategy {
	return Strategy{Name: "mask all but 10, afresh", Open: stateless(func(body []byte) []byte {
		req, err := chat.Parse(body)
		if err != nil {
			return body
		}
		return hide(req, hiddenBefore(req))
	})}
}

// HideInBatches hides all but the newest keptOutputs outputs whenever the messages have more than
// limit tokens with the outputs hidden so far.
func HideInBatches(counter Counter, limit int) Strategy {
	return Strategy{Name: "mask all but 10, in batches", Trigger: at(limit),
		Open: func(Clock) (Forwarder, func() error, error) {
			before := 0 // outputs before this message are hidden
			forward := func(body []byte) Forwarded {
				req, err := chat.Parse(body)
				if err != nil {
					return Forwarded{Body: body}
				}
				if before > len(req.Messages()) {
					before = 0 // the client left messages out: another conversation begins
				}
				out := hide(req, before)
				if sent, err := chat.Parse(out); err == nil && tokensOf(counter, sent) > limit {
					before = max(before, hiddenBefore(req))
					out = hide(req, before)
				}
				return Forwarded{Body: out, Actions: actionIf(len(out) != len(body), "mask")}
			}
			return forward, func() error { return nil }, nil
		}}
}

// Baselines returns all baselines, with a limit in tokens for those that take one.
func Baselines(counter Counter, limit int) []Strategy {
	all := []Strategy{Nothing(), DropOldest(counter, limit), HideOutputs(),
		HideInBatches(counter, limit)}
	for i := range all {
		all[i].Trigger = at(limit)
	}
	return all
}

func at(limit int) func(*Transcript) int { return func(*Transcript) int { return limit } }

// stateless returns the Open function of a strategy without state.
func stateless(change func([]byte) []byte) func(Clock) (Forwarder, func() error, error) {
	return func(Clock) (Forwarder, func() error, error) {
		forward := func(body []byte) Forwarded { return Forwarded{Body: change(body)} }
		return forward, func() error { return nil }, nil
	}
}

func actionIf(done bool, name string) []string {
	if done {
		return []string{name}
	}
	return nil
}

// tokensOf returns the tokens of the messages. Tools and framing are not counted: no baseline can
// make them smaller, and tools may be filler (see withPreamble).
func tokensOf(counter Counter, req *view.Request) (tokens int) {
	for i := range req.Messages() {
		tokens += counter.Message(&req.Messages()[i])
	}
	return tokens
}

// hiddenBefore returns the index of the message before which outputs are hidden.
func hiddenBefore(req *view.Request) int {
	messages, outputs := req.Messages(), 0
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role().Result() {
			if outputs++; outputs > keptOutputs {
				return i + 1
			}
		}
	}
	return 0
}

// hide hides the outputs before a message, except those that would not become smaller.
func hide(req *view.Request, before int) []byte {
	var pieces []view.Piece
	next := 0
	for i := range before {
		m := &req.Messages()[i]
		if !m.Role().Result() || len(m.Content()) <= len(hiddenOutput) {
			continue
		}
		pieces = append(pieces, view.Piece{From: next, To: i},
			view.Piece{Raw: m.WithContent([]byte(hiddenOutput))})
		next = i + 1
	}
	return req.Splice(append(pieces, view.Piece{From: next, To: len(req.Messages())}))
}

func dropOldest(counter Counter, limit int, body []byte) []byte {
	req, err := chat.Parse(body)
	if err != nil {
		return body
	}
	messages := req.Messages()
	groups := view.Groups(messages)
	tokens := tokensOf(counter, req)
	drop := make([]bool, len(messages))
	for g, group := range groups {
		if tokens <= limit || g == len(groups)-1 {
			break
		}
		for i := group.Start; i < group.End; i++ {
			if !messages[i].Role().Instructs() {
				drop[i] = true
				tokens -= counter.Message(&messages[i])
			}
		}
	}
	var pieces []view.Piece
	for i := range messages {
		if !drop[i] {
			pieces = append(pieces, view.Piece{From: i, To: i + 1})
		}
	}
	if len(pieces) == len(messages) {
		return body
	}
	return req.Splice(pieces)
}
