package fakeresponses

import (
	"slices"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// Request is a request that was accepted, as the script sees it. It is not to be changed.
type Request struct {
	Body  Object   // as received
	Model string   // as it asks for
	Items []Object // the whole conversation: what the server keeps of it, then the input
	Kept  int      // how many of the items the server kept

	organization string
}

// Stream reports whether the answer is to be a stream.
func (r *Request) Stream() bool { return r.Body["stream"] == true }

// Last returns the last item of the conversation, nil if there is none.
func (r *Request) Last() Object {
	if len(r.Items) == 0 {
		return nil
	}
	return r.Items[len(r.Items)-1]
}

// conversation returns the id of the conversation that the request belongs to, "" for none.
func (r *Request) conversation() string {
	if id := r.Body.Text("conversation"); id != "" {
		return id
	}
	return r.Body.Object("conversation").Text("id")
}

// purpose is what a request is for.
type purpose int

const (
	toCreate  purpose = iota
	toCompact         // it may end with calls that have no output yet
	toCount           // likewise, and it need not name a model
)

// read parses and checks a request.
func (s *Server) read(x *fakeserver.Exchange, to purpose) (*Request, *openaiapi.Error) {
	body, err := x.DecodedBody()
	if err != nil {
		return nil, openaiapi.BadRequest("", "", openaiapi.NotJSON)
	}
	o, err := parseObject(body)
	if err != nil {
		return nil, openaiapi.BadRequest("", "", openaiapi.NotJSON)
	}
	r := &Request{Body: o, Model: o.Text("model"), organization: openaiapi.Credential(x.Request)}
	if to != toCount && !o.Has("model") {
		return nil, openaiapi.Lacks("model")
	}
	if e := checkParameters(o); e != nil {
		return nil, e
	}
	input, e := s.checkInput(o["input"])
	if e != nil {
		return nil, e
	}
	kept, e := s.state.history(r)
	if e != nil {
		return nil, e
	}
	r.Items, r.Kept = slices.Concat(kept, input), len(kept)
	if e := s.state.resolve(r); e != nil {
		return nil, e
	}
	if e := s.checkConversation(r, to); e != nil {
		return nil, e
	}
	return r, nil
}

// checkConversation checks what items ask of one another.
func (s *Server) checkConversation(r *Request, to purpose) *openaiapi.Error {
	if e := checkDuplicates(r.Items); e != nil {
		return e
	}
	if e := s.checkEncrypted(r); e != nil {
		return e
	}
	if e := s.state.checkFollowers(r); e != nil {
		return e
	}
	if e := checkPairs(r.Items, to); e != nil {
		return e
	}
	for i, item := range r.Items {
		if item.Text("type") == "compaction_trigger" && i != len(r.Items)-1 {
			return openaiapi.BadRequest("input", "invalid_value", triggerNotLast)
		}
	}
	return nil
}

// checkDuplicates refuses items that came twice.
func checkDuplicates(items []Object) *openaiapi.Error {
	known := map[string]bool{}
	for _, item := range items {
		id := item.Text("id")
		// the output of a local shell call may carry the id of the call
		if id == "" || item.Text("type") == "local_shell_call_output" {
			continue
		}
		if known[id] {
			return invalidInput(duplicateItem, id)
		}
		known[id] = true
	}
	return nil
}
