package fakeresponses

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

const (
	// maxStoredBytes bounds the requests that are kept; past it the oldest response is dropped.
	maxStoredBytes = 256 << 20
	// maxPhases bounds the phases that are remembered; past it all are dropped.
	maxPhases = 1 << 16
)

// state is what the server keeps for later requests: responses, their items, and conversations.
type state struct {
	mu            sync.Mutex
	order         []string // of responses
	bytes         int      // of their requests
	responses     map[string]*response
	items         map[string]*storedItem
	conversations map[string]*conversation
	phases        map[string]string // of messages by id, stored or not
}

// response is a response that was stored.
type response struct {
	organization string
	body         Object
	items        []Object // the conversation up to its end
	output       int      // how many of them are its output
	bytes        int      // of the request
}

// storedItem is an item that can be referred to by its id.
type storedItem struct {
	organization string
	item         Object
	reasoning    string // the id of the reasoning item that it belongs to, "" for none
	next         string // of a reasoning item, the id of the item that follows it
}

type conversation struct {
	organization string
	items        []Object
}

func (st *state) init() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.order, st.bytes = nil, 0
	st.responses, st.items = map[string]*response{}, map[string]*storedItem{}
	st.conversations, st.phases = map[string]*conversation{}, map[string]string{}
}

// item returns a stored item of an organization, nil if there is none.
func (st *state) item(organization, id string) *storedItem {
	st.mu.Lock()
	defer st.mu.Unlock()
	if stored := st.items[id]; stored != nil && stored.organization == organization {
		return stored
	}
	return nil
}

func (st *state) phase(id string) string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.phases[id]
}

// history returns the items that the server kept of the conversation that a request continues.
func (st *state) history(r *Request) ([]Object, *openaiapi.Error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if id := r.Body.Text("previous_response_id"); id != "" {
		previous := st.responses[id]
		if previous == nil || previous.organization != r.organization {
			return nil, openaiapi.BadRequest("previous_response_id", "previous_response_not_found",
				noPrevious, id)
		}
		return previous.items[:len(previous.items):len(previous.items)], nil
	}
	if id := r.conversation(); id != "" {
		c := st.conversations[id]
		if c == nil || c.organization != r.organization {
			return nil, notFound("conversation", "Conversation with id '%s' not found.", id)
		}
		return c.items[:len(c.items):len(c.items)], nil
	}
	return nil, nil
}

// resolve replaces references by the items that they stand for.
func (st *state) resolve(r *Request) *openaiapi.Error {
	for i, item := range r.Items {
		if item.Text("type") != "item_reference" {
			continue
		}
		stored := st.item(r.organization, item.Text("id"))
		if stored == nil {
			return notFound("input", notPersisted, item.Text("id"))
		}
		r.Items[i] = stored.item
	}
	return nil
}

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

// stores reports whether the response to a request is stored.
func (r *Request) stores() bool { return r.Body["store"] != false }

// keepItems stores the output of one response. The items after a reasoning item belong to it.
func (st *state) keepItems(organization string, output []Object) {
	reasoning := ""
	for i, item := range output {
		stored := &storedItem{organization: organization, item: item, reasoning: reasoning}
		if item.Text("type") == "reasoning" {
			stored.reasoning, reasoning = "", item.Text("id")
			if i+1 < len(output) {
				stored.next = output[i+1].Text("id")
			}
		}
		st.items[item.Text("id")] = stored
	}
}

// forget removes a response and the items of its output.
func (st *state) forget(id string) {
	gone := st.responses[id]
	delete(st.responses, id)
	st.bytes -= gone.bytes
	for i, other := range st.order {
		if other == id {
			st.order = append(st.order[:i:i], st.order[i+1:]...)
			break
		}
	}
	for _, item := range gone.items[len(gone.items)-gone.output:] {
		delete(st.items, item.Text("id"))
		delete(st.phases, item.Text("id"))
	}
}

// withoutTrigger leaves out what is an order and no item of the conversation.
func withoutTrigger(items []Object) []Object {
	kept := items[:0:0]
	for _, item := range items {
		if item.Text("type") != "compaction_trigger" {
			kept = append(kept, item)
		}
	}
	return kept
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
