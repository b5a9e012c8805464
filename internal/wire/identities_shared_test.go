package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"killick/cache/shared"
	"killick/chat"
	"killick/internal/config"
	"killick/proxy/auth"
	"killick/proxy/stored"
	"killick/tokenizer"
)

// replicated are two replicas that share a store. Requests go to them alternately.
type replicated struct {
	replicas [2]*neighbours
	stores   [2]*shared.Store
	now      time.Time
	asked    int
}

// newReplicated starts two replicas at a server, with clocks that the test sets.
func newReplicated(t *testing.T, url string, set ...func(*config.Config)) *replicated {
	t.Helper()
	r := &replicated{now: atFirst}
	for i := range r.replicas {
		n := &neighbours{}
		c := compactingEarly()
		c.Cache.URL, c.Cache.InMemory = config.StoreURL(url), true
		c.Cache.Timeout = 10 * time.Second // nothing here depends on how fast the machine is
		for _, f := range set {
			f(&c)
		}
		stores, err := openStores(&c.Cache, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		e := NewEngine(&c, Parts{Store: stores.own, Shared: stores.shared, Secret: stores.secret,
			Counter: tokenizer.New(tokenizer.Options{}), now: func() time.Time { return r.now }})
		stores.start(e, &c)
		t.Cleanup(func() {
			e.Close()
			_ = stores.Close()
		})
		n.Local = &Local{e, stores.secret, stores.own}
		r.replicas[i], r.stores[i] = n, stores.shared
	}
	return r
}

// who is the same at both replicas.
func (r *replicated) who(i auth.Keys, isolation string, req *http.Request) string {
	return auth.NewIdentity(isolation, i, r.replicas[0].secret.Who).Of(req)
}

// session is like that of [neighbours], with the requests sent to the replicas alternately.
func (r *replicated) session(t *testing.T, who string) (seen, refs []string) {
	t.Helper()
	before, counts := r.counts()
	turns := listed(14)
	for _, body := range append([][]byte{turns[7]}, turns...) {
		r.now = r.now.Add(10 * time.Second)
		n := r.replicas[r.asked%2]
		r.asked++
		line, out := n.turn(t, who, body)
		seen, refs = append(seen, line), append(refs, refsIn(out.Body)...)
		r.written(t)
	}
	r.asked = 0
	after, countsNow := r.counts()
	for i := range countsNow {
		countsNow[i] -= counts[i]
	}
	return append(seen, fmt.Sprint("counts ", countsNow, "; trips ",
		after.RoundTrips-before.RoundTrips, "; adopted, published, conflicts ",
		after.Adopted-before.Adopted, after.Published-before.Published,
		after.Conflicts-before.Conflicts)), refs
}

// written waits until the replicas have done the writes that follow requests.
func (r *replicated) written(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, s := range r.stores {
		s.Flush(ctx)
		if n := s.Stats(); n.Waiting > 0 || n.Dropped > 0 || !n.Up {
			t.Fatalf("the shared store: %+v", n)
		}
	}
}

// counts are both replicas' counters that grow with requests.
func (r *replicated) counts() (of shared.Stats, n [6]uint64) {
	for i, local := range r.replicas {
		found, made := local.counter.Lookups()
		own := local.store.Stats()
		for j, v := range []uint64{found, made, own.Puts, own.Conflicts,
			own.Hits, own.OriginalPuts} {
			n[j] += v
		}
		s := r.stores[i].Stats()
		of.RoundTrips += s.RoundTrips - s.Async
		of.Adopted, of.Published = of.Adopted+s.Adopted, of.Published+s.Published
		of.Conflicts += s.Conflicts
	}
	return of, n
}

// refused has an upstream refuse a client's request at each replica.
func (r *replicated) refused(t *testing.T, who string) {
	t.Helper()
	for _, n := range r.replicas {
		n.refused(t, who)
	}
	r.written(t)
}

func (r *replicated) rest() { r.now = r.now.Add(time.Hour) }

// strangers checks at both replicas that refs can only be read by their owner.
func (r *replicated) strangers(t *testing.T, name, owner string, refs []string, other string) {
	t.Helper()
	for i, n := range r.replicas {
		n.strangers(t, fmt.Sprintf("%s, replica %d", name, i), owner, refs, other)
		for _, ref := range refs {
			for _, markdown := range []bool{true, false} {
				_, err := n.Originals().Summary(t.Context(), other, ref, markdown)
				if !errors.Is(err, stored.ErrNoOriginal) {
					t.Errorf("%s: another client's report: got %v, want %v", name, err,
						stored.ErrNoOriginal)
				}
			}
		}
	}
}

// identityKind is a pair of clients, and how they are distinguished.
type identityKind struct {
	pair      [2]*http.Request
	isolation string
	keys      auth.Keys
}

func identityKinds() map[string]identityKind {
	kinds := map[string]identityKind{}
	for name, pair := range identities() {
		kinds[name] = identityKind{pair: pair, isolation: auth.ByCredential}
	}
	kinds["isolation by a header"] = identityKind{isolation: auth.ByHeader + "X-Tenant",
		pair: [2]*http.Request{sender("Authorization", "Bearer c", "X-Tenant", "a"),
			sender("Authorization", "Bearer c", "X-Tenant", "b")}}
	kinds["isolation by an inbound key"] = identityKind{isolation: auth.ByInboundKey,
		keys: auth.Keys{{Name: "a", SHA256: sha256.Sum256([]byte("key-a"))},
			{Name: "b", SHA256: sha256.Sum256([]byte("key-b"))}},
		pair: [2]*http.Request{sender("Authorization", "Bearer key-a"),
			sender("Authorization", "Bearer key-b")}}
	if testing.Short() { // one of each kind
		maps.DeleteFunc(kinds, func(name string, _ identityKind) bool {
			return !strings.HasPrefix(name, "isolation") && !slices.Contains([]string{
				"Authorization", "X-Api-Key", "cookie", "query", "certificate", "none"}, name)
		})
	}
	return kinds
}

// servers are the servers of the tests: one in this process, and redis-server if it is installed.
func servers(t *testing.T) map[string]string {
	all := map[string]string{"miniredis": "redis://" + miniredis.RunT(t).Addr()}
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Log("redis-server is not installed (Debian: apt-get install redis-server): " +
			"only miniredis is asked")
		return all
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir",
		t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 500 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if testing.Short() {
		clear(all)
	}
	all["redis-server"] = "redis://" + address
	return all
}

// However two clients are distinguished, the second finds no data of the first in the shared store,
// at either replica, and takes as many round trips as without the first. Each finds its own data at
// both replicas.
func TestClientsOfEveryKindShareNothingAcrossReplicas(t *testing.T) {
	for name, url := range servers(t) {
		t.Run(name, func(t *testing.T) {
			alone := newReplicated(t, url)
			key := sender("Authorization", "Bearer alone")
			want, _ := alone.session(t, alone.who(nil, auth.ByCredential, key))
			one := newNeighbours(t)
			single, _ := one.session(t, one.identity.Of(key))
			if n := len(single) - 1; !slices.Equal(want[:n], single[:n]) {
				t.Errorf("two replicas decide\n%q\none process\n%q", want[:n], single[:n])
			}
			r := newReplicated(t, url)
			for name, kind := range identityKinds() {
				first := r.who(kind.keys, kind.isolation, kind.pair[0])
				second := r.who(kind.keys, kind.isolation, kind.pair[1])
				refs := wantStrangers(t, r, name, first, second, want)
				r.deletes(t, name, second, first, refs)
			}
		})
	}
}

// deletes has a client delete all of its own data and the conversation of another client, whose
// data remains.
func (r *replicated) deletes(t *testing.T, name, who, other string, refs []string) {
	t.Helper()
	req, err := r.replicas[0].parser.Parse(chat.Format, who, listed(14)[13])
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.replicas[0].EraseConversation(t.Context(), who, req); n == 0 || err != nil {
		t.Errorf("%s: the client's own conversation: %d deleted, %v", name, n, err)
	}
	if _, err := r.replicas[1].EraseOwner(t.Context(), who); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for i, n := range r.replicas {
		for _, ref := range refs {
			if _, err := n.Originals().Original(t.Context(), other, ref); err != nil {
				t.Errorf("%s, replica %d: another client's deletion took a ref: %v", name, i, err)
			}
		}
	}
	_, one := r.replicas[0].turn(t, other, listed(14)[13])
	r.written(t)
	_, two := r.replicas[1].turn(t, other, listed(14)[13])
	if !two.Reused || !bytes.Equal(one.Body, two.Body) {
		t.Errorf(
			"%s: the other client's form is found at the other replica: %t; the same bytes: %t",
			name,
			two.Reused,
			bytes.Equal(one.Body, two.Body),
		)
	}
}

// Proxies with different upstreams and the same store share nothing, even of the same client.
func TestUpstreamsShareNothingAcrossReplicas(t *testing.T) {
	url := "redis://" + miniredis.RunT(t).Addr()
	at := func(upstream string) func(*config.Config) {
		return func(c *config.Config) { c.Upstream.BaseURL = upstream }
	}
	here := newReplicated(t, url, at("https://here.example/v1"))
	there := newReplicated(t, url, at("https://there.example/v1"))
	who := here.who(nil, auth.ByCredential, sender("Authorization", "Bearer a"))
	want, refs := here.session(t, who)
	for _, n := range there.replicas {
		for _, ref := range refs {
			_, err := n.Originals().Original(t.Context(), who, ref)
			if !errors.Is(err, stored.ErrNoOriginal) {
				t.Errorf("a ref of the other upstream: got %v, want %v", err, stored.ErrNoOriginal)
			}
		}
	}
	if got, _ := there.session(t, who); !slices.Equal(got, want) {
		t.Errorf("at the other upstream the client sees\n%q\nat the first\n%q", got, want)
	}
}
