package main

import (
	"context"
	"fmt"

	"killick/chat"
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
	return a
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

// Write implements [compactor.Author].
func (a *author) Write(ctx context.Context, sent []byte, turns []chat.Message, soFar string) (compactor.Written, error) {
	got, err := a.client.Summarize(ctx, a.to(sent), model.Span{Messages: turns, SoFar: soFar})
	a.tell.spent(got.Spent)
	w := compactor.Written{Form: string(got.Form), Prose: compactor.Prose{
		Intent: got.Prose.Intent, State: got.Prose.State, Completed: got.Prose.Completed,
		Failed: got.Prose.Failed, Open: got.Prose.Open, Next: got.Prose.Next,
	}}
	for _, d := range got.Prose.Decisions {
		w.Prose.Decisions = append(w.Prose.Decisions, compactor.Choice(d))
	}
	return w, err
}

// Ask implements [compactor.Author].
func (a *author) Ask(ctx context.Context, sent []byte, replaced []chat.Message, most int) ([]compactor.Asked, error) {
	questions, spent, err := a.client.Questions(ctx, a.to(sent), replaced, most)
	a.tell.spent(spent)
	asked := make([]compactor.Asked, len(questions))
	for i, q := range questions {
		asked[i] = compactor.Asked(q)
	}
	return asked, err
}

// Answer implements [compactor.Author].
func (a *author) Answer(ctx context.Context, sent []byte, record string, asked []compactor.Asked) ([]string, error) {
	questions := make([]model.Question, len(asked))
	for i, q := range asked {
		questions[i] = model.Question(q)
	}
	answers, spent, err := a.client.Answers(ctx, a.to(sent), record, questions)
	a.tell.spent(spent)
	return answers, err
}
