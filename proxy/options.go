package proxy

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"killick/proxy/auth"
	"killick/proxy/cors"
	"killick/proxy/keepalive"
	"killick/proxy/stored"
	"killick/proxy/target"
	"killick/responses"
)

// Options says how to build a Proxy. Only Upstream, or Upstreams, is required.
type Options struct {
	// Upstream is the only upstream. Its Name and Takes are ignored.
	Upstream target.Upstream
	// Upstreams are several upstreams, instead of Upstream. A request goes to the first that
	// matches it.
	Upstreams []target.Upstream
	// Keys are the inbound keys: requests without one of them get 401. If empty, no key is
	// required.
	Keys []auth.Key
	// AdminToken is required by the AdminHandler, as Authorization: Bearer. If empty, none
	// is required, and only a loopback listener should serve it.
	AdminToken string
	// H2C also accepts HTTP/2 without TLS from clients. With TLS the version is negotiated.
	H2C bool

	// PassResponsesWebSocket passes upgrades of the responses path through. Otherwise they are
	// answered with 426, after which clients use HTTP.
	PassResponsesWebSocket bool

	// Recorder makes the answers to requests for compaction in the format of the responses API:
	// of POST /v1/responses/compact, and of those that end with a compaction_trigger. If nil, they
	// are forwarded.
	Recorder Recorder
	// Sealer makes and reads our compaction items. If nil, one with a random key, so that no item
	// outlives the process.
	Sealer *responses.Sealer

	CORS cors.Policy // if zero, the upstream's applies
	Mode Mode        // if empty, ModeOn
	// ModeOf is the mode for requests to a model, if models differ. Mode is then the
	// highest that it returns. If nil, Mode applies to all models.
	ModeOf    func(model string) Mode
	Compactor Compactor        // if nil, nothing is compacted
	Originals stored.Originals // used by /killick/outputs/. If nil, nothing is found there
	Summaries stored.Summaries // used by /killick/summaries/. If nil, nothing is found there
	// Expand is how models can read the originals. If empty, there is no tool.
	Expand Expand
	// Eraser is used by DELETE /killick/data and the like. If nil, there is nothing to delete.
	Eraser stored.Eraser
	// Isolation says which requests may share what is learned: "credential",
	// "inbound-key" (by the name of the key, of Keys), or "header:NAME" for
	// operators whose tokens rotate. If empty, "credential".
	Isolation string
	// Who returns a keyed hash of its parts, of at least 16 hexadecimal digits; it depends on
	// the boundaries of the parts. If nil, HMAC-SHA256 with a random key, so that nothing
	// learned outlives the process.
	Who func(parts ...string) string

	// CacheKeepAlive says which prompt caches of idle conversations are kept alive, and at what
	// cost. If zero, none.
	CacheKeepAlive keepalive.Options

	MaxBody int64 // bytes of a chat body, as sent and decoded. If zero, DefaultMaxBody
	MaxHeld int64 // bytes of all chat bodies together. If zero, DefaultMaxHeld; at least MaxBody
	// Memory is the maximum bytes of the state of conversations. If zero,
	// view.DefaultParserBytes.
	Memory    int64
	MaxHeader int // bytes of a request's header. If zero, 256 KiB
	Timeouts  Timeouts
	Version   string               // shown by /killick/version. If empty, "dev"
	Logger    *slog.Logger         // if nil, nothing is logged
	OwnTokens func() float64       // tokens of our own model calls. If nil, there are none
	Registry  *prometheus.Registry // if nil, a new one
}

// Expand is how models can read the originals of what was left out.
type Expand string

// The values of Expand.
const (
	ExpandOff  Expand = ""     // not by a tool
	ExpandTool Expand = "tool" // one more tool, answered here
	ExpandMCP  Expand = "mcp"  // a server that clients register
)

// The default limits of bodies.
const (
	DefaultMaxBody = 64 << 20
	DefaultMaxHeld = 512 << 20
)

// DefaultTimeouts returns the defaults.
func DefaultTimeouts() Timeouts { return Timeouts{}.withDefaults() }

