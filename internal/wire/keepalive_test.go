package wire

import (
	"testing"
	"time"

	"killick/internal/config"
)

// Caches are kept alive only if configured, with the configured limits and prices.
func TestKeepAlivesAreConfigured(t *testing.T) {
	c := config.Default()
	o, err := proxyOptions(&c)
	if err != nil || o.CacheKeepAlive.MaxRequests != 0 || o.CacheKeepAlive.Prices != nil {
		t.Errorf("by default: %+v, %v", o.CacheKeepAlive, err)
	}
	c.CacheKeepAlive.Enabled = true
	c.Models = map[string]config.ModelSpec{"claude-*": {CacheTTL: 10 * time.Minute}}
	o, err = proxyOptions(&c)
	if err != nil {
		t.Fatal(err)
	}
	k := o.CacheKeepAlive
	if k.MaxRequests != 2 || k.MaxSpend != 0.5 || k.MaxHeld != 64<<20 {
		t.Errorf("if enabled: %+v", k)
	}
	if m, ok := k.Prices("claude-opus-5.5"); !ok || m.Lifetime != 10*time.Minute || m.Cached != .2 {
		t.Errorf("the prices are %+v, %t", m, ok)
	}
	if _, ok := k.Prices("nobody-knows-it"); ok {
		t.Error("an unknown model has prices")
	}
}
