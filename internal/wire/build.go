// Package wire builds the running proxy from a configuration: it opens the store, connects the
// parts through the interfaces that they declare, and registers the metrics. It makes no decisions
// about requests, and does not read the configuration file.
package wire

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	"runtime/debug"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/buildinfo"
	"killick/internal/config"
	"killick/model"
	"killick/proxy"
	"killick/proxy/cors"
	"killick/proxy/keepalive"
	"killick/proxy/metric"
	"killick/responses"
	"killick/tokenizer"
)

// Build builds the proxy. The caller runs it, and then calls Close.
func Build(c config.Config, log *slog.Logger) (*App, error) {
	options, err := proxyOptions(&c)
	if err != nil {
		return nil, err
	}
	store, err := openStores(&c.Cache, log)
	if err != nil {
		return nil, err
	}
	dumps, err := newDumps(c.Debug.DumpDir)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if options.Mode != proxy.ModeOff {
		// Now, so that the first request does not wait for the tables.
		if err := tokenizer.Prepare(append(slices.Sorted(maps.Keys(c.Models)), "")...); err != nil {
			log.Warn("the tokenizer's tables cannot be built: counting will be slow",
				"cause", err.Error())
		}
	}
	counter := tokenizer.New(tokenizer.Options{Hash: hashUnder(store.secret)})
	var sums model.Sums
	if store.shared != nil {
		sums, options.CacheKeepAlive.Sums = store.shared, store.shared
	}
	writers := newSummaries(&c, modelRoutes(options), counter.For(c.Model.Name).Text, sums, dumps,
		log)
	compaction := NewEngine(&c, Parts{Store: store.own, Shared: store.shared,
		Secret: store.secret, Counter: counter, writers: writers, formed: dumps.folded(log)})
	store.start(compaction, &c)
	options.Compactor, options.Eraser = compaction, compaction
	kept := compaction.Originals()
	options.Originals, options.Summaries = kept, kept
	options.Who = store.secret.Who
	options.Sealer = responses.NewSealer(store.secret.Key(sealerUse))
	if c.Responses.Compact == config.CompactAnswer {
		options.Recorder = compaction
	}
	options.Logger, options.Registry = log, newRegistry(store, compaction)
	if writers != nil {
		options.OwnTokens = writers.reports.ownTokens
	}
	p, err := proxy.New(options)
	if err != nil {
		compaction.Close()
		return nil, errors.Join(err, store.Close())
	}
	end := func() error {
		compaction.Close()
		writers.close()
		return store.Close()
	}
	return &App{Proxy: p, Store: storeName(c.Cache), Close: end, metrics: options.Registry}, nil
}

// sealerUse derives the key of compaction items. If it changes, earlier items are refused.
const sealerUse = "compaction items"

// proxyOptions returns the options that only concern HTTP.
func proxyOptions(c *config.Config) (o proxy.Options, err error) {
	modeOf, most := c.Modes()
	o = proxy.Options{
		H2C:  c.H2C,
		CORS: cors.Policy(c.CORS),

		PassResponsesWebSocket: c.Responses.WebSocket == config.WebSocketPass,

		Expand: map[config.Expansion]proxy.Expand{
			config.ExpandTool: proxy.ExpandTool, config.ExpandMCP: proxy.ExpandMCP,
		}[c.Compaction.Expand],
		Keys:       c.Auth.InboundKeys(),
		AdminToken: string(c.Admin.Token),
		Mode:       most,
		ModeOf:     modeOf,
		Isolation:  c.Isolation.String(),
		MaxBody:    int64(c.Limits.MaxBody),
		MaxHeld:    int64(c.Limits.MaxHeld),
		Memory:     memory(int64(c.Limits.Memory)),
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
		Version: buildinfo.Version(),
	}
	if k := c.CacheKeepAlive; k.Enabled {
		o.CacheKeepAlive = keepalive.Options{MaxRequests: k.MaxRequests, MaxSpend: k.MaxSpend,
			MaxHeld: int64(k.MaxHeld), Prices: c.PricesOf}
	}
	err = setUpstreams(&o, c)
	return o, err
}

// newRegistry returns a registry with the metrics of all parts except the proxy, which adds its
// own.
func newRegistry(store *stores, compaction Engine) *prometheus.Registry {
	r := prometheus.NewRegistry()
	counts := new(metric.Set)
	counts.CounterFunc("counts_remembered_total",
		"Messages whose tokens were known from the same client's earlier requests.",
		func() float64 { found, _ := compaction.counter.Lookups(); return float64(found) })
	counts.CounterFunc("counts_made_total", "Messages whose tokens had to be counted.",
		func() float64 { _, made := compaction.counter.Lookups(); return float64(made) })
	r.MustRegister(
		statsMetrics[cache.Stats]{store.own.Stats, storeSeries},
		counts,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if store.shared != nil {
		r.MustRegister(statsMetrics[shared.Stats]{store.shared.Stats, sharedSeries})
	}
	if compaction.summaries != nil {
		written := &compaction.summaries.reports.set
		written.GaugeFunc("model_summaries_in_progress",
			"Summaries by models in progress or queued.",
			func() float64 { return float64(compaction.Preparing()) })
		r.MustRegister(written)
	}
	return r
}

func storeName(c config.Cache) string {
	if c.InMemory {
		return "memory"
	}
	return c.Dir
}

// App is the running proxy with its parts.
type App struct {
	Proxy *proxy.Proxy
	Store string       // where checkpoints are stored, for the log
	Close func() error // closes the parts, after the last request

	metrics *prometheus.Registry
}

// CountDropped adds the metric of lines that the log lost.
func (a *App) CountDropped(log *Log) {
	lines := new(metric.Set)
	lines.CounterFunc("log_lines_dropped_total",
		"Lines of the log that could not be written, or were dropped because whoever reads it "+
			"did not take them in time.",
		func() float64 { return float64(log.Dropped()) })
	a.metrics.MustRegister(lines)
}

// Closing is the most time that the proxy takes to stop, after timeouts.notice and timeouts.drain.
// Whatever stops the process must wait longer than the sum of the three before it kills it.
const Closing = proxy.Closing + shared.LastWrites + cache.CloseTimeout

// memory returns how many bytes the memory of conversations may take: the operator's setting, else
// a quarter of the runtime's memory limit; 0 if neither is set.
func memory(set int64) int64 {
	const share = 4
	if limit := debug.SetMemoryLimit(-1); set == 0 && limit < math.MaxInt64 {
		return limit / share
	}
	return set
}
