package wire

import (
	"github.com/prometheus/client_golang/prometheus"

	"killick/cache"
)

// statsSeries is one metric from the counts in S.
type statsSeries[S any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*S) float64
}

// statsMetrics is a collector of counts, all from the same snapshot.
type statsMetrics[S any] struct {
	stats  func() S
	series []statsSeries[S]
}

var storeSeries = []statsSeries[cache.Stats]{
	statsCounter("cache_hits_total", "Lookups that found a checkpoint.",
		func(s *cache.Stats) uint64 { return s.Hits }),
	statsCounter("cache_misses_total", "Lookups that found no checkpoint.",
		func(s *cache.Stats) uint64 { return s.Misses }),
	statsCounter("cache_puts_total", "Checkpoints written.",
		func(s *cache.Stats) uint64 { return s.Puts }),
	statsCounter("cache_conflicts_total",
		"Checkpoints not written because another request was first.",
		func(s *cache.Stats) uint64 { return s.Conflicts }),
	statsCounter("cache_originals_total", "Originals of masked outputs written.",
		func(s *cache.Stats) uint64 { return s.OriginalPuts }),
	statsCounter("cache_corrupt_total", "Damaged records found; each counts as a miss.",
		func(s *cache.Stats) uint64 { return s.Corrupt }),
	statsCounter("cache_evicted_total",
		"Records removed to stay below the size limit: first replaced checkpoints, then what was "+
			"used least recently.",
		func(s *cache.Stats) uint64 { return s.EvictedCheckpoints + s.EvictedOriginals }),
	statsCounter("cache_refused_total",
		"Writes refused for lack of free space, or at the size limit.",
		func(s *cache.Stats) uint64 { return s.Refused }),
	statsCounter("cache_deleted_total", "Records removed on request.",
		func(s *cache.Stats) uint64 { return s.Deleted }),
	statsCounter("cache_failures_total", "Operations of the store that failed for another reason.",
		func(s *cache.Stats) uint64 { return s.Failures }),
	{describe("cache_bytes", "Size of the store, on disk or in memory."), prometheus.GaugeValue,
		func(s *cache.Stats) float64 { return float64(s.Bytes) }},
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("killick_"+name, help, nil, nil)
}

func statsCounter[S any](name, help string, of func(*S) uint64) statsSeries[S] {
	return statsSeries[S]{describe(name, help), prometheus.CounterValue,
		func(s *S) float64 { return float64(of(s)) }}
}

func (m statsMetrics[S]) Describe(ch chan<- *prometheus.Desc) {
	for _, s := range m.series {
		ch <- s.desc
	}
}

func (m statsMetrics[S]) Collect(ch chan<- prometheus.Metric) {
	stats := m.stats()
	for _, s := range m.series {
		ch <- prometheus.MustNewConstMetric(s.desc, s.kind, s.of(&stats))
	}
}
