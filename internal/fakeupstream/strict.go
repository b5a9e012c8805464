package fakeupstream

import (
	"errors"
	"fmt"

	"killick/view"
)

// mustAlternate is how the chat templates of Llama 2 and Mistral say it; servers
// such as vLLM hand it on with status 400.
const mustAlternate = "After the optional system message, conversation roles must alternate " +
	"user/assistant/user/assistant/..."

// CheckTurns returns what an upstream with a strict chat template refuses a chat
// request for; nil if it accepts it. As in the template of Mistral's instruct
// models, instructions are left out, so are assistant messages that call tools
// and the results of these; what is left must begin with a user's turn, and
// turns must alternate.
func CheckTurns(body []byte) error {
	req, refused := parse(body)
	if refused != nil {
		return errors.New(refused.Message)
	}
	if !alternates(req.Messages()) {
		return fmt.Errorf("%s", mustAlternate) // in the template's own words
	}
	return nil
}

func alternates(messages []view.Message) bool {
	users := true // whose turn it is
	for i := range messages {
		m := &messages[i]
		if m.Role().Instructs() || m.Role().Result() || m.HasCalls() {
			continue
		}
		if (m.Role() == view.User) != users {
			return false
		}
		users = !users
	}
	return true
}
