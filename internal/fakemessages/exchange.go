package fakemessages

import (
	"fmt"
	"strings"

	"killick/internal/fakemessages/request"
	"killick/internal/fakeserver"
)

// exchange is one request and the answer to it.
type exchange struct {
	*fakeserver.Exchange
	s *Server
}

func requestID(n int) string { return fmt.Sprintf("req_%016x", n) }

// oauthToken is the prefix of tokens issued at a login. Only these are valid as bearer tokens: an
// API key must be sent as x-api-key. Clouds accept their keys as bearer tokens.
const oauthToken = "sk-ant-oat"

// credential returns the key that the request carries, "" if none.
func (x *exchange) credential() string {
	if key, ok := strings.CutPrefix(x.Request.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return x.Request.Header.Get("X-Api-Key")
}

// fail answers with e and notes it.
func (x *exchange) fail(e *request.Error) {
	x.Note(Found{Refused: e.Message})
	x.Answer(e.Status, e.Body(requestID(x.N)))
}
