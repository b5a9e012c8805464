package metric

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// The maximum number of values of one label, and of combinations of several labels: all routes,
// actions and status classes give 576.
const (
	maxWords    = 64
	maxCombined = 1024
)

// Words is a counter whose labels are words. The words should be fixed, but that cannot be
// enforced: past a maximum number, further ones count as "other".
type Words struct {
	vec  *prometheus.CounterVec
	seen *sync.Map // of label values, joined
	most int       // of them
}

// Words adds a counter whose labels are words.
func (s *Set) Words(name, help string, labels ...string) Words {
	most := maxWords
	if len(labels) > 1 {
		most = maxCombined
	}
	return Words{vec: s.CounterVec(name, help, labels...), seen: new(sync.Map), most: most}
}

// With returns the counter for the values of the labels.
func (w Words) With(labels ...string) prometheus.Counter {
	key := strings.Join(labels, " ")
	if c, ok := w.seen.Load(key); ok {
		return c.(prometheus.Counter)
	}
	n := 0
	w.seen.Range(func(any, any) bool { n++; return n < w.most })
	if n >= w.most {
		other := make([]string, len(labels))
		for i := range other {
			other[i] = "other"
		}
		return w.vec.WithLabelValues(other...)
	}
	c := w.vec.WithLabelValues(labels...)
	w.seen.Store(key, c)
	return c
}
