package model

import (
	"cmp"
	"net/http"
	"time"

	"killick/model/endpoint"
	"killick/model/prompt"
)

// Defaults of Options.
const (
	DefaultWindow       = 32768
	DefaultMaxOutput    = 8192
	DefaultMaxPieces    = 8
	DefaultTimeout      = endpoint.DefaultTimeout
	DefaultCallsPerHour = endpoint.DefaultCallsPerHour
	DefaultSpendPerHour = endpoint.DefaultSpendPerHour
)

// The types of package endpoint that options and results are made of.
type (
	// Price is [endpoint.Price].
	Price = endpoint.Price
	// Limits is [endpoint.Limits].
	Limits = endpoint.Limits
	// Sums is [endpoint.Sums].
	Sums = endpoint.Sums
	// Usage is [endpoint.Usage].
	Usage = endpoint.Usage
)

// Identifiers is a policy on ids, hashes, addresses and the like.
type Identifiers = prompt.Identifiers

// The policies.
const (
	KeepIdentifiers   = prompt.KeepIdentifiers   // copied character by character
	RedactIdentifiers = prompt.RedactIdentifiers // left out
)

// MaxInstructions bounds the operator's guidance, in bytes.
const MaxInstructions = prompt.MaxGuidance

// Options configure a Client. The zero value asks in append alone.
type Options struct {
	// BaseURL is that of the API for standalone calls; calls go to
	// BaseURL/chat/completions. If empty, to where Call.URL says, in its format.
	BaseURL string
	// Name is the model for standalone calls. If empty, the one that Call.Prefix
	// names.
	Name string
	// APIKey is sent in standalone calls. If empty, Call.Header says who asks.
	APIKey string

	// Transport carries every call. If nil, http.DefaultTransport.
	Transport http.RoundTripper
	// Timeout bounds each request, besides the caller's context. If zero,
	// DefaultTimeout.
	Timeout time.Duration
	// MaxOutput is the most tokens that an answer may have, reasoning included.
	// If zero, DefaultMaxOutput.
	MaxOutput int
	// Window is that of the standalone model in tokens: a longer transcript is
	// asked about in pieces. If zero, DefaultWindow.
	Window int
	// MaxPieces is the most pieces that one transcript is asked about in. If zero,
	// DefaultMaxPieces.
	MaxPieces int
	// Count counts the tokens of a text that is to be sent to the standalone
	// model. If nil, three bytes are taken for a token, which is on the safe side
	// for most text.
	Count func(text string) int

	// Redact takes credentials out of every text of ours that is sent, and out of
	// what comes back. The bytes of Call.Prefix, which their provider has seen
	// already, stay as they are. If nil, nothing is taken out.
	Redact func(text string) string

	// Instructions are the operator's guidance on what matters. They stand in the
	// prompt for statements, marked as the operator's; New cuts them at
	// MaxInstructions.
	Instructions string
	// Identifiers says whether statements copy identifiers. The prompt asks for it;
	// it does not take them out of what comes back. If empty, KeepIdentifiers.
	Identifiers Identifiers

	// Prices returns what a model costs. If nil, everything is free, and a cap on
	// spend never holds.
	Prices func(model string) Price
	// Limits cap what one conversation may cost.
	Limits Limits
	// SharedLimits, if not nil, is a client whose caps hold for both together, in the
	// place of Limits.
	SharedLimits *Client

	// TripAfter is how many failures in a row stop calls to an endpoint's model for
	// Cooldown. If zero, the defaults of package endpoint.
	TripAfter int
	Cooldown  time.Duration

	// Trace is called with every request when it has ended, texts redacted, in the
	// goroutine that asks. If nil, nothing is traced.
	Trace func(Step)
	// Now is the clock of the limits. If nil, time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.MaxOutput = cmp.Or(o.MaxOutput, DefaultMaxOutput)
	o.Window = cmp.Or(o.Window, DefaultWindow)
	o.MaxPieces = cmp.Or(o.MaxPieces, DefaultMaxPieces)
	if o.Count == nil {
		o.Count = func(text string) int { return (len(text) + 2) / 3 }
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	o.Instructions = prompt.Guidance(o.Instructions)
	return o
}

// Client asks models. It is safe for concurrent use.
type Client struct {
	opt      Options
	endpoint *endpoint.Client
}

// New returns a client.
func New(opt Options) *Client {
	opt = opt.withDefaults()
	e := endpoint.Options{
		Transport: opt.Transport, Timeout: opt.Timeout, Prices: opt.Prices, Limits: opt.Limits,
		TripAfter: opt.TripAfter, Cooldown: opt.Cooldown, Now: opt.Now,
	}
	if opt.SharedLimits != nil {
		e.SharedLimits = opt.SharedLimits.endpoint
	}
	return &Client{opt: opt, endpoint: endpoint.New(e)}
}
