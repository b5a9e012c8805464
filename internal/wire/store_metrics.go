package wire

import (
	"github.com/prometheus/client_golang/prometheus"

	"killick/cache"
)

// storeMetrics shows the store's counts to Prometheus.
type storeMetrics struct{ store *cache.Store }

// storeSeries is one figure of the store.
type storeSeries struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*cache.Stats) float64
}

var allStoreSeries = []storeSeries{
	storeCounter("cache_hits_total", "Lookups that found a checkpoint.",
		func(s *cache.Stats) uint64 { return s.Hits }),
	storeCounter("cache_misses_total", "Lookups that found none.",
		func(s *cache.Stats) uint64 { return s.Misses }),
	storeCounter("cache_puts_total", "Checkpoints written.",
		func(s *cache.Stats) uint64 { return s.Puts }),
	storeCounter("cache_conflicts_total",
		"Checkpoints not written because another request's was there first.",
		func(s *cache.Stats) uint64 { return s.Conflicts }),
	storeCounter("cache_originals_total", "Originals of masked outputs written.",
		func(s *cache.Stats) uint64 { return s.OriginalPuts }),
	storeCounter("cache_corrupt_total", "Damaged records met, each read as a miss.",
		func(s *cache.Stats) uint64 { return s.Corrupt }),
	storeCounter("cache_evicted_total",
		"Records removed to stay below the size limit, the oldest first.",
		func(s *cache.Stats) uint64 { return s.EvictedCheckpoints + s.EvictedOriginals }),
	storeCounter("cache_refused_total",
		"Writes refused for want of free space, or at the size limit.",
		func(s *cache.Stats) uint64 { return s.Refused }),
	storeCounter("cache_forgotten_total", "Records removed on request.",
		func(s *cache.Stats) uint64 { return s.Forgotten }),
	storeCounter("cache_failures_total", "Calls of the store that failed otherwise.",
		func(s *cache.Stats) uint64 { return s.Failures }),
	{describe("cache_bytes", "What the store takes, on disk or in memory."), prometheus.GaugeValue,
		func(s *cache.Stats) float64 { return float64(s.Bytes) }},
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("killick_"+name, help, nil, nil)
}

func storeCounter(name, help string, of func(*cache.Stats) uint64) storeSeries {
	return storeSeries{describe(name, help), prometheus.CounterValue,
		func(s *cache.Stats) float64 { return float64(of(s)) }}
}

// Describe implements [prometheus.Collector].
func (m storeMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, s := range allStoreSeries {
		ch <- s.desc
	}
}

// Collect implements [prometheus.Collector].
func (m storeMetrics) Collect(ch chan<- prometheus.Metric) {
	stats := m.store.Stats()
	for _, s := range allStoreSeries {
		ch <- prometheus.MustNewConstMetric(s.desc, s.kind, s.of(&stats))
	}
}
