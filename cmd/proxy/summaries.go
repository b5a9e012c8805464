package main

import (
	"log/slog"
	"net/http"

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
	tell      *summaryReports
}

// newSummaries returns nil where rules write all summaries.
func newSummaries(
	c *Config, transport *http.Transport, count func(string) int, dumps *dumps, log *slog.Logger,
) *summaries {
	if c.Compaction.Summarizer != "model" {
		return nil
	}
	s := &summaries{config: c, transport: transport, tell: newSummaryReports(log, dumps)}
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
	return s
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
		Bounds:         probe.Bounds{Pass: c.Probe.Threshold, SoftFail: c.Probe.HardFailThreshold},
		RejectUnprobed: c.Probe.OnError == onErrorReject,
		WriteTimeout:   4 * c.Model.Timeout, // an answer may be corrected once, and long transcripts have pieces
		ProbeTimeout:   c.Probe.Timeout,
		MaxWait:        c.Compaction.MaxWait,
		Report:         s.tell.prepared,
	}
	if c.Probe.Enabled {
		w.MaxQuestions = c.Probe.MaxQuestions
	}
	return w
}

// close lets go of idle connections. It is called when nothing is asked any
// more.
func (s *summaries) close() {
	if s != nil {
		s.transport.CloseIdleConnections()
	}
}
