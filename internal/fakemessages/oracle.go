package fakemessages

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Sign returns contents as blocks of JSON that the model answers to a request, their thinking
// signed for it: for recorded conversations, into which a test puts thinking that the server then
// accepts. body is the request as the server gets it, header what it comes with (nil for none). It
// uses no cache and records nothing.
func (s *Server) Sign(body []byte, header http.Header, contents ...Content) (
	[]json.RawMessage, error) {
	req, refused := s.parse(body, header, false, cloud{})
	var p *prefix
	if refused == nil {
		p, _, refused = s.bind(req)
	}
	if refused != nil {
		return nil, fmt.Errorf("signing for a request: %w", errors.New(refused.message))
	}
	p.enter(roleAssistant)
	blocks := make([]json.RawMessage, len(contents))
	for i, c := range contents {
		blocks[i] = c.render(req, p).json
	}
	return blocks, nil
}
