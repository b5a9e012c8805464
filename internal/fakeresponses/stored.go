package fakeresponses

import (
	"fmt"
	"net/http"
	"strings"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// keep stores a response, unless the request or the organization does not want that.
func (s *Server) keep(r *Request, id string, body Object, output []Object, bytes int) {
	st := &s.state
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.phases) >= maxPhases {
		st.phases = map[string]string{}
	}
	for _, item := range output {
		if phase := item.Text("phase"); phase != "" {
			st.phases[item.Text("id")] = phase
		}
	}
	whole := withoutTrigger(append(r.Items[:len(r.Items):len(r.Items)], output...))
	if c := st.conversations[r.conversation()]; c != nil {
		c.items = whole
		st.keepItems(r.organization, output)
	}
	if !r.stores() {
		return
	}
	st.responses[id] = &response{organization: r.organization, body: body, items: whole,
		output: len(output), bytes: bytes}
	st.keepItems(r.organization, output)
	st.order = append(st.order, id)
	for st.bytes += bytes; st.bytes > maxStoredBytes && len(st.order) > 1; {
		st.forget(st.order[0])
	}
}

// storedResponse answers GET and DELETE of a stored response.
func (s *Server) storedResponse(x *fakeserver.Exchange, id string) {
	organization := openaiapi.Credential(x.Request)
	s.state.mu.Lock()
	found := s.state.responses[id]
	if found != nil && found.organization != organization {
		found = nil
	}
	if found != nil && x.Request.Method == http.MethodDelete {
		s.state.forget(id)
	}
	s.state.mu.Unlock()
	switch {
	case found == nil:
		fail(x, notFound("", "Response with id '%s' not found.", id))
	case x.Request.Method == http.MethodDelete:
		answerJSON(x, map[string]any{"id": id, "object": "response", "deleted": true})
	default:
		answerJSON(x, found.body)
	}
}

// startConversation answers the creation of a conversation, with items or without.
func (s *Server) startConversation(x *fakeserver.Exchange) {
	body, err := parseObject(x.Body)
	if len(strings.TrimSpace(string(x.Body))) > 0 && err != nil {
		fail(x, openaiapi.BadRequest("", "", openaiapi.NotJSON))
		return
	}
	items, e := s.checkInput(body["items"])
	if e != nil {
		fail(x, e)
		return
	}
	id := fmt.Sprintf("conv_%s", digest(x, 0))
	s.state.mu.Lock()
	s.state.conversations[id] = &conversation{organization: openaiapi.Credential(x.Request),
		items: items}
	s.state.mu.Unlock()
	answerJSON(x, map[string]any{"id": id, "object": "conversation", "metadata": Object{},
		"created_at": s.cfg.Now().Unix()})
}
