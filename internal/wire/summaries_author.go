package wire

import (
	"context"
	"fmt"

	"killick/cache"
	"killick/compactor/prepare"
	"killick/internal/config"
	"killick/model"
	"killick/probe"
	"killick/proxy"
)

// writers returns what may write for the next record after a request: nothing if the request is
// only observed, or is sent again.
func (s *summaries) writers(req proxy.Request) prepare.Writers {
	if s == nil || req.Observe || req.URL == nil {
		return prepare.Writers{}
	}
	a := &author{summaries: s, call: model.Call{
		URL: req.URL.String(), Format: req.Chat.Format(), Header: req.Credentials,
		Key: conversationKey(req),
	}}
	if s.config.Compaction.Summarizer == config.SummarizerProvider {
		if req.ClientOnly || !req.Chat.Format().Rules(req.Chat).Summarizes {
			return prepare.Writers{}
		}
		return prepare.Writers{Summarizer: a}
	}
	if req.ClientOnly && !s.hasAddresses() {
		return prepare.Writers{}
	}
	return prepare.Writers{Author: a}
}

// hasAddresses reports whether the models of our own calls have addresses of their own, so that
// none goes to the address of the client's request.
func (s *summaries) hasAddresses() bool {
	writer, judge := &s.config.Model, &s.config.Probe.Model
	return writer.Name != "" && writer.BaseURL != "" && (judge.Name == "" || judge.BaseURL != "")
}

func (a *author) Summarize(
	ctx context.Context, sent []byte, kept int,
) (prepare.ProviderSummary, error) {
	call := a.call
	call.Prefix = sent
	got, err := a.client.Summary(ctx, call, kept)
	a.reports.spent(got.Usage)
	return prepare.ProviderSummary{Message: []byte(got.Message), Text: got.Text}, err
}

// conversationKey identifies a conversation for the caps on calls and spending, in all replicas: by
// its owner and its first message.
func conversationKey(req proxy.Request) string {
	msgs := req.Chat.Messages()
	for i := range msgs {
		if !msgs[i].Role().Instructs() {
			return fmt.Sprintf("%s %x", req.Who, cache.Digests(nil, msgs[i:i+1])[0])
		}
	}
	return req.Who
}

// author implements [prepare.Author] and [prepare.Summarizer] for one request.
type author struct {
	*summaries
	call model.Call
}

// toWriter returns the call to the model that writes.
func (a *author) toWriter(sent []byte) model.Call {
	return a.to(a.config.Model.Name, a.config.Model.BaseURL, sent)
}

// toJudge returns the call to the model that verifies, answers and grades.
func (a *author) toJudge(sent []byte) model.Call {
	if p := &a.config.Probe.Model; p.Name != "" {
		return a.to(p.Name, p.BaseURL, sent)
	}
	return a.toWriter(sent)
}

// to returns the call to a model. Without a name it is the client's own model, called after the
// body that was sent last. The client's credentials are only sent to the upstream of its request.
func (a *author) to(name, baseURL string, sent []byte) model.Call {
	call := a.call
	switch {
	case name == "":
		call.Prefix = sent
	case baseURL != "":
		call.Header = nil
	}
	return call
}

func (a *author) Write(
	ctx context.Context, sent []byte, turns prepare.Turns, soFar string,
) (prepare.Written, error) {
	got, err := a.client.Statements(ctx, a.toWriter(sent), spanOf(turns, soFar))
	a.reports.spent(got.Usage)
	return prepare.Written{Statements: got.Statements, Form: string(got.Form)}, err
}

func spanOf(turns prepare.Turns, soFar string) model.Span {
	return model.Span{Messages: turns.Messages, First: turns.First, SoFar: soFar}
}

func (a *author) Verify(
	ctx context.Context, sent []byte, checks probe.Checks,
) ([]probe.Support, error) {
	answers, spent, err := a.judge.Verify(ctx, a.toJudge(sent), checks)
	a.reports.spent(spent)
	return answers, err
}

func (a *author) Ask(
	ctx context.Context, sent []byte, turns prepare.Turns, most int,
) ([]probe.Question, error) {
	questions, spent, err := a.client.Questions(ctx, a.toWriter(sent), spanOf(turns, ""), most)
	a.reports.spent(spent)
	return questions, err
}

func (a *author) Answer(
	ctx context.Context, sent []byte, narrative, record string, asked []probe.Question,
) ([]string, error) {
	answers, spent, err := a.judge.Answers(ctx, a.toJudge(sent),
		model.Record{Written: narrative, Kept: record}, asked)
	a.reports.spent(spent)
	return answers, err
}

func (a *author) Grade(
	ctx context.Context, sent []byte, answers []probe.Answered,
) ([]float64, error) {
	scores, spent, err := a.judge.Grade(ctx, a.toJudge(sent), answers)
	a.reports.spent(spent)
	return scores, err
}
