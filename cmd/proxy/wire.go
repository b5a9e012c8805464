package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"killick/cache"
	"killick/proxy"
	"killick/tokenizer"
)

// build wires the parts together. Whoever calls it runs the proxy, then calls
// close.
func build(c Config, log *slog.Logger) (*app, error) {
	options, err := proxyOptions(&c)
	if err != nil {
		return nil, err
	}
	store, secret, err := openStore(c.Cache, log)
	if err != nil {
		return nil, err
	}
	dumps, err := newDumps(c.Debug.DumpDir)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	counter := tokenizer.New(tokenizer.Options{})
	writers := newSummaries(&c, modelRoutes(options), counter.For(c.Model.Name).Text, dumps, log)
	compaction := newReportingEngine(&c, store, secret, counter, writers, dumps.folded(log))
	options.Compactor, options.Eraser = compaction, compaction
	options.Originals, options.Summaries, options.Who = compaction.stored.originals, compaction.stored.originals, secret.Who
	options.Logger, options.Registry = log, newRegistry(store, compaction)
	if writers != nil {
		options.OwnTokens = writers.tell.ownTokens
	}
	p, err := proxy.New(options)
	if err != nil {
		compaction.Close()
		return nil, errors.Join(err, store.Close())
	}
	return &app{proxy: p, store: storeName(c.Cache), close: func() error {
		compaction.Close()
		writers.close()
		return store.Close()
	}}, nil
}

// proxyOptions returns what a configuration says of the HTTP side alone.
func proxyOptions(c *Config) (o proxy.Options, err error) {
	upstream, err := url.Parse(c.Upstream.BaseURL)
	if err != nil {
		return o, errors.New("upstream.base_url: not a URL") // the cause quotes it
	}
	outbound, err := c.Upstream.Proxy.parse()
	if err != nil {
		return o, fmt.Errorf("upstream.proxy: %w", err)
	}
	tlsConfig, key, err := c.Upstream.tls()
	if err != nil {
		return o, fmt.Errorf("%s: %w", key, err)
	}
	modeOf, most := c.modes()
	return proxy.Options{
		Upstream: upstream,
		TLS:      tlsConfig,

		OutboundProxy: outbound,
		H2C:           c.H2C,
		UpstreamH2C:   c.Upstream.H2C,
		CORS:          proxy.CORS(c.CORS),

		APIKey:     string(c.Upstream.APIKey),
		Keys:       c.Auth.inboundKeys(),
		AdminToken: string(c.Admin.Token),
		Mode:       most,
		ModeOf:     modeOf,
		Isolation:  c.Isolation.String(),
		MaxBody:    int64(c.Limits.MaxBody),
		MaxHeld:    int64(c.Limits.MaxHeld),
		Timeouts: proxy.Timeouts{
			Connect:   c.Timeouts.Connect,
			FirstByte: c.Timeouts.FirstByte,
			Idle:      c.Timeouts.Idle,
			Stall:     c.Timeouts.Stall,
			Header:    c.Timeouts.Header,
			KeepAlive: c.Timeouts.KeepAlive,
			Drain:     c.Timeouts.Drain,
			Notice:    c.Timeouts.Notice,
		},
		Version: version(),
	}, nil
}

// newRegistry holds the metrics of all parts but the proxy, which adds its own.
func newRegistry(store *cache.Store, compaction engine) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(storeMetrics{store}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if compaction.summaries != nil {
		compaction.summaries.tell.register(r)
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "killick_model_summaries_in_progress",
			Help: "Summaries that models write now, or are to."}, func() float64 { return float64(compaction.Preparing()) }))
	}
	return r
}

// openStore opens the store under its secret. In memory both live as long as
// the process.
func openStore(c Cache, log *slog.Logger) (*cache.Store, cache.Secret, error) {
	options := cache.Options{
		Dir: c.Dir, InMemory: c.InMemory, TTL: c.TTL, MaxBytes: int64(c.MaxSize),
		Secret: cache.NewSecret(), Logger: log,
	}
	if !c.InMemory {
		var err error
		if options.Secret, err = loadSecret(c.SecretPath()); err != nil {
			return nil, cache.Secret{}, err
		}
		if c.EncryptionKeyFile != "" {
			if options.EncryptionKey, err = cache.LoadKey(c.EncryptionKeyFile); err != nil {
				return nil, cache.Secret{}, err
			}
		}
	}
	store, err := cache.Open(options)
	return store, options.Secret, err
}

// loadSecret makes the folder that the secret lies in, which a first start
// with a store of its own folder has not made yet.
func loadSecret(path string) (cache.Secret, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cache.Secret{}, fmt.Errorf("making the folder of the store secret: %w", plainPathError(err))
	}
	return cache.LoadSecret(path)
}

func storeName(c Cache) string {
	if c.InMemory {
		return "memory"
	}
	return c.Dir
}
