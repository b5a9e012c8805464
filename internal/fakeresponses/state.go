package fakeresponses

import (
	"sync"

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
