package cache

import (
	"context"
	"sync"
	"time"
)

// hit is a record found, at an index of the requested names.
type hit struct {
	payload payload
	value   []byte // what the payload holds, once it was read
	index   int
	expires time.Time
	version uint64
	due     bool // its time to live should be renewed
}

func (h *hit) found() bool { return h.payload.version != 0 }

// readOne reads the record under a name.
func (s *Store) readOne(ctx context.Context, n *name) (hit, error) {
	return call(ctx, s, func(context.Context) (found hit, err error) {
		s.backend.read(func(get getter) {
			e, err := get(n)
			found, _ = s.read(n, e, err)
		})
		return found, nil
	})
}

// read reads the result of a look-up, and its value; ok only if there is a record
// that is intact and has not expired.
func (s *Store) read(n *name, e entry, err error) (h hit, ok bool) {
	if h, ok = s.look(n, e, err); !ok {
		return hit{}, false
	}
	if h.value, err = h.payload.decompress(); err != nil {
		s.count.corrupt.Add(1)
		return hit{}, false
	}
	return h, true
}

// look is like read, but does not read the value.
func (s *Store) look(n *name, e entry, err error) (h hit, ok bool) {
	if e.record == nil && err == nil {
		return hit{}, false
	}
	if err == nil {
		h.payload, h.expires, err = s.sealer.open(*n, e.record)
	}
	if err != nil {
		s.count.corrupt.Add(1)
		return hit{}, false
	}
	if !h.expires.After(s.now()) {
		return hit{}, false
	}
	h.version, h.due = e.version, e.aged || s.due(h.expires)
	return h, true
}

// due reports whether the time to live of a record with this expiry should be renewed when it is
// used. More than a whole time to live is left if the clock or the setting went back.
func (s *Store) due(expires time.Time) bool {
	left := expires.Sub(s.now())
	return left < s.ttl/2 || left > s.ttl+time.Minute
}

// newClaim returns a claim of a name for a value. The record is created at most once.
func (s *Store) newClaim(
	n name, value []byte, compress func(value, room []byte) payload,
) *claim {
	return &claim{name: n, record: sync.OnceValue(func() (record []byte) {
		withRoom(value, func(room []byte) {
			record = s.sealer.seal(n, s.now().Add(s.ttl), compress(value, room))
		})
		return record
	})}
}

// accepting makes a claim keep the existing record if look finds it valid and not expired. The hit
// is that record, once the claim was executed; none if the claim's own was written.
func accepting(c *claim, look func(*name, entry, error) (hit, bool)) *hit {
	held := new(hit)
	c.accept = func(old entry) (ok bool) {
		*held, ok = look(&c.name, old, nil)
		return ok
	}
	return held
}

// renewLater renews a record's time to live without making anybody wait; if the
// store is busy, the next use will renew it.
func (s *Store) renewLater(n name, p payload) {
	record := s.sealer.seal(n, s.now().Add(s.ttl), p)
	renew := func() {
		_, err := inside(s, func() (struct{}, error) {
			return struct{}{}, s.backend.renew(n, record)
		})
		if err == nil {
			s.count.renewals.Add(1)
		}
	}
	if s.timeout == 0 {
		renew()
		return
	}
	select {
	case s.slots <- struct{}{}:
		go func() {
			defer func() { <-s.slots }()
			renew()
		}()
	default:
	}
}
