package fleet

import (
	"net/http"
	"strings"
	"testing"

	"killick/internal/e2e/proxytest"
)

// clients returns the names in the store that belong to clients.
func (s *store) clients(t testing.TB) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for name := range s.dump(t) {
		if strings.Contains(name, "{") {
			names[name] = true
		}
	}
	return names
}

// erased fails if a replica returns what was left out of requests, or the store has names that it
// did not have before.
func erased(t *testing.T, s *session, list []sent, all []*replica, shared *store,
	before map[string]bool) {
	t.Helper()
	for _, name := range refs(list) {
		for i, r := range all {
			waitFor(t, "the deletion at every replica", func() bool {
				a := r.Ask(t, http.MethodGet, "/killick/outputs/"+name, nil, s.header()...)
				return a.Status == http.StatusNotFound
			})
			if n := r.Total(t, "shared_store_waiting_bytes"); n > 0 {
				t.Errorf("replica %d still has %v bytes to write", i, n)
			}
		}
	}
	for name := range shared.clients(t) {
		if !before[name] {
			t.Errorf("the store still holds %s", name)
		}
	}
}

// What one replica is told to delete is gone from the shared store and from every replica, also
// from one that was down meanwhile and from one that still had some of it to write. What belongs
// to others stays.
func TestDeletionReachesEveryReplica(t *testing.T) {
	noLeaks(t)
	for name, remove := range map[string]func(r *replica, s *session) proxytest.Answer{
		"a conversation": func(r *replica, s *session) proxytest.Answer {
			return r.Ask(t, http.MethodDelete, "/killick/conversations",
				s.requests[len(s.requests)-1], s.header()...)
		},
		"a client": func(r *replica, s *session) proxytest.Answer {
			return r.Ask(t, http.MethodDelete, "/killick/data", nil, s.header()...)
		},
		"all": func(r *replica, _ *session) proxytest.Answer {
			return proxytest.Ask(t, http.MethodDelete, r.Admin+"/killick/data", nil)
		},
	} {
		if testing.Short() && name != "a conversation" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			u, shared := newUpstream(t), newStore(t)
			all, links := linked(t, 3, settings(u.URL+"/v1", shared.url()), shared)
			bob := written(t, spellings[0], "bob", 20)
			others := bob.run(t, u, all, nil)
			awaitWritten(t, all)
			before := shared.clients(t)
			s := written(t, spellings[0], "ann", 24)
			got := s.sendAll(t, u, all[0], s.requests[:8])
			got = append(got, s.sendAll(t, u, all[1], s.requests[8:16])...)
			got = append(got, s.sendAll(t, u, all[2], s.requests[16:20])...)
			awaitWritten(t, all)
			all[2].Stop()
			links[1].cut()
			got = append(got, s.sendAll(t, u, all[1], s.requests[20:])...)
			awaitUp(t, all[1:2], false)
			if all[1].Total(t, "shared_store_waiting_bytes") == 0 {
				t.Error("nothing waits: nothing is shown")
			}
			if a := remove(all[0], s); a.Status != http.StatusOK ||
				strings.Contains(string(a.Body), `"records":0`) {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			links[1].mend(shared.addr())
			awaitUp(t, all[1:2], true)
			all[2] = all[2].again(t)
			erased(t, s, got, all, shared, before)
			if name == "all" {
				erased(t, bob, others, all, shared, nil)
			} else {
				bob.found(t, all, others)
			}
			for _, r := range all {
				r.Stop()
			}
		})
	}
}

// A deletion that cannot reach the shared store says so, and what it is about is gone from the
// replica that was asked; told again when the store is back, it reaches the others.
func TestDeletionWithoutTheStore(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t)
	all, links := linked(t, 2, settings(u.URL+"/v1", shared.url()), shared)
	s := written(t, spellings[0], "ann", 20)
	got := s.run(t, u, all, nil)
	awaitWritten(t, all)
	links[0].cut()
	awaitUp(t, all[:1], false)
	last := s.requests[len(s.requests)-1]
	remove := func() proxytest.Answer {
		return all[0].Ask(t, http.MethodDelete, "/killick/conversations", last,
			s.header()...)
	}
	if a := remove(); a.Status < http.StatusInternalServerError ||
		!strings.Contains(all[0].log.String(), "try again") {
		t.Errorf("%d %s\n%s", a.Status, a.Body, all[0].log)
	}
	for _, name := range refs(got) {
		a := all[0].Ask(t, http.MethodGet, "/killick/outputs/"+name, nil, s.header()...)
		if a.Status == http.StatusOK {
			t.Errorf("%s is still at the replica that was asked", name)
		}
	}
	links[0].mend(shared.addr())
	awaitUp(t, all[:1], true)
	if a := remove(); a.Status != http.StatusOK {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	erased(t, s, got, all, shared, nil)
	for _, r := range all {
		r.Stop()
	}
}
