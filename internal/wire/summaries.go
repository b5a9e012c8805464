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

// summaries is what lets models write in summaries: the clients that ask them, and
// what is reported of it.
type summaries struct {
	client *model.Client // writes, and asks questions
	// verifies, answers and grades; the same where the probe has no model of its own
	judge      *model.Client
	config     *config.Config
	sums       model.Sums // of all replicas; nil where there are no others
	transports []Route
	reports    *summaryReports
}

// Route is the way to a model.
type Route interface {
	http.RoundTripper
	CloseIdleConnections()
}

// Routes returns the way to a model at a base URL, "" for the upstream that the request goes to.
type Routes func(baseURL string) Route

// newSummaries returns nil where no model writes.
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

// options are those of a client for a model; without a name, for each
// conversation's own.
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
		// Here 0 is any number; there it is the default.
		Limits: model.Limits{Calls: orAny(c.Model.MaxCalls), Spend: orAny(c.Model.MaxSpend),
			Sums: s.sums},
	}
	if name != "" {
		o.BaseURL = baseURL // if empty, where the request at hand goes
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

func orAny[T int | float64](cap T) T {
	if cap == 0 {
		return -1
	}
	return cap
}

// writing is the compactor's part of it.
func (s *summaries) writing() prepare.Options {
	c := s.config
	w := prepare.Options{
		Bounds: probe.Thresholds{Pass: c.Probe.Threshold,
			SoftFail: c.Probe.HardFailThreshold},
		RejectUnprobed:    c.Probe.OnError == config.OnErrorReject,
		RedactIdentifiers: c.Model.Identifiers == string(model.RedactIdentifiers),
		OnlyForWindow:     c.Model.When == config.WhenWindow,
		// an answer may be corrected once, and long transcripts have pieces
		WriteTimeout: 4 * c.Model.Timeout,
		ProbeTimeout: c.Probe.Timeout,
		Report:       s.reports.prepared,
	}
	if c.Probe.Enabled {
		w.MaxQuestions = c.Probe.MaxQuestions
	}
	return w
}

// close lets go of idle connections. It is called when nothing is asked any
// more.
func (s *summaries) close() {
	if s == nil {
		return
	}
	for _, t := range s.transports {
		t.CloseIdleConnections()
	}
}
