package wire

import (
	"log/slog"
	"net/http"
	"time"

	"killick/compactor/prepare"
	"killick/compactor/settings"
	"killick/internal/config"
	"killick/model"
	"killick/probe"
)

// summaries has models write for records: it holds the clients that call them, and reports the
// results.
type summaries struct {
	client     *model.Client // writes statements and asks questions
	judge      *model.Client // verifies, answers and grades; client if probe.model is not set
	config     *config.Config
	sums       model.Sums // of all replicas; nil without a shared store
	transports []Route
	reports    *summaryReports
}

// Route carries calls to a model.
type Route interface {
	http.RoundTripper
	CloseIdleConnections()
}

// Routes returns the Route to a base URL; "" means the upstream of the request.
type Routes func(baseURL string) Route

// newSummaries returns nil if no model writes.
func newSummaries(
	c *config.Config, route Routes, count func(string) int, sums model.Sums, dumps *dumps,
	log *slog.Logger,
) *summaries {
	s := &summaries{config: c, sums: sums, reports: newSummaryReports(log, dumps)}
	switch c.Compaction.Summarizer {
	case config.SummarizerProvider:
		s.client = model.New(s.options(route, "", "", ""))
		return s
	case config.SummarizerModel:
	default:
		return nil
	}
	options := s.options(route, c.Model.Name, c.Model.BaseURL, c.Model.APIKey)
	options.Instructions = c.Model.Instructions
	options.Identifiers = model.Identifiers(c.Model.Identifiers)
	if c.Model.Name != "" {
		options.Count = count
		if c.Model.Window != 0 {
			options.Window = c.Model.Window
		}
	}
	s.client = model.New(options)
	s.judge = s.client
	if p := &c.Probe.Model; p.Name != "" {
		options := s.options(route, p.Name, p.BaseURL, p.APIKey)
		options.SharedLimits = s.client
		s.judge = model.New(options)
	}
	return s
}

// options returns the options of a client for a model. Without a name, it calls each
// conversation's own model.
func (s *summaries) options(route Routes, name, baseURL string, key config.Secret) model.Options {
	c := s.config
	o := model.Options{
		Name:      name,
		APIKey:    string(key),
		Transport: s.route(route, baseURL),
		Timeout:   c.Model.Timeout,
		MaxOutput: c.Model.MaxOutput,
		Redact:    c.Compaction.Redact.Redactor(),
		Prices: func(name string) model.Price {
			p, _ := c.PricesOf(name)
			p = p.At(time.Now())
			return model.Price{Input: p.Input, Cached: p.Cached, Output: p.Output}
		},
		Limits: model.Limits{Calls: orNoCap(c.Model.MaxCalls), Spend: orNoCap(c.Model.MaxSpend),
			Sums: s.sums},
	}
	if name != "" {
		o.BaseURL = baseURL // if empty, the upstream of the request
		o.Window = settings.WindowOf(name, c.Windows()).Tokens
	}
	if s.reports.dumps != nil {
		o.Trace = s.reports.step
	}
	return o
}

func (s *summaries) route(route Routes, baseURL string) Route {
	t := route(baseURL)
	s.transports = append(s.transports, t)
	return t
}

// orNoCap converts a cap of the configuration, where 0 means none, to one of [model.Limits], where
// 0 means the default and -1 none.
func orNoCap[T int | float64](cap T) T {
	if cap == 0 {
		return -1
	}
	return cap
}

// writing returns the options of the compactor for summaries by models.
func (s *summaries) writing() prepare.Options {
	c := s.config
	w := prepare.Options{
		Bounds: probe.Thresholds{Pass: c.Probe.Threshold,
			SoftFail: c.Probe.HardFailThreshold},
		RejectUnprobed:    c.Probe.OnError == config.OnErrorReject,
		RedactIdentifiers: c.Model.Identifiers == string(model.RedactIdentifiers),
		OnlyForWindow:     c.Model.When == config.WhenWindow,
		// Several calls: an answer may be corrected once, and a long transcript has pieces.
		WriteTimeout: 4 * min(c.Model.Timeout, longestTimeout),
		ProbeTimeout: c.Probe.Timeout,
		Report:       s.reports.prepared,
	}
	if c.Probe.Enabled {
		w.MaxQuestions = c.Probe.MaxQuestions
	}
	return w
}

// longestTimeout keeps multiples of a time-out from overflowing.
const longestTimeout = 365 * 24 * time.Hour

// close closes idle connections. It is called after the last call.
func (s *summaries) close() {
	if s == nil {
		return
	}
	for _, t := range s.transports {
		t.CloseIdleConnections()
	}
}
