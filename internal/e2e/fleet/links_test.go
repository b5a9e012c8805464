package fleet

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"killick/internal/config"
)

// A store that takes a while for each answer keeps no request longer than cache.timeout in all, and
// is not tried again and again.
func TestSlowStore(t *testing.T) {
	noLeaks(t)
	for _, delay := range []time.Duration{4 * time.Millisecond, 15 * time.Millisecond,
		60 * time.Millisecond} {
		if testing.Short() && delay != 15*time.Millisecond {
			continue
		}
		t.Run(delay.String(), func(t *testing.T) {
			u, shared := newUpstream(t), newStore(t)
			all, links := linked(t, 2, settings(u.URL+"/v1", shared.url()), shared)
			s := written(t, spellings[0], "ann", 40)
			before := links[0].connections() + links[1].connections()
			got := s.run(t, u, all, func(i int) {
				if i == 10 {
					links[0].slow(delay)
					links[1].slow(delay)
				}
			})
			waited := totals(t, all, "shared_store_waited_seconds_total")
			most := float64(len(got)) * config.Default().Cache.Timeout.Seconds()
			t.Logf("%d requests waited %.0f ms; slowest %v; %d connections, %v outages, %v "+
				"time-outs, adopted %v", len(got), 1000*waited, slowest(got[10:], 1),
				links[0].connections()+links[1].connections()-before,
				totals(t, all, "shared_store_outages_total"),
				totals(t, all, "shared_store_timeouts_total"),
				totals(t, all, "shared_store_adopted_total"))
			// What a request waits beyond is what the scheduler takes to wake it.
			if waited > 1.5*most {
				t.Errorf("%d requests waited %.3f s, want at most %.3f s", len(got), waited, most)
			}
			links[0].slow(0)
			links[1].slow(0)
			awaitUp(t, all, true)
			want := alone(t, u, s, all[0])
			if turns := differing(got, want); len(turns) > 0 {
				t.Errorf("turns %v are forwarded otherwise than by one process", turns)
			}
			s.found(t, all, got)
			for _, r := range all {
				r.Stop()
			}
		})
	}
}

// When the master fails and the address of the store moves to its replica, replicas go on there;
// and none keeps to the old one that came back as a replica.
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	noLeaks(t)
	u, master, second := newUpstream(t), newStore(t), newStore(t)
	second.tell(t, "REPLICAOF", master.host, itoa(master.port))
	waitFor(t, "replication", func() bool { return second.info(t, "master_link_status") == "up" })
	all, links := linked(t, 2, settings(u.URL+"/v1", master.url()), master)
	s := written(t, spellings[0], "ann", 60)
	got := s.run(t, u, all, func(i int) {
		switch i {
		case 20: // the operator changes over: both go on, and the old one is read-only
			awaitWritten(t, all)
			second.tell(t, "REPLICAOF", "NO", "ONE")
			master.tell(t, "REPLICAOF", second.host, itoa(second.port))
		case 30:
			for _, l := range links { // new connections lead to the new master
				l.mend(second.addr())
			}
			awaitUp(t, all, true)
		case 40: // the new master dies, and the old one takes over
			waitFor(t, "replication", func() bool {
				return master.info(t, "master_link_status") == "up"
			})
			awaitWritten(t, all)
			second.kill()
			master.tell(t, "REPLICAOF", "NO", "ONE")
			for _, l := range links {
				l.cut()
				l.mend(master.addr())
			}
		case 50:
			awaitUp(t, all, true)
		}
	})
	want := alone(t, u, s, all[0])
	if turns := differing(got, want); len(turns) > 0 {
		t.Errorf("turns %v are forwarded otherwise than by one process", turns)
	}
	s.found(t, all, got)
	for _, r := range all {
		if r.Total(t, "shared_store_outages_total") == 0 {
			t.Error("no outage was counted")
		}
		r.Stop()
	}
}

// While the store hangs, a replica ends within a few seconds, whatever it still has to write.
func TestEndWhileTheStoreHangs(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t)
	writes := settings(u.URL+"/v1", shared.url())
	before, other := written(t, spellings[0], "bob", 20), start(t, writes)
	first := 0 // the first request that is compacted, in every session like this one
	for _, x := range before.run(t, u, []*replica{other}, nil) {
		if compacted([]sent{x}) > 0 {
			break
		}
		first++
	}
	// A replica looks every few seconds whether the store answers. One that has just noticed that
	// it does not has nothing to write, and shows nothing: then another one is tried.
	for _, who := range []string{"ann", "cleo", "dan"} {
		r, s := start(t, writes), written(t, spellings[0], who, 20)
		s.sendAll(t, u, r, s.requests[:first])
		awaitWritten(t, []*replica{r})
		if endWhileHanging(t, r, shared, func() {
			if made := s.sendAll(t, u, r, s.requests[first:first+1]); compacted(made) == 0 {
				t.Errorf("%s: nothing is to be written", made[0].action)
			}
		}) {
			return
		}
	}
	t.Error("no replica tried to write when it ended")
}

// endWhileHanging ends a replica while its store hangs, with what write leaves to be written. It
// reports whether the replica still took the store to be up.
func endWhileHanging(t *testing.T, r *replica, shared *store, write func()) (up bool) {
	t.Helper()
	shared.signal(t, syscall.SIGSTOP)
	defer shared.signal(t, syscall.SIGCONT)
	write()
	up = r.Total(t, "shared_store_up") > 0
	began := time.Now()
	r.Stop()
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %v to end", took)
	} else {
		t.Logf("it took %v", took)
	}
	return up
}

// After an outage under load replicas make no more connections than they use at once.
func TestNoStormOfConnections(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t)
	all, links := linked(t, 2, settings(u.URL+"/v1", shared.url()), shared)
	const clients = 6
	var sessions [clients]*session
	for i := range sessions {
		sessions[i] = written(t, spellings[0], itoa(i), 24)
	}
	load := func(from, to int) {
		var running sync.WaitGroup
		for i, s := range sessions {
			running.Go(func() { s.sendAll(t, u, all[i%2], s.requests[from:to]) })
		}
		running.Wait()
	}
	load(0, 8)
	for _, l := range links {
		l.cut()
	}
	load(8, 16)
	awaitUp(t, all, false)
	before := links[0].connections() + links[1].connections()
	for _, l := range links {
		l.mend(shared.addr())
	}
	load(16, 24)
	awaitUp(t, all, true)
	made := links[0].connections() + links[1].connections() - before
	t.Logf("%d connections", made)
	if made > 10*clients {
		t.Errorf("%d connections were made for %d clients", made, clients)
	}
	for i, s := range sessions {
		last := s.requests[23]
		a, b := s.send(t, u, all[0], last), s.send(t, u, all[1], last)
		if string(a.forwarded) != string(b.forwarded) {
			t.Errorf("client %d: replicas differ", i)
		}
	}
	for _, r := range all {
		r.Stop()
	}
}
