package wire

import (
	"github.com/prometheus/client_golang/prometheus"

	"killick/cache/shared"
)

// sharedSeries are the figures of a store that replicas share.
var sharedSeries = []statsSeries[shared.Stats]{
	{describe("shared_store_up", "Whether the shared store is used: 1, or 0 while it is down."),
		prometheus.GaugeValue, func(s *shared.Stats) float64 {
			if s.Up {
				return 1
			}
			return 0
		}},
	sharedCounter("round_trips_total", "Round trips to the shared store.",
		func(s *shared.Stats) uint64 { return s.RoundTrips }),
	sharedCounter("commands_total", "Commands to the shared store.",
		func(s *shared.Stats) uint64 { return s.Commands }),
	{describe("shared_store_waited_seconds_total", "Time requests waited for the shared store."),
		prometheus.CounterValue, func(s *shared.Stats) float64 { return s.Waited.Seconds() }},
	sharedCounter("adopted_total", "Forms adopted from other replicas.",
		func(s *shared.Stats) uint64 { return s.Adopted }),
	sharedCounter("published_total",
		"Forms written to the shared store that only this replica had.",
		func(s *shared.Stats) uint64 { return s.Published }),
	sharedCounter("conflicts_total", "Forms not written because another replica was first.",
		func(s *shared.Stats) uint64 { return s.Conflicts }),
	sharedCounter("unsealed_total", "Values that no replica wrote; each counts as missing.",
		func(s *shared.Stats) uint64 { return s.Unsealed }),
	sharedCounter("timeouts_total", "Answers of the shared store that came too late.",
		func(s *shared.Stats) uint64 { return s.Timeouts }),
	sharedCounter("skipped_total", "Calls to the shared store that were skipped while it was down.",
		func(s *shared.Stats) uint64 { return s.Away }),
	sharedCounter("outages_total", "How often the shared store went down.",
		func(s *shared.Stats) uint64 { return s.Outages }),
	sharedCounter("failures_total", "Errors of connections to the shared store.",
		func(s *shared.Stats) uint64 { return s.Failures }),
	sharedCounter("refused_total",
		"Commands that the shared store refused, such as writes while it is full.",
		func(s *shared.Stats) uint64 { return s.Refused }),
	sharedCounter("dropped_total", "Asynchronous writes to the shared store that were dropped.",
		func(s *shared.Stats) uint64 { return s.Dropped }),
	sharedCounter("events_total", "Events received from other replicas.",
		func(s *shared.Stats) uint64 { return s.Received }),
	{describe("shared_store_waiting_bytes", "Bytes of pending asynchronous writes."),
		prometheus.GaugeValue, func(s *shared.Stats) float64 { return float64(s.Waiting) }},
}

func sharedCounter(
	name, help string, of func(*shared.Stats) uint64,
) statsSeries[shared.Stats] {
	return statsCounter("shared_store_"+name, help, of)
}
