// Package metric makes metrics for Prometheus, to be registered by subject. It bounds how many
// values their labels take, and never decides what is counted.
package metric

import "github.com/prometheus/client_golang/prometheus"

// prefix begins the name of every metric.
const prefix = "killick_"

// Set is a collector of metrics, registered as one when all are added. The zero Set is empty.
type Set struct{ list []prometheus.Collector }

// Counter adds a counter.
func (s *Set) Counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name, Help: help})
	s.list = append(s.list, c)
	return c
}

// CounterVec adds a counter with labels, whose values the caller bounds.
func (s *Set) CounterVec(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels)
	s.list = append(s.list, c)
	return c
}

// CounterFunc adds a counter that is read when it is scraped.
func (s *Set) CounterFunc(name, help string, of func() float64) {
	s.list = append(s.list, prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: prefix + name, Help: help}, of))
}

// Gauge adds a gauge.
func (s *Set) Gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + name, Help: help})
	s.list = append(s.list, g)
	return g
}

// GaugeFunc adds a gauge that is read when it is scraped.
func (s *Set) GaugeFunc(name, help string, of func() float64) {
	s.list = append(s.list, prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: prefix + name, Help: help}, of))
}

// Info adds a gauge that is always 1 and states a fact in a label.
func (s *Set) Info(name, help, label, value string) {
	s.list = append(s.list, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: prefix + name, Help: help, ConstLabels: prometheus.Labels{label: value},
	}, func() float64 { return 1 }))
}

// Histogram adds a histogram.
func (s *Set) Histogram(name, help string, buckets ...float64) prometheus.Histogram {
	h := prometheus.NewHistogram(
		prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets})
	s.list = append(s.list, h)
	return h
}

// Describe implements [prometheus.Collector].
func (s *Set) Describe(to chan<- *prometheus.Desc) {
	for _, c := range s.list {
		c.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (s *Set) Collect(to chan<- prometheus.Metric) {
	for _, c := range s.list {
		c.Collect(to)
	}
}
