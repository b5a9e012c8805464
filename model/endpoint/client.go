package endpoint

import (
	"cmp"
	"net/http"
	"time"
)

// Defaults of Options.
const (
	DefaultTimeout   = time.Minute
	DefaultTripAfter = 5
	DefaultCooldown  = time.Minute
)

// Options configure a Client. The zero value is ready to use.
type Options struct {
	// Transport carries every request. If nil, http.DefaultTransport.
	Transport http.RoundTripper
	// Timeout bounds each request, in addition to the caller's context. If zero,
	// DefaultTimeout.
	Timeout time.Duration
	// Prices returns the price of a model. If nil, everything is free, and a cap on spend has
	// no effect.
	Prices func(model string) Price
	// Limits cap what one conversation may use.
	Limits Limits
	// SharedLimits, if not nil, is a client whose caps apply to both together, instead of
	// Limits.
	SharedLimits *Client
	// TripAfter is how many failures in a row stop requests to an endpoint's model for
	// Cooldown. If zero, DefaultTripAfter and DefaultCooldown.
	TripAfter int
	Cooldown  time.Duration
	// Now is the clock of the limits. If nil, time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.TripAfter = cmp.Or(o.TripAfter, DefaultTripAfter)
	o.Cooldown = cmp.Or(o.Cooldown, DefaultCooldown)
	if o.Prices == nil {
		o.Prices = func(string) Price { return Price{} }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Client makes requests. It is safe for concurrent use.
type Client struct {
	opt      Options
	dialects dialects
	breakers breakers
	limits   *ledger
}

// New returns a client.
func New(opt Options) *Client {
	opt = opt.withDefaults()
	limits := newLedger(opt.Limits, opt.Now)
	if opt.SharedLimits != nil {
		limits = opt.SharedLimits.limits
	}
	return &Client{
		opt:      opt,
		breakers: breakers{tripAfter: uint32(max(1, opt.TripAfter)), cooldown: opt.Cooldown},
		limits:   limits,
	}
}
