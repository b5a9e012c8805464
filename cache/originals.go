package cache

import (
	"context"
	"errors"
	"fmt"
)

// Original is content under its ref.
type Original struct {
	Ref     string // of [Secret.Ref]
	Content []byte
}

// PutOriginals keeps contents for who. They are written together and outlast the
// process; a loss of power within the next moments may cost them. Those that
// cannot be kept cost the others nothing.
func (s *Store) PutOriginals(ctx context.Context, who string, list []Original) error {
	type sealed struct {
		name   name
		record func() []byte
	}
	records := make([]sealed, 0, len(list))
	var failed error
	for _, o := range list {
		if len(o.Content) > MaxValueBytes {
			failed = errTooLarge(len(o.Content), MaxValueBytes)
			continue
		}
		n := originalName(who, o.Ref)
		records = append(records, sealed{n, s.record(n, o.Content)})
	}
	type outcome struct {
		due    []hit
		failed error // of those that are too large
	}
	done, err := call(ctx, s, func(ctx context.Context) (done outcome, err error) {
		for i, r := range records {
			if err := ctx.Err(); err != nil {
				return done, err
			}
			held, err := s.claim(r.name, r.record, false, s.look)
			switch {
			case errors.Is(err, ErrTooLarge):
				done.failed = err
			case err != nil:
				return done, err
			case !held.found():
				s.count.originalPuts.Add(1)
			case held.due:
				held.index = i
				done.due = append(done.due, held)
			}
		}
		return done, nil
	})
	for _, found := range done.due {
		s.renewLater(records[found.index].name, found.payload)
	}
	if errors.Is(err, ErrNoSpace) {
		s.count.refused.Add(1)
	}
	if err = errors.Join(failed, done.failed, err); err != nil {
		return fmt.Errorf("writing originals: %w", err)
	}
	return nil
}

// Original returns what was kept under a ref of [Secret.Ref] for the same who,
// else [ErrNotFound].
func (s *Store) Original(ctx context.Context, who, ref string) ([]byte, error) {
	n := originalName(who, ref)
	found, err := call(ctx, s, func(context.Context) (found hit, err error) {
		s.backend.read(func(get getter) {
			e, err := get(&n)
			found, _ = s.read(&n, e, err)
		})
		return found, nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading an original: %w", err)
	}
	if !found.found() {
		s.count.originalMisses.Add(1)
		return nil, fmt.Errorf("reading an original: %w", ErrNotFound)
	}
	s.count.originalHits.Add(1)
	if found.due {
		s.renewLater(n, found.payload)
	}
	return found.value, nil
}