// Timeouts are the time limits. Zero values mean the defaults given below.
type Timeouts struct {
	Connect    time.Duration // to reach the upstream, and again for its TLS handshake. 10s
	FirstByte  time.Duration // from the request sent to the reply's header; reasoning is slow. 10m
	Idle       time.Duration // of silence within an upstream's reply. 10m
	Compact    time.Duration // for the Compactor to decide. 30s
	BudgetWait time.Duration // for a chat request to wait for memory under MaxHeld. 10s
	Stall      time.Duration // for a client to read what is written to it. 5m
	Header     time.Duration // for a client to send a request's header. 10s
	Body       time.Duration // for a chat request's body, and 1s more per 32 KiB of it. 30s
	KeepAlive  time.Duration // an idle client connection is kept. 2m
	Drain      time.Duration // requests in flight get at shutdown. 30s
	Notice     time.Duration // /readyz says 503 before the listener closes. 0: no notice
}

func (t Timeouts) withDefaults() Timeouts {
	for _, d := range []struct {
		of  *time.Duration
		def time.Duration
	}{
		{&t.Connect, target.DefaultConnect},
		{&t.FirstByte, 10 * time.Minute},
		{&t.Idle, 10 * time.Minute},
		{&t.Compact, 30 * time.Second},
		{&t.BudgetWait, 10 * time.Second},
		{&t.Stall, 5 * time.Minute},
		{&t.Header, 10 * time.Second},
		{&t.Body, 30 * time.Second},
		{&t.KeepAlive, 2 * time.Minute},
		{&t.Drain, 30 * time.Second},
	} {
		if *d.of <= 0 {
			*d.of = d.def
		}
	}
	return t
}

func (o Options) withDefaults() Options {
	o.Mode = cmp.Or(o.Mode, ModeOn)
	o.Isolation = cmp.Or(o.Isolation, auth.ByCredential)
	if o.Who == nil {
		o.Who = auth.ProcessHash()
	}
	if o.Sealer == nil {
		var key [32]byte
		rand.Read(key[:])
		o.Sealer = responses.NewSealer(key)
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxHeld <= 0 {
		o.MaxHeld = DefaultMaxHeld
	}
	o.MaxHeld = max(o.MaxHeld, o.MaxBody)
	if o.MaxHeader <= 0 {
		o.MaxHeader = 256 << 10
	}
	o.Version = cmp.Or(o.Version, "dev")
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Registry = cmp.Or(o.Registry, prometheus.NewRegistry())
	o.Timeouts = o.Timeouts.withDefaults()
	return o
}

// validate reports all errors of the options at once.
func (o Options) validate() error {
	var errs []error
	errs = append(errs, o.upstreamFaults()...)
	if o.Mode.rank() == 0 {
		errs = append(errs, fmt.Errorf("mode: got %q, want on, observe or off", o.Mode))
	}
	switch o.Expand {
	case ExpandOff, ExpandTool, ExpandMCP:
	default:
		errs = append(errs, fmt.Errorf("expand: got %q, want tool, mcp or nothing", o.Expand))
	}
	if err := auth.CheckIsolation(o.Isolation, o.Keys); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, auth.Keys(o.Keys).Faults()...)
	errs = append(errs, o.CORS.Faults()...)
	return errors.Join(errs...)
}

// onlyUpstream is the name of the upstream if there is only one.
const onlyUpstream = "default"

// upstreams returns the upstreams of the options; that of the short form matches everything.
func (o *Options) upstreams() []target.Upstream {
	if len(o.Upstreams) > 0 {
		return o.Upstreams
	}
	only := o.Upstream
	only.Name, only.Takes = onlyUpstream, target.Rule{}
	return []target.Upstream{only}
}

// upstreamFaults are the errors of the upstreams, and of inbound keys for them.
func (o *Options) upstreamFaults() (errs []error) {
	if len(o.Upstreams) > 0 && (o.Upstream.BaseURL != nil || o.Upstream.APIKey != "") {
		errs = append(errs, errors.New("upstream: set in addition to upstreams"))
	}
	names := map[string]bool{}
	for _, u := range o.upstreams() {
		at := "upstream"
		if len(o.Upstreams) > 0 {
			at = "upstream " + strconv.Quote(u.Name)
			if u.Name == "" || names[u.Name] {
				errs = append(errs, fmt.Errorf("%s: the name is empty or already used", at))
			}
			names[u.Name] = true
		}
		for _, err := range u.Faults() {
			errs = append(errs, fmt.Errorf("%s: %w", at, err))
		}
	}
	for _, k := range o.Keys {
		if len(o.Upstreams) > 0 && k.Upstream != "" {
			errs = append(errs, fmt.Errorf("inbound keys: the upstream key of %s says not which "+
				"of the upstreams it is for", k.Name))
		}
	}
	return errs
}
