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

// The types of package endpoint in options and results.
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
	KeepIdentifiers   = prompt.KeepIdentifiers   // copied verbatim
	RedactIdentifiers = prompt.RedactIdentifiers // left out
)

// MaxInstructions bounds the operator's guidance, in bytes.
const MaxInstructions = prompt.MaxGuidance

// Options configure a Client. The zero value only asks in append.
type Options struct {
	// BaseURL is that of the API for standalone calls; calls go to
	// BaseURL/chat/completions. If empty, to where Call.URL says, in its format.
	BaseURL string
	// Name is the model for standalone calls. If empty, the one that Call.Prefix
	// names.
	Name string
	// APIKey is sent in standalone calls. If empty, Call.Header has the credentials.
	APIKey string

	// Transport carries every call. If nil, http.DefaultTransport.
	Transport http.RoundTripper
	// Timeout bounds each request, in addition to the caller's context. If zero,
	// DefaultTimeout.
	Timeout time.Duration
	// MaxOutput is the maximum number of tokens of an answer, reasoning included.
	// If zero, DefaultMaxOutput.
	MaxOutput int
	// Window is that of the standalone model in tokens: a longer transcript is sent in
	// pieces. If zero, DefaultWindow.
	Window int
	// MaxPieces is the maximum number of pieces of one transcript. If zero,
	// DefaultMaxPieces.
	MaxPieces int
	// Count counts the tokens of a text for the standalone model. If nil, three bytes count
	// as a token, which is conservative for most text.
	Count func(text string) int

	// Redact removes credentials from every text that we write, and from what comes back.
	// The bytes of Call.Prefix, which the provider has seen already, are not changed. If
	// nil, nothing is removed.
	Redact func(text string) string

	// Instructions are the operator's guidance on what matters. They are part of the prompt
	// for statements, marked as the operator's; New truncates them to MaxInstructions.
	Instructions string
	// Identifiers says whether statements copy identifiers. It only changes the prompt, not
	// what comes back. If empty, KeepIdentifiers.
	Identifiers Identifiers

	// Prices returns the price of a model. If nil, everything is free, and a cap on spend has
	// no effect.
	Prices func(model string) Price
	// Limits cap what one conversation may cost.
	Limits Limits
	// SharedLimits, if not nil, is a client whose caps apply to both together, instead of
	// Limits.
	SharedLimits *Client

	// TripAfter is how many failures in a row stop calls to an endpoint's model for
	// Cooldown. If zero, the defaults of package endpoint.
	TripAfter int
	Cooldown  time.Duration

	// Trace is called with every finished request, with texts redacted, in the calling
	// goroutine. If nil, nothing is traced.
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

// Step is one request to a model and its result, for debug dumps. Its texts are redacted
// with Options.Redact, but quote the conversation.
type Step struct {
	Task  string `json:"task"` // statements, verdicts, questions, answers, grades or a summary
	Key   string `json:"key"`  // of the Call
	Form  Form   `json:"form"` // that was asked for
	Model string `json:"model"`
	// Append means that the prompt followed the client's own messages, which are omitted.
	Append bool `json:"append"`
	// Prompt has our messages, and the model's answers in between.
	Prompt   []string      `json:"prompt"`
	Answer   string        `json:"answer"`
	Usage    Usage         `json:"usage"`
	Duration time.Duration `json:"nanoseconds"`
	Error    string        `json:"error,omitempty"` // "" if the endpoint answered; else a Reason
}

// Form is how an answer was brought into its schema.
type Form string

// The forms. There is no fallback to plain text, which could not carry quotes.
const (
	Structured Form = "structured" // at once
	Corrected  Form = "corrected"  // after a retry that named the faults
	// FromProvider is a summary by the provider's API, without a schema.
	FromProvider Form = "provider"
)
