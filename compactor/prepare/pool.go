package prepare

import (
	"context"
	"slices"
	"sync"
)

// Limits of a pool.
const (
	poolWorkers = 2
	poolWaiting = 32       // jobs that are reserved or queued
	poolBytes   = 64 << 20 // of the requests that all jobs hold
)

// pool runs jobs in the background: a few at once, and one per conversation. The number of
// waiting ones is bounded. Its goroutines end when the queue is empty.
type pool struct {
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	jobs    []*job // reserved, queued or running
	queue   []*job // started jobs that do not run yet, in order
	running int
	held    int // bytes
	closed  bool
}

func newPool() *pool {
	p := &pool{}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// job is work on a prefix of a conversation.
type job struct {
	pool *pool
	who  string // the owner of the conversation
	name string // of the prefix
	at   int    // the number of its messages
	held int    // bytes of memory that the job keeps in use
	run  func(context.Context)
	stop context.CancelFunc // nil until it runs
	done chan struct{}      // closed when it has run or was dropped
}

// reserve reserves room for a job. The caller must then call start or drop. It returns nil if
// there is no room.
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

// get returns the job on a prefix of a conversation, nil if there is none. name returns the
// name of a prefix.
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

// Jobs returns the number of jobs that run or wait.
func (p *pool) Jobs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.jobs)
}

// start queues the job, unless it was ended in the meantime.
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
		p.wg.Go(p.work)
	}
}

// drop removes a job that was not started, or that has run.
func (j *job) drop() {
	j.pool.mu.Lock()
	defer j.pool.mu.Unlock()
	j.pool.forget(j)
}

// forget removes a job. The caller holds the lock.
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

// work runs jobs until the queue is empty.
func (p *pool) work() {
	for {
		j, ctx := p.next()
		if j == nil {
			return
		}
		j.run(ctx) // recovers from its own panics
		j.run = nil
		j.stop()
		j.drop()
	}
}

// next takes a job from the queue. It returns nil if the queue is empty: then the worker ends.
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

// Abandon cancels the jobs for some conversations, chosen by their owner and by the name of a
// prefix, and waits until they have ended.
func (p *pool) Abandon(ctx context.Context, chosen func(who, name string) bool) error {
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

// Wait waits until all present jobs have ended.
func (p *pool) Wait(ctx context.Context) error {
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

// Close cancels the running jobs, drops the queued ones, and waits for the workers.
func (p *pool) Close() {
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
