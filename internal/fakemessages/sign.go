package fakemessages

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
)

// Sign returns contents as blocks of JSON that the model answers to a request, their thinking
// signed for it: for recorded conversations, into which a test puts thinking that the server then
// accepts. body is the request as the server gets it, header what it comes with (nil for none). It
// uses no cache and records nothing.
func (s *Server) Sign(body []byte, header http.Header, contents ...Content) (
	[]json.RawMessage, error) {
	req, refused := request.Parse(body, header, false, request.Cloud{}, s.cfg.Models)
	var p *thinking.Prefix
	if refused == nil {
		p, _, refused = thinking.Bind(req, s.cfg.Models)
	}
	if refused != nil {
		return nil, fmt.Errorf("signing for a request: %w", errors.New(refused.Message))
	}
	p.Enter(request.RoleAssistant)
	blocks := make([]json.RawMessage, len(contents))
	for i, c := range contents {
		blocks[i] = c.render(req, p).json
	}
	return blocks, nil
}
