package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"

	"killick/chat"
	"killick/compactor"
	"killick/model"
	"killick/probe"
	"killick/proxy"
	"killick/redact"
)

// summaries is what lets a model write summaries: the client that asks it, and
// what is told of it.
type summaries struct {
	client    *model.Client
	config    *Config
	transport *http.Transport
	probes    probe.Config
	tell      *summaryReports
}

// newSummaries returns nil where rules write all summaries.
func newSummaries(c *Config, transport *http.Transport, count func(string) int, log *slog.Logger) (*summaries, error) {
	if c.Compaction.Summarizer != "model" {
		return nil, nil
	}
	dumps, err := newDumps(c.Debug.DumpDir)
	if err != nil {
		return nil, err
	}
	s := &summaries{config: c, transport: transport, probes: c.Probe.rules(), tell: newSummaryReports(log, dumps)}
	options := model.Options{
		Name:      c.Model.Name,
		APIKey:    string(c.Model.APIKey),
		Transport: transport,
		Timeout:   c.Model.Timeout,
		MaxOutput: c.Model.MaxOutput,
		Redact:    c.Compaction.Redact.text(),
		Prices: func(name string) model.Price {
			p, _ := c.pricesOf(name)
			return model.Price(p)
		},
		// Here 0 is any number; there it is the default.
		Limits: model.Limits{Calls: orAny(c.Model.MaxCalls), Spend: orAny(c.Model.MaxSpend)},
	}
	if c.Model.Name != "" {
		options.BaseURL = c.Model.BaseURL
		if options.BaseURL == "" {
			options.BaseURL = c.Upstream.BaseURL
		}
		options.Count = count
		options.Window = c.Model.Window
		if options.Window == 0 {
			options.Window = compactor.WindowOf(c.Model.Name, c.Windows()).Tokens
		}
	}
	if dumps != nil {
		options.Trace = s.tell.step
	}
	s.client = model.New(options)
	return s, nil
}

// transport returns the way to the model, with the outbound settings of the way
// to the upstream. A client certificate is for the upstream alone.
func (m *OwnModel) transport(upstream proxy.Options) *http.Transport {
	t := proxy.NewTransport(upstream)
	if m.BaseURL != "" && t.TLSClientConfig != nil {
		t.TLSClientConfig.Certificates = nil
	}
	return t
}

func orAny[T int | float64](cap T) T {
	if cap == 0 {
		return -1
	}
	return cap
}

// writing is the compactor's part of it.
func (s *summaries) writing() compactor.Writing {
	c := s.config
	w := compactor.Writing{
		Contradictions: s.contradictions,
		MaxQuestions:   c.Probe.MaxQuestions,
		RejectUnproven: c.Probe.OnError == onErrorReject,
		WriteTimeout:   4 * c.Model.Timeout, // the ladder has three rungs, and long transcripts have pieces
		ProbeTimeout:   c.Probe.Timeout,
		MaxWait:        c.Compaction.MaxWait,
		Report:         s.tell.prepared,
	}
	if c.Probe.Enabled {
		w.Grade = s.grade
	}
	return w
}

// mostFacts is how many facts of the replaced turns a model's entries are held
// against.
const mostFacts = 64

// contradictions draws what stands in the messages, and tells of an entry
// whether it says something else.
func (s *summaries) contradictions(replaced []chat.Message) func(string) bool {
	config := s.probes
	config.MaxQuestions, config.MaxCritical = mostFacts, mostFacts
	questions := probe.Draw(replaced, config)
	return func(entry string) bool { return probe.Ask(questions, entry, config).Contradicted > 0 }
}

