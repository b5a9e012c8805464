package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// watcher samples a proxy's memory and goroutines while it is under load.
type watcher struct {
	of     *contestant
	rest   float64 // goroutines before the first request
	memory []int64 // one per second
	live   []int64 // what the collector found in use, likewise
	err    error
}

func newWatcher(of *contestant) (*watcher, error) {
	rest, err := of.metric("go_goroutines")
	return &watcher{of: of, rest: rest}, err
}

// watch samples until ctx ends.
func (w *watcher) watch(ctx context.Context) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			m, err := w.of.memory()
			goal, goalErr := w.of.metric("go_memstats_next_gc_bytes")
			if w.err = errors.Join(err, goalErr); w.err != nil {
				return
			}
			w.memory = append(w.memory, m)
			// the collector's goal is twice the live heap, see GOGC
			w.live = append(w.live, int64(goal/2))
		}
	}
}

const (
	// growth limits the memory in use in the last quarter relative to the second. Resident memory
	// also includes what a burst once took.
	growth = 1.25
	// strayGoroutines may be left at rest: those of kept connections, the store and the runtime
	// come and go.
	strayGoroutines = 12
	// settle is how long the proxy may take to become idle: idle connections to the upstream are
	// kept for 90 seconds.
	settle = 100 * time.Second
)

// report waits for the proxy to become idle and prints what was sampled.
func (w *watcher) report(ctx context.Context) error {
	if w.err != nil {
		return w.err
	}
	second, last, most := quarter(w.live, 1), quarter(w.live, 3), int64(0)
	for _, m := range w.memory {
		most = max(most, m)
	}
	goroutines, err := w.of.metric("go_goroutines")
	for deadline := time.Now().Add(settle); err == nil && goroutines > w.rest+strayGoroutines &&
		time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		goroutines, err = w.of.metric("go_goroutines")
	}
	if err != nil {
		return err
	}
	panics, err := w.of.metric("killick_panics_total")
	if err != nil {
		return err
	}
	t := table{title: "The proxy meanwhile",
		head: []string{"in use, second quarter", "last quarter",
			"memory, second quarter", "last quarter", "most", "goroutines before", "at rest again",
			"panics"}}
	t.row(mib(second), mib(last), mib(quarter(w.memory, 1)), mib(quarter(w.memory, 3)), mib(most),
		fmt.Sprint(w.rest), fmt.Sprint(goroutines), fmt.Sprint(panics))
	t.print()
	switch {
	case grown(w.live):
		return fmt.Errorf("memory in use grew from %s to %s, want %.0f%% at most", mib(second),
			mib(last), 100*growth)
	case goroutines > w.rest+strayGoroutines:
		return fmt.Errorf("%v goroutines at rest, %v before: want %d more at most", goroutines,
			w.rest, strayGoroutines)
	case panics > 0:
		return fmt.Errorf("%v panics, want none", panics)
	}
	return nil
}

// grown reports whether the samples increased permanently.
func grown(samples []int64) bool {
	return float64(quarter(samples, 3)) > growth*float64(quarter(samples, 1))
}

// quarter returns the mean of one quarter of the samples.
func quarter(samples []int64, n int) int64 {
	from, to := n*len(samples)/4, (n+1)*len(samples)/4
	if from == to {
		return 0
	}
	var sum int64
	for _, m := range samples[from:to] {
		sum += m
	}
	return sum / int64(to-from)
}
