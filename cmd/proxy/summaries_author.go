package main

import (
	"fmt"

	"killick/compactor"
	"killick/model"
	"killick/proxy"
)

// author returns the way to the model for a request, nil where none is to be
// asked: where the request is only observed, or sent again.
func (s *summaries) author(req proxy.Request) compactor.Author {
	if s == nil || req.Observe || req.URL == nil {
		return nil
	}
	a := &author{summaries: s, call: model.Call{URL: req.URL.String(), Header: req.Credentials, Key: conversationKey(req)}}
	if s.config.Model.Name != "" && s.config.Model.BaseURL != "" {
		a.call.Header = nil // the client's key is for the upstream alone
	}
	_ = a
	return nil
}

// conversationKey tells conversations apart for caps on calls and money: by
// whose they are and how they begin.
func conversationKey(req proxy.Request) string {
	msgs := req.Chat.Messages()
	for i := range msgs {
		if !msgs[i].Role().Instructs() {
			return fmt.Sprintf("%s %x", req.Who, msgs[i].Fingerprint())
		}
	}
	return req.Who
}

// author implements [compactor.Author] for one request.
type author struct {
	*summaries
	call model.Call
}

// to is the call, behind the body that was sent last where the client's own
// model is asked.
func (a *author) to(sent []byte) model.Call {
	call := a.call
	if a.config.Model.Name == "" {
		call.Prefix = sent
	}
	return call
}

