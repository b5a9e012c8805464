package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Original is content under its ref.
type Original struct {
	Ref     string // of [Secret.Ref]
	Content []byte
}

// PutOriginals stores contents for who. They are written together and outlast the
// process; a power loss within the next moments may lose them. Those that cannot
// be stored do not affect the others.
func (s *Store) PutOriginals(ctx context.Context, who string, list []Original) error {
	claims := make([]*claim, 0, len(list))
	var failed error
	for _, o := range list {
		if len(o.Content) > MaxValueBytes {
			failed = errTooLarge(len(o.Content), MaxValueBytes)
			continue
		}
		claims = append(claims, s.newClaim(originalName(who, o.Ref), o.Content, compress))
	}
	type due struct {
		name    name
		payload payload
	}
	type outcome struct {
		due    []due
		failed error // of those that are too large
	}
	done, err := call(ctx, s, func(ctx context.Context) (done outcome, err error) {
		for some := range slices.Chunk(claims, claimsAtOnce) {
			if err := ctx.Err(); err != nil {
				return done, err
			}
			held := make([]*hit, len(some))
			for i, c := range some {
				held[i] = accepting(c, s.look)
			}
			if err := s.backend.claim(some); err != nil {
				return done, err
			}
			for i, c := range some {
				switch {
				case c.err != nil:
					done.failed = c.err
				case !c.kept:
					s.count.originalPuts.Add(1)
				case held[i].due:
					done.due = append(done.due, due{c.name, held[i].payload})
				}
			}
		}
		return done, nil
	})
	for _, d := range done.due {
		s.renewLater(d.name, d.payload)
	}
	if err = errors.Join(failed, done.failed, err); err != nil {
		return fmt.Errorf("writing originals: %w", err)
	}
	return nil
}

// claimsAtOnce is how many originals are written between two checks whether the caller still waits.
const claimsAtOnce = 64

// Original returns the content under a ref of [Secret.Ref] for the same who, else
// [ErrNotFound].
func (s *Store) Original(ctx context.Context, who, ref string) ([]byte, error) {
	n := originalName(who, ref)
	found, err := s.readOne(ctx, &n)
	if err != nil {
		return nil, fmt.Errorf("reading an original: %w", err)
	}
	if !found.found() {
		return nil, fmt.Errorf("reading an original: %w", ErrNotFound)
	}
	if found.due {
		s.renewLater(n, found.payload)
	}
	return found.value, nil
}
