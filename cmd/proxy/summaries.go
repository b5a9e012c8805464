package main

import (
	"log/slog"
	"net/http"

	"killick/chat"
	"killick/compactor"
	"killick/model"
	"killick/probe"
	"killick/proxy"
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
		Exam:           s.exam,
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

// exam holds what a model wrote against all that it replaces.
func (s *summaries) exam(replaced []chat.Message) func([]string) (invented, turned []int) {
	e := probe.Prepare(replaced, s.probes)
	return func(statements []string) (invented, turned []int) {
		for _, f := range e.Check(statements) {
			if f.Invented {
				invented = append(invented, f.Statement)
			}
			if f.Turned {
				turned = append(turned, f.Statement)
			}
		}
		return invented, turned
	}
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

// close lets go of idle connections. It is called when nothing is asked any
// more.
func (s *summaries) close() {
	if s != nil {
		s.transport.CloseIdleConnections()
	}
}
