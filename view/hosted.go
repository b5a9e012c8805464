package view

import "killick/rawjson"

// HostedCall is a call that the provider ran itself, or the result of one. Both stand in messages
// of the model; clients neither run the call nor answer it.
type HostedCall struct {
	ID        string
	Name      string        // "" if an earlier message makes the call, and only the result is here
	Arguments rawjson.Value // as in a ToolCall
	Runs      bool          // it runs code
	Result    *HostedResult // nil if a later message has it, or none does
}

// HostedResult is what a provider's tool returned, as far as it is text that can be read.
type HostedResult struct {
	Text   string
	Failed bool
	Exit   int // the exit code, -1 if none is stated
}

// HostedCalls returns the calls in the message that the provider ran, and their results, in order.
func (m *Message) HostedCalls() []HostedCall {
	if !m.Is(Hosts) {
		return nil
	}
	return m.format.HostedCalls(m)
}

// AnswerHosted adds a result to the last of the calls that has its id and no result. If there is
// none, an earlier message makes the call.
func AnswerHosted(calls []HostedCall, id string, result HostedResult) []HostedCall {
	for i := len(calls) - 1; i >= 0; i-- {
		if c := &calls[i]; c.ID == id && c.Result == nil {
			c.Result = &result
			return calls
		}
	}
	return append(calls, HostedCall{ID: id, Result: &result})
}
