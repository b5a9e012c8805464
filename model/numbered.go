package model

import (
	"context"

	"killick/model/schema"
	"killick/probe"
)

// numbered is an entry of an answer that is about one of several things shown.
type numbered interface {
	number() int // of the thing, from 1
}

// askEach asks, in one call, for a value of each of n things, given by entries E with the
// thing's number. It returns missing for those without one. The list of entries is the
// member of the answer that is named like its schema.
func askEach[E numbered, V any](
	ctx context.Context, d *dialogue, s *schema.Schema, task string, n int,
	missing V, value func(c *schema.Cleaner, entry E) V,
) ([]V, Usage, error) {
	var values []V
	_, err := d.structured(ctx, s, task, func(text string) []string {
		var given map[string][]E
		if faults := s.Decode(text, &given); len(faults) > 0 {
			return faults
		}
		values = make([]V, n)
		for i := range values {
			values[i] = missing
		}
		c := schema.Cleaner{Redact: d.opt.Redact, MaxText: probe.MaxText}
		seen := make([]bool, n)
		entries := given[s.Name]
		for at, entry := range entries {
			number := entry.number()
			switch {
			case number < 1 || number > n:
				c.Faultf("%s.%d has the number %d, want 1 to %d", s.Name, at, number, n)
			case seen[number-1]:
				c.Faultf("%s has two entries of the number %d", s.Name, number)
			default:
				seen[number-1] = true
				values[number-1] = value(&c, entry)
			}
		}
		if len(entries) == 0 {
			c.Faultf("%s is empty, want %d entries", s.Name, n)
		}
		return c.Faults
	})
	if err != nil {
		return nil, d.usage, err
	}
	return values, d.usage, nil
}
