package fakeresponses

import (
	"slices"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
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

// checkEncrypted refuses encrypted content that this organization was not given, and reasoning
// items without any that are not stored.
func (s *Server) checkEncrypted(r *Request) *openaiapi.Error {
	for i, item := range r.Items {
		typ := item.Text("type")
		switch {
		case typ != "reasoning" && typ != "compaction":
		case item.Has("encrypted_content"):
			if _, ok := open(r.organization, item); !ok {
				return unverified(item.Text("encrypted_content"))
			}
		case i < r.Kept:
		case s.state.item(r.organization, item.Text("id")) == nil:
			return notFound("input", notPersisted, item.Text("id"))
		}
	}
	return nil
}
