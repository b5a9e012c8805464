package replay

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"killick/replay/billing"
)

// Options are the parameters of a run.
type Options struct {
	Counter   Counter           // required
	Profiles  []billing.Profile // of bills; if empty, billing.DefaultProfiles
	MinTokens int               // shorter conversations are left out
	Workers   int               // if zero, one per processor
	// ModelProfile, if set, returns the profile of a conversation's model; ok is false if its
	// prices are not known.
	ModelProfile func(*Transcript) (p billing.Profile, ok bool)
	// Progress, if set, is called after each strategy of each conversation, by one goroutine at a
	// time.
	Progress func(Progress)
	// Each, if set, is called with what is forwarded at every turn; at is the index of the message
	// that answers. It is called by several goroutines.
	Each func(t *Transcript, strategy, at int, f Forwarded) error
}

// Progress states how much of a run is done, in bytes of transcripts times strategies.
type Progress struct{ Done, Of int64 }

// Result has the figures of one conversation, by strategy.
type Result struct {
	ID      string
	File    string
	Model   string
	Tokens  int
	Turns   int
	Figures []*Figures // one for each strategy, in order
	// IgnoredSkips counts ranges of messages that the usage reports as left out, although the
	// recorded cache reads show that they were sent.
	IgnoredSkips int
}

// Run sends all transcripts through all strategies, several at once. It returns results in the
// order of the transcripts, without those that are too short or have no answer of a model.
func Run(ctx context.Context, transcripts []*Transcript, strategies []Strategy,
	o Options) ([]Result, error) {
	if len(o.Profiles) == 0 {
		o.Profiles = billing.DefaultProfiles
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &runner{Options: o, strategies: strategies, results: make([]Result, len(transcripts))}
	order := make([]int, len(transcripts))
	for i, t := range transcripts {
		order[i] = i
		r.progress.Of += t.size() * int64(len(strategies)+1)
	}
	// The longest conversation is first: started last, it would keep one worker busy at the end.
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(transcripts[b].size(), transcripts[a].size())
	})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			for i := range next {
				if err := r.replay(ctx, i, transcripts[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, i := range order {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(r.results, func(res Result) bool { return res.Figures == nil }), nil
}

// runner is the state of a run.
type runner struct {
	Options
	strategies []Strategy
	results    []Result // by transcript; without figures if it was left out

	mu       sync.Mutex
	progress Progress
}

// replay replays one transcript.
func (r *runner) replay(ctx context.Context, i int, t *Transcript) error {
	if ctx.Err() != nil {
		return nil // the cause is recorded
	}
	if len(t.requests()) == 0 {
		r.done(t, len(r.strategies)+1)
		return nil
	}
	s, err := NewStudy(t, r.Counter)
	if err != nil {
		return err
	}
	if s.Tokens < r.MinTokens {
		r.done(t, len(r.strategies)+1)
		return nil
	}
	r.done(t, 1)
	res := Result{ID: t.ID, File: t.File, Model: t.Model(), Tokens: s.Tokens,
		Turns: len(s.turns), IgnoredSkips: s.ignoredSkips}
	for n, strategy := range r.strategies {
		if ctx.Err() != nil {
			return nil
		}
		profiles := strategy.Profiles
		if profiles == nil {
			profiles = r.Profiles
		}
		f, err := r.measure(s, strategy, profiles, func(at int, f Forwarded) error {
			if r.Each == nil {
				return ctx.Err()
			}
			return r.Each(t, n, at, f)
		})
		if err != nil {
			return err
		}
		res.Figures = append(res.Figures, f)
		r.done(t, 1)
	}
	r.results[i] = res
	return nil
}

// measure measures a strategy under the profiles, and under that of the conversation's model.
func (r *runner) measure(s *Study, strategy Strategy, profiles []billing.Profile,
	each func(at int, f Forwarded) error) (*Figures, error) {
	var own billing.Profile
	known := false
	if r.ModelProfile != nil {
		own, known = r.ModelProfile(s.Transcript)
	}
	if !known {
		return s.Measure(strategy, profiles, each)
	}
	last := len(profiles)
	f, err := s.Measure(strategy, append(slices.Clip(profiles), own), each)
	if err == nil {
		f.AtModel, f.Bills = &f.Bills[last], f.Bills[:last]
	}
	return f, err
}

func (r *runner) done(t *Transcript, parts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Done += t.size() * int64(parts)
	if r.Progress != nil {
		r.Progress(r.progress)
	}
}
