package fleet

import (
	"strings"
	"syscall"
	"testing"

	"killick/internal/config"
)

// fault is what happens to the shared store in the middle of sessions.
type fault struct {
	name  string
	args  []string // of the server
	begin func(t testing.TB, s *store)
	end   func(t testing.TB, s *store)

	unseen  bool // replicas need not notice: it answers all the time
	refuses bool // it takes no writes
}

var faults = []fault{
	{name: "killed and started empty",
		begin: func(_ testing.TB, s *store) { s.kill() },
		end:   func(t testing.TB, s *store) { s.start(t) }},
	{name: "paused",
		begin: func(t testing.TB, s *store) { s.signal(t, syscall.SIGSTOP) },
		end:   func(t testing.TB, s *store) { s.signal(t, syscall.SIGCONT) }},
	{name: "full", unseen: true, refuses: true,
		begin: func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "1mb") },
		end:   func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "0") }},
	{name: "full, evicting", unseen: true, args: []string{"--maxmemory-policy", "volatile-ttl"},
		begin: func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "1mb") },
		end:   func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "0") }},
	{name: "flushed", unseen: true,
		begin: func(t testing.TB, s *store) { s.tell(t, "FLUSHALL") },
		end:   func(testing.TB, *store) {}},
	{name: "scripts flushed", unseen: true,
		begin: func(t testing.TB, s *store) { s.tell(t, "SCRIPT", "FLUSH") },
		end:   func(testing.TB, *store) {}},
}

// Whatever befalls the shared store in the middle of a session, no request fails; and once it is
// back, replicas forward the same again, and have in common what was made meanwhile.
func TestSessionsOutliveTheStore(t *testing.T) {
	noLeaks(t)
	for i, f := range faults {
		if testing.Short() && i > 2 {
			break
		}
		t.Run(f.name, func(t *testing.T) {
			u := newUpstream(t)
			shared := newStore(t, f.args...)
			f.run(t, u, shared, settings(u.URL+"/v1", shared.url()))
		})
	}
}

// run has the fault begin and end in the middle of three sessions: one goes on all the time at two
// replicas, one has the time of the fault at the first of them and the rest at the second, and one
// was at the first before.
func (f *fault) run(t *testing.T, u *upstream, shared *store, c config.Config) {
	t.Helper()
	all := startAll(t, 2, c)
	ann, bob := written(t, spellings[0], "ann", 60), written(t, spellings[0], "bob", 30)
	carl := written(t, spellings[0], "carl", 31)
	const from, to = 20, 40
	before := carl.sendAll(t, u, all[0], carl.requests[:30])
	var moved []sent
	got := ann.run(t, u, all, func(i int) {
		switch i {
		case from:
			awaitWritten(t, all)
			f.begin(t, shared)
			moved = bob.sendAll(t, u, all[0], bob.requests[:from])
		case to:
			f.end(t, shared)
			awaitUp(t, all, true)
			moved = append(moved, bob.sendAll(t, u, all[1], bob.requests[from:])...)
		}
	})
	f.check(t, u, bob, all, moved)
	carl.found(t, all, append(before, carl.send(t, u, all[0], carl.requests[30])))
	f.check(t, u, ann, all, got)
	t.Logf("slowest beside the upstream: before %v, while away %v, after %v",
		slowest(got[:from], 1), slowest(got[from:to], 1), slowest(got[to:], 1))
	waited := totals(t, all, "shared_store_waited_seconds_total")
	timeouts := totals(t, all, "shared_store_timeouts_total")
	t.Logf("all waited %.3f s, with %v time-outs", waited, timeouts)
	for i, r := range all {
		if f.unseen {
			continue
		}
		if r.Total(t, "shared_store_outages_total") == 0 ||
			!strings.Contains(r.log.String(), "the shared store does not answer") {
			t.Errorf("replica %d neither counted nor logged an outage", i)
		}
	}
	if f.refuses && !strings.Contains(all[0].log.String(), "refuses writes") {
		t.Error("that the store took no writes was not logged")
	}
	for _, r := range all {
		r.Stop()
	}
}

// check fails unless a session was forwarded as one process forwards it, and all replicas agree on
// its last request and have what it left out.
func (f *fault) check(t *testing.T, u *upstream, s *session, all []*replica, got []sent) {
	t.Helper()
	want := alone(t, u, s, all[0])
	if turns := differing(got, want); len(turns) > 0 {
		t.Errorf("turns %v of %d are forwarded otherwise than by one process", turns, len(got))
	}
	t.Logf("%s: %d turns, %d prefix changes; alone %d", s.owner, len(got), s.changes(t, got),
		s.changes(t, want))
	last := s.requests[len(s.requests)-1]
	for i, r := range all {
		if again := s.send(t, u, r, last); string(again.forwarded) !=
			string(got[len(got)-1].forwarded) {
			t.Errorf("replica %d forwards the last request otherwise", i)
		}
	}
	s.found(t, all, got)
}
