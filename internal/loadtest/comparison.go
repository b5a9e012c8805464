package main

import (
	"fmt"
	"sync"
)

// comparison measures contestants side by side. All get the same requests, in alternating slices,
// so that changes in the machine's speed affect all alike; the best of several rounds counts.
type comparison struct {
	on       core        // of all contestants; the upstream and the client use the others
	binary   string      // the built proxy
	dir      string      // for files of the contestants
	direct   *contestant // the upstream itself, which the others are compared to
	field    []*contestant
	rounds   int
	share    float64 // of the full number of requests in each slice
	model    string
	sequence int // numbers the conversations, none of which is sent twice

	multiples multiples

	mu       sync.Mutex
	failures failures
}

// parallel is the number of concurrent requests while throughput and processor time are measured.
const parallel = 4

// failures counts the failed requests of a contestant. A bare ReverseProxy occasionally cuts
// replies of fast upstreams, which must not end the comparison.
type failures struct {
	n     map[*contestant]int
	first error // of Killick
}

// maxFailures is the number of failed requests of one contestant that ends the comparison.
const maxFailures = 1000

func (c *comparison) failed(one *contestant, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures.n[one]++
	if one.name == "killick" && c.failures.first == nil {
		c.failures.first = err
	}
	if c.failures.n[one] > maxFailures {
		return fmt.Errorf("%s failed more than %d requests, the last: %w", one.name,
			maxFailures, err)
	}
	return nil
}

func (c *comparison) stop() {
	for _, one := range append(c.field, c.direct) {
		one.stop()
	}
}

// multiples are Killick's processor times as multiples of nginx's, by kind and size.
type multiples map[[2]string]float64
