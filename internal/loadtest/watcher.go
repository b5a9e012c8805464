package main

import (
	"context"
	"fmt"
	"time"
)

// watcher looks at a proxy's memory and goroutines while it is under load.
type watcher struct {
	of      *contestant
	rest    float64 // goroutines before anything was asked
	samples []int64 // of the memory, one a second
	err     error
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
			if err != nil {
				w.err = err
				return
			}
			w.samples = append(w.samples, m)
		}
	}
}

const (
	// growth is how much more memory the last quarter may take than the second:
	// what a collector's rhythm moves, and not what a leak does.
	growth = 1.25
	// strayGoroutines may be left at rest: those of connections that are kept, of
	// the store and of the runtime come and go.
	strayGoroutines = 12
	// settle is how long the proxy gets to come to rest: idle connections to the
	// upstream are kept for 90 seconds.
	settle = 100 * time.Second
)

// judge waits for the proxy to come to rest and prints what was seen.
func (w *watcher) judge(ctx context.Context) error {
	if w.err != nil {
		return w.err
	}
	second, last, most := w.quarter(1), w.quarter(3), int64(0)
	for _, m := range w.samples {
		most = max(most, m)
	}
	goroutines, err := w.of.metric("go_goroutines")
	for deadline := time.Now().Add(settle); err == nil && goroutines > w.rest+strayGoroutines && time.Now().Before(deadline); {
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
	t := table{title: "The proxy meanwhile", head: []string{"memory, second quarter", "last quarter", "most", "goroutines before", "at rest again", "panics"}}
	t.row(mib(second), mib(last), mib(most), fmt.Sprint(w.rest), fmt.Sprint(goroutines), fmt.Sprint(panics))
	t.print()
	switch {
	case float64(last) > growth*float64(second):
		return fmt.Errorf("memory grew from %s to %s, want %.0f%% at most", mib(second), mib(last), 100*growth)
	case goroutines > w.rest+strayGoroutines:
		return fmt.Errorf("%v goroutines at rest, %v before: want %d more at most", goroutines, w.rest, strayGoroutines)
	case panics > 0:
		return fmt.Errorf("%v panics, want none", panics)
	}
	return nil
}

// quarter returns the mean of one quarter of the samples.
func (w *watcher) quarter(n int) int64 {
	from, to := n*len(w.samples)/4, (n+1)*len(w.samples)/4
	if from == to {
		return 0
	}
	var sum int64
	for _, m := range w.samples[from:to] {
		sum += m
	}
	return sum / int64(to-from)
}
