package prepare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
)

func TestPoolIsBounded(t *testing.T) {
	p := newPool()
	release := make(chan struct{})
	var jobs []*job
	for i := range 100 {
		j := p.reserve("ann", fmt.Sprint(i), i, 1, func(context.Context) { <-release })
		if j != nil {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) != poolWorkers+poolWaiting {
		t.Errorf("%d jobs were taken, want %d", len(jobs), poolWorkers+poolWaiting)
	}
	if j := p.get(200, func(n int) string { return fmt.Sprint(n) }); j != jobs[0] {
		t.Error("a job was not found by its prefix")
	}
	for _, j := range jobs[1:] {
		j.start()
	}
	jobs[0].drop()
	if p.get(0, func(n int) string { return fmt.Sprint(n) }) != nil {
		t.Error("a dropped job was found")
	}
	if p.reserve("ann", "big", 1, poolBytes, nil) != nil {
		t.Error("a job of too many bytes was taken")
	}
	close(release)
	for _, j := range jobs {
		<-j.done
	}
	p.Close()
	if p.reserve("ann", "late", 1, 1, nil) != nil || len(p.jobs) > 0 || p.held != 0 ||
		p.running != 0 {
		t.Errorf("after close: %d jobs, %d bytes, %d running", len(p.jobs), p.held, p.running)
	}
}

func TestPoolEndsWhatIsChosen(t *testing.T) {
	p := newPool()
	t.Cleanup(p.Close)
	var mu sync.Mutex
	ran, stopped := map[string]bool{}, map[string]bool{}
	started, release := make(chan struct{}, 10), make(chan struct{})
	reserve := func(who, name string) *job {
		return p.reserve(who, name, 1, 1, func(ctx context.Context) {
			started <- struct{}{}
			select {
			case <-ctx.Done():
			case <-release:
			}
			mu.Lock()
			defer mu.Unlock()
			ran[name], stopped[name] = true, ctx.Err() != nil
		})
	}
	bens, anns := reserve("ben", "ben, runs"), reserve("ann", "ann, runs")
	for _, j := range []*job{bens, anns} {
		j.start()
		<-started // both workers have something to do
	}
	waits, late := reserve("ann", "ann, waits"), reserve("ann", "ann, reserved")
	waits.start()
	other := reserve("ben", "ben, waits")
	other.start()
	if err := p.Abandon(t.Context(), func(who, _ string) bool { return who == "ann" }); err != nil {
		t.Fatal(err)
	}
	for _, j := range []*job{anns, waits, late} {
		select {
		case <-j.done:
		default:
			t.Errorf("%s is still there", j.name)
		}
	}
	late.start() // the request that reserved it has been answered
	close(release)
	<-bens.done
	<-other.done
	mu.Lock()
	defer mu.Unlock()
	want := map[string]bool{"ann, runs": true, "ben, runs": false, "ben, waits": false}
	if !maps.Equal(stopped, want) {
		t.Errorf("ran, and was stopped: %v, want %v", stopped, want)
	}
	if p.Jobs() > 0 {
		t.Errorf("%d jobs are left", p.Jobs())
	}
	stuck := make(chan struct{})
	j := p.reserve("cyd", "stuck", 1, 1, func(context.Context) { started <- struct{}{}; <-stuck })
	j.start()
	<-started
	<-started // other's
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Abandon(ctx, func(string, string) bool { return true }); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("a job that does not end is reported as ended: %v", err)
	}
	close(stuck)
}
