package proxy

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"killick/proxy/auth"
	"killick/proxy/cors"
	"killick/proxy/keepalive"
	"killick/responses"
)

// Mode is what is done to chat requests.
type Mode string

// The modes, the least first. A request may ask for less than the operator's
// mode, never for more.
const (
	ModeOff     Mode = "off"     // forward without a look
	ModeObserve Mode = "observe" // decide and report, forward the original
	ModeOn      Mode = "on"
)

func (m Mode) rank() int {
	switch m {
	case ModeOff:
		return 1
	case ModeObserve:
		return 2
	case ModeOn:
		return 3
	}
	return 0
}

// Options says how to build a Proxy. Only Upstream, or Upstreams, is required.
type Options struct {
	// Upstream is the API's base URL, such as https://api.openai.com/v1: what
	// clients call /v1. It must not hold credentials.
	Upstream *url.URL
	// APIKey replaces whatever credential the client sent. If empty, the
	// client's passes through.
	APIKey string
	// Keys are the inbound keys: requests without one of them get 401. If empty,
	// everybody who reaches the proxy is let in.
	Keys []auth.Key
	// AdminToken is required by the AdminHandler, as Authorization: Bearer. If empty,
	// nothing is, and only a loopback listener should serve it.
	AdminToken string
	// TLS configures connections to the upstream. If nil, the system's roots
	// and no client certificate.
	TLS *tls.Config
	// OutboundProxy is the HTTP or SOCKS proxy on the way to the upstream. If
	// nil, the environment says (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
	OutboundProxy *url.URL
	// H2C takes HTTP/2 without TLS from clients as well, and UpstreamH2C speaks
	// nothing else to an upstream whose URL begins with http://; upgrades apart,
	// which HTTP/2 has no way for. With TLS both sides agree on a version.
	H2C, UpstreamH2C bool
	// Upstreams are several upstreams, in the place of Upstream, APIKey, TLS, OutboundProxy and
	// UpstreamH2C. The first that takes a request gets it.
	Upstreams []Upstream

	// PassResponsesWebSocket lets upgrades of the responses path through. Else they are
	// answered 426, whereupon clients use HTTP.
	PassResponsesWebSocket bool

	// Recorder makes the answers to requests for compaction in the format of the responses API:
	// of POST /v1/responses/compact, and of those that end with a compaction_trigger. If nil, they
	// are forwarded.
	Recorder Recorder
	// Sealer makes and reads compaction items of ours. If nil, one with a key drawn at start-up,
	// so that no item outlives the process.
	Sealer *responses.Sealer

	CORS cors.Policy // if zero, none of ours
	Mode Mode        // if empty, ModeOn
	// ModeOf is the mode for requests to a model, where models differ. Mode is then
	// the most that it returns. If nil, Mode whatever the model.
	ModeOf    func(model string) Mode
	Compactor Compactor // if nil, every request fits
	Originals Originals // asked by /killick/outputs/. If nil, nothing is found there
	Summaries Summaries // asked by /killick/summaries/. If nil, nothing is found there
	// Expand is how models reach the originals. If empty, by no tool.
	Expand Expand
	// Eraser is asked by DELETE /killick/data and its like. If nil, there is nothing to erase.
	Eraser Eraser
	// Isolation says whose requests may share what is learnt: "credential",
	// "inbound-key" (by the name of the key, of Keys), or "header:NAME" for
	// operators whose tokens rotate. If empty, "credential".
	Isolation string
	// Who returns a keyed hash of its parts, of at least 16 hexadecimal digits; where one
	// part ends and the next begins changes it. If nil, HMAC-SHA256 under a key drawn at
	// start-up, so that nothing learnt outlives the process.
	Who func(parts ...string) string

	// CacheKeepAlive says which prompt caches of idle conversations are kept alive, and for how
	// much. If zero, none.
	CacheKeepAlive keepalive.Options

	MaxBody int64 // bytes of a chat body, as sent and decoded. If zero, DefaultMaxBody
	MaxHeld int64 // bytes of all chat bodies together. If zero, DefaultMaxHeld; at least MaxBody
	// Memory is how many bytes what is known of conversations may take. If zero,
	// chat.DefaultParserBytes.
	Memory    int64
	MaxHeader int // bytes of a request's header. If zero, 256 KiB
	Timeouts  Timeouts
	Version   string               // shown by /killick/version. If empty, "dev"
	Logger    *slog.Logger         // if nil, nothing is logged
	OwnTokens func() float64       // tokens of our own calls to models. If nil, none are made
	Registry  *prometheus.Registry // if nil, one of its own
	Ready     func() error         // asked by /readyz as well. If nil, always ready
}

// The bounds on bodies where Options say nothing.
const (
	DefaultMaxBody = 64 << 20
	DefaultMaxHeld = 512 << 20
)

// DefaultTimeouts returns those that stand where Options say nothing.
func DefaultTimeouts() Timeouts { return Timeouts{}.withDefaults() }

// Timeouts are the limits in time. Zero values stand for the defaults named.
type Timeouts struct {
	Connect   time.Duration // to reach the upstream, and again for its TLS handshake. 10s
	FirstByte time.Duration // from the request sent to the reply's header; reasoning is slow. 10m
	Idle      time.Duration // of silence within an upstream's reply. 10m
	Compact   time.Duration // for the Compactor to decide. 30s
	Room      time.Duration // a chat request waits for room under MaxHeld. 10s
	Stall     time.Duration // a client may take to accept what is written to it. 5m
	Header    time.Duration // for a client to send a request's header. 10s
	Body      time.Duration // for a chat request's body, and 1s more per 32 KiB of it. 30s
	KeepAlive time.Duration // an idle client connection is kept. 2m
	Drain     time.Duration // requests in flight get at shutdown. 30s
	Notice    time.Duration // /readyz says 503 before the listener closes. 0: no notice
}

func (t Timeouts) withDefaults() Timeouts {
	for _, d := range []struct {
		of  *time.Duration
		def time.Duration
	}{
		{&t.Connect, 10 * time.Second},
		{&t.FirstByte, 10 * time.Minute},
		{&t.Idle, 10 * time.Minute},
		{&t.Compact, 30 * time.Second},
		{&t.Room, 10 * time.Second},
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
	if o.Mode == "" {
		o.Mode = ModeOn
	}
	if o.Isolation == "" {
		o.Isolation = auth.ByCredential
	}
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
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	o.Timeouts = o.Timeouts.withDefaults()
	return o
}

// validate reports every fault of the options at once.
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
