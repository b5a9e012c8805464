package fleet

import (
	"strings"
	"syscall"
	"testing"
)

// fault is what happens to the shared store in the middle of sessions.
type fault struct {
	name  string
	args  []string // of the server
	begin func(t testing.TB, s *store)
	end   func(t testing.TB, s *store)

	unseen bool // replicas need not notice: it answers all the time
	keeps  bool // the store has all that it had
}

var faults = []fault{
	{name: "killed and started empty",
		begin: func(_ testing.TB, s *store) { s.kill() },
		end:   func(t testing.TB, s *store) { s.start(t) }},
	{name: "paused", keeps: true,
		begin: func(t testing.TB, s *store) { s.signal(t, syscall.SIGSTOP) },
		end:   func(t testing.TB, s *store) { s.signal(t, syscall.SIGCONT) }},
	{name: "full", unseen: true, keeps: true,
		begin: func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "1mb") },
		end:   func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "0") }},
	{name: "full, evicting", unseen: true, args: []string{"--maxmemory-policy", "volatile-ttl"},
		begin: func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "1mb") },
		end:   func(t testing.TB, s *store) { s.tell(t, "CONFIG", "SET", "maxmemory", "0") }},
	{name: "flushed", unseen: true,
		begin: func(t testing.TB, s *store) { s.tell(t, "FLUSHALL") },
		end:   func(testing.TB, *store) {}},
	{name: "scripts flushed", unseen: true, keeps: true,
		begin: func(t testing.TB, s *store) { s.tell(t, "SCRIPT", "FLUSH") },
		end:   func(testing.TB, *store) {}},
}

// Whatever befalls the shared store in the middle of a session, no request fails; and once it is
// back, replicas forward the same again, and have in common what was made meanwhile.
func TestSessionsOutliveTheStore(t *testing.T) {
	noLeaks(t)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			u := newUpstream(t)
			shared := newStore(t, f.args...)
			all := startAll(t, 2, settings(u.URL+"/v1", shared.url()))
			s := written(t, spellings[0], "ann", 60)
			bob, b := written(t, spellings[0], "bob", 30), []sent(nil)
			carl := written(t, spellings[0], "carl", 31)
			c := carl.sendAll(t, u, all[0], carl.requests[:30])
			from, to := len(s.requests)/3, 2*len(s.requests)/3
			got := s.run(t, u, all, func(i int) {
				switch i {
				case from:
					awaitWritten(t, all)
					f.begin(t, shared)
					b = bob.sendAll(t, u, all[0], bob.requests[:from])
				case to:
					f.end(t, shared)
					awaitUp(t, all, true)
					b = append(b, bob.sendAll(t, u, all[1], bob.requests[from:])...)
				}
			})
			f.check(t, u, bob, all, b, from, from)
			c = append(c, carl.send(t, u, all[0], carl.requests[len(c)]))
			carl.found(t, all, c)
			f.check(t, u, s, all, got, from, to)
			for _, r := range all {
				r.stop()
			}
		})
	}
}

func (f *fault) check(
	t *testing.T, u *upstream, s *session, all []*replica, got []sent, from, to int,
) {
	t.Helper()
	want := alone(t, u, s, all[0])
	t.Logf("%d turns, %d prefix changes; alone %d; otherwise than alone: %v", len(got),
		s.changes(t, got), s.changes(t, want), differing(got, want))
	t.Logf("slowest: before %v, while away %v, after %v", slowest(got[:from], 1),
		slowest(got[from:to], 1), slowest(got[to:], 1))
	for _, m := range []string{"adopted", "published", "conflicts", "timeouts", "skipped",
		"outages", "failures", "refused", "dropped"} {
		t.Logf("%s: %v", m, totals(t, all, "shared_store_"+m+"_total"))
	}
	if !f.unseen {
		for i, r := range all {
			if r.total(t, "shared_store_outages_total") == 0 ||
				!strings.Contains(r.log.String(), "the shared store does not answer") {
				t.Errorf("replica %d neither counted nor logged an outage", i)
			}
		}
	}
	last := s.requests[len(s.requests)-1]
	for i, r := range all {
		if again := s.send(t, u, r, last); string(again.forwarded) !=
			string(got[len(got)-1].forwarded) {
			t.Errorf("replica %d forwards the last request otherwise", i)
		}
	}
	s.found(t, all, got)
}
