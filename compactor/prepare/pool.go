package prepare

import (
	"context"
	"slices"
	"sync"
)

// Bounds of what is prepared in the background.
const (
	poolWorkers = 2
	poolWaiting = 32       // jobs that are reserved or wait
	poolBytes   = 64 << 20 // of the requests that all jobs hold
)

// pool runs jobs in the background: few at once, a bounded number waiting, one of a
// conversation at a time. Its goroutines end when nothing is left to do; close ends them
// all, and waits.
type pool struct {
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	jobs    []*job // reserved, waiting or running
	queue   []*job // those that wait, in order
	running int
	held    int // bytes
	closed  bool
}

func newPool() *pool {
	p := &pool{}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// job is work on a conversation as it was after so many messages.
type job struct {
	pool *pool
	who  string // whose conversation it is
	name string // of that prefix
	at   int    // how many messages it has
	held int    // bytes that are held for it
	run  func(context.Context)
	stop context.CancelFunc // nil until it runs
	done chan struct{}      // closed when it has run or was dropped
}

// reserve makes room for a job, which is held until start or drop is called; one
// of them must be. It returns nil where there is no room.
func (p *pool) reserve(who, name string, at, held int, run func(context.Context)) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.jobs) >= poolWorkers+poolWaiting || p.held+held > poolBytes {
		return nil
	}
	j := &job{
		pool: p,
		who:  who,
		name: name,
		at:   at,
		held: held,
		run:  run,
		done: make(chan struct{}),
	}
	p.jobs = append(p.jobs, j)
	p.held += held
	return j
}

// get returns the job on the conversation whose prefixes have these names, nil if
// there is none.
func (p *pool) get(messages int, name func(covers int) string) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range p.jobs {
		if j.at <= messages && name(j.at) == j.name {
			return j
		}
	}
	return nil
}

// size is how many jobs there are.
func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.jobs)
}

// start lets the job run once a worker is free, unless it was ended meanwhile.
func (j *job) start() {
	p := j.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.forget(j)
	}
	if !slices.Contains(p.jobs, j) {
		return
	}
	p.queue = append(p.queue, j)
	if p.running < poolWorkers {
		p.running++
		p.wg.Add(1)
		go p.work()
	}
}

// drop gives up a job that was not started.
func (j *job) drop() {
	j.pool.mu.Lock()
	defer j.pool.mu.Unlock()
	j.pool.forget(j)
}

// forget removes a job. It is called under the lock.
func (p *pool) forget(j *job) {
	for i := range p.jobs {
		if p.jobs[i] == j {
			p.jobs = append(p.jobs[:i:i], p.jobs[i+1:]...)
			p.held -= j.held
			close(j.done)
			return
		}
	}
}

// work runs jobs until none waits.
func (p *pool) work() {
	defer p.wg.Done()
	for {
		j, ctx := p.next()
		if j == nil {
			return
		}
		j.run(ctx) // contains its own panics
		j.run = nil
		j.stop()
		j.drop()
	}
}

// next takes a job from the queue, nil where it is empty: then the worker ends.
func (p *pool) next() (*job, context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.running--
		return nil, nil
	}
	j := p.queue[0]
	p.queue = p.queue[1:]
	var ctx context.Context
	ctx, j.stop = context.WithCancel(p.ctx)
	return j, ctx
}

// end cancels the chosen jobs, drops those of them that do not run yet, and returns when
// none is left.
func (p *pool) end(ctx context.Context, chosen func(who, name string) bool) error {
	p.mu.Lock()
	var ending []*job
	for _, j := range slices.Clone(p.jobs) {
		if !chosen(j.who, j.name) {
			continue
		}
		if j.stop == nil {
			p.queue = slices.DeleteFunc(p.queue, func(waiting *job) bool { return waiting == j })
			p.forget(j)
			continue
		}
		j.stop()
		ending = append(ending, j)
	}
	p.mu.Unlock()
	return waitFor(ctx, ending)
}

// wait returns when none of the jobs that there are now is left.
func (p *pool) wait(ctx context.Context) error {
	p.mu.Lock()
	jobs := slices.Clone(p.jobs)
	p.mu.Unlock()
	return waitFor(ctx, jobs)
}

func waitFor(ctx context.Context, jobs []*job) error {
	for _, j := range jobs {
		select {
		case <-j.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// close cancels what runs, drops what waits, and returns when all has ended.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, j := range p.queue {
		p.forget(j)
	}
	p.queue = nil
	p.mu.Unlock()
	p.stop()
	p.wg.Wait()
}