// grade judges a model's answers together with the probe by rules. The two means
// count the same. What rules found wrong stays wrong; what the model's questions
// found wrong counts in the mean.
func (s *summaries) grade(byRules compactor.Probe, asked []compactor.Asked, answers []string) compactor.Examined {
	qas := make([]probe.QA, min(len(asked), len(answers)))
	for i := range qas {
		qas[i] = probe.QA{Actual: answers[i], Question: probe.Question{
			Category: probe.Category(asked[i].Category), Prompt: asked[i].Text, Expected: asked[i].Expected,
		}}
	}
	report := probe.ScoreAnswers(qas, s.probes)
	got := compactor.Examined{Probe: byRules}
	for i, a := range report.Answers {
		got.Scores = append(got.Scores, a.Score)
		if a.Score < s.probes.Threshold {
			got.Failed = append(got.Failed, i)
		}
	}
	const slack = 1e-9
	got.Probe.Score = (byRules.Score + report.Score) / 2
	switch score := got.Probe.Score + slack; {
	case byRules.Verdict == compactor.HardFail || score < s.probes.HardFail:
		got.Probe.Verdict = compactor.HardFail
	case score < s.probes.Threshold || report.Contradicted > 0:
		got.Probe.Verdict = compactor.SoftFail
	}
	return got
}

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

// close lets go of idle connections. It is called when nothing is asked any
// more.
func (s *summaries) close() {
	if s != nil {
		s.transport.CloseIdleConnections()
	}
}

// summaryReports tells log, metrics and dumps what becomes of summaries.
type summaryReports struct {
	log   *slog.Logger
	dumps *dumps // nil: nothing is dumped
	*summaryMetrics
}

func newSummaryReports(log *slog.Logger, d *dumps) *summaryReports {
	return &summaryReports{log: log, dumps: d, summaryMetrics: newSummaryMetrics()}
}

// prepared is told of each preparation. Nothing that it quotes is logged.
func (r *summaryReports) prepared(p compactor.Preparation) {
	r.count(p)
	level := slog.LevelInfo
	if p.Err != nil && p.Outcome != compactor.PreparedCancelled || p.Outcome == compactor.PreparedPanic || p.Unasked != nil {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("outcome", p.Outcome), slog.Int("messages", p.WhenSent), slog.Int("folded", p.Folded),
		slog.Float64("duration_ms", float64(p.Duration.Microseconds())/1000),
	}
	if p.Form != "" {
		attrs = append(attrs, slog.String("form", p.Form))
	}
	if p.Probe != nil {
		attrs = append(attrs, slog.String("verdict", string(p.Probe.Verdict)), slog.Float64("score", math.Round(p.Probe.Score*1000)/1000))
	}
	if refused := p.Refused; refused != (compactor.Refused{}) {
		attrs = append(attrs, slog.Int("invented", refused.Invented), slog.Int("contradicting", refused.Contradicting), slog.Int("commanding", refused.Commanding))
	}
	if p.Err != nil {
		attrs = append(attrs, slog.String("cause", causeOf(p.Err)))
	}
	if p.Unasked != nil {
		attrs = append(attrs, slog.String("unasked", causeOf(p.Unasked)))
	}
	if p.Outcome == compactor.PreparedNothing {
		r.log.LogAttrs(context.Background(), slog.LevelWarn, "nothing is left to gain in a conversation; it is left alone until it has grown", attrs...)
	} else {
		r.log.LogAttrs(context.Background(), level, "summary by a model", attrs...)
	}
	if err := r.dumps.preparation(p); err != nil {
		r.log.LogAttrs(context.Background(), slog.LevelWarn, "writing a dump failed", slog.String("cause", plainPathError(err).Error()))
	}
}

func (r *summaryReports) step(s model.Step) {
	if err := r.dumps.step(s); err != nil {
		r.log.LogAttrs(context.Background(), slog.LevelWarn, "writing a dump failed", slog.String("cause", plainPathError(err).Error()))
	}
}

// causeOf says why in words that hold nothing of an upstream's reply.
func causeOf(err error) string {
	if reason := model.Reason(err); reason != "other" {
		return reason
	}
	var in *url.Error // would name the address, which may hold a key
	if errors.As(err, &in) {
		return "unavailable"
	}
	return redact.Text(strings.ToValidUTF8(err.Error(), "?"))
}
