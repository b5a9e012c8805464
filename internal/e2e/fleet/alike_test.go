package fleet

import (
	"fmt"
	"net/http"
	"testing"
)

// alone runs a session through one process that shares nothing, under the secret of a replica.
func alone(t testing.TB, u *upstream, s *session, like *replica) []sent {
	t.Helper()
	c := like.Config
	c.Cache.URL, c.Cache.SecretFile = "", like.Config.Cache.SecretPath()
	r := start(t, c)
	defer r.Stop()
	return s.run(t, u, []*replica{r}, nil)
}

// Over several replicas with default settings a conversation is forwarded as one process forwards
// it, byte by byte, in every format; and what it names is found at each of them.
func TestReplicasForwardAlike(t *testing.T) {
	noLeaks(t)
	u := newUpstream(t)
	for _, n := range []int{2, 5} {
		if testing.Short() && n > 2 {
			break
		}
		shared := newStore(t)
		all := startAll(t, n, settings(u.URL+"/v1", shared.url()))
		for _, f := range spellings {
			t.Run(fmt.Sprint(n, " ", f.format.Name()), func(t *testing.T) {
				s := written(t, f, f.format.Name(), 40)
				got := s.run(t, u, all, nil)
				want := alone(t, u, s, all[0])
				if turns := differing(got, want); len(turns) > 0 {
					t.Errorf("turns %v of %d are forwarded otherwise than by one process", turns,
						len(got))
				}
				changes, alone := s.changes(t, got), s.changes(t, want)
				if changes != alone || compacted(got) < len(got)/2 || alone < 2 {
					t.Errorf("%d prefix changes, one process %d, of %d turns, %d compacted",
						changes, alone, len(got), compacted(got))
				}
				s.found(t, all, got)
			})
		}
		if totals(t, all, "shared_store_adopted_total") == 0 {
			t.Error("no replica took over a form of another")
		}
		for _, r := range all {
			r.Stop()
		}
	}
}

// found asks every replica for what was left out of what was forwarded.
func (s *session) found(t testing.TB, all []*replica, list []sent) {
	t.Helper()
	awaitWritten(t, all)
	named := refs(list)
	if len(named) < 3 {
		t.Errorf("%d refs: nothing is shown", len(named))
	}
	for _, name := range named {
		var first string
		for i, r := range all {
			a := r.Ask(t, http.MethodGet, "/killick/outputs/"+name, nil, s.header()...)
			if a.Status != http.StatusOK {
				t.Errorf("ref %s at replica %d: %d %.200s", name, i, a.Status, a.Body)
			}
			if i == 0 {
				first = string(a.Body)
			} else if string(a.Body) != first {
				t.Errorf("replica %d returns other bytes under %s", i, name)
			}
		}
		a := all[0].Ask(t, http.MethodGet, "/killick/outputs/"+name, nil, "Authorization",
			"Bearer somebody else")
		if a.Status != http.StatusNotFound {
			t.Errorf("another client asks for %s: %d", name, a.Status)
		}
	}
}
