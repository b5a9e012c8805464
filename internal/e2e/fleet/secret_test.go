package fleet

import (
	"path/filepath"
	"strings"
	"testing"

	"killick/cache"
	"killick/internal/config"
)

// Replicas with default settings agree on a secret. One with another secret or another key ends at
// its start with an error that says which settings differ.
func TestReplicasThatDifferDoNotStart(t *testing.T) {
	noLeaks(t)
	u := newUpstream(t)
	key := write(t, "key", strings.Repeat("ab", 32))
	other := write(t, "key", strings.Repeat("cd", 32))
	secret := filepath.Join(t.TempDir(), "secret")
	if _, err := cache.LoadSecret(secret); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		first, second config.Cache
		want          string
	}{
		"another secret": {second: config.Cache{SecretFile: secret}, want: "cache.secret_file"},
		"a key": {
			second: config.Cache{EncryptionKeyFile: key},
			want:   "or had, no cache.encryption_key_file",
		},
		"no key": {
			first: config.Cache{EncryptionKeyFile: key},
			want:  "or had, a cache.encryption_key_file",
		},
		"another key": {
			config.Cache{EncryptionKeyFile: key}, config.Cache{EncryptionKeyFile: other},
			"another cache.encryption_key_file",
		},
		"a secret and a key": {
			config.Cache{SecretFile: secret},
			config.Cache{SecretFile: secret, EncryptionKeyFile: key},
			"cache.encryption_key_file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			shared := newStore(t)
			with := func(own config.Cache) config.Config {
				set := settings(u.URL+"/v1", shared.url())
				set.Cache.Dir = filepath.Join(t.TempDir(), "store")
				set.Cache.SecretFile = own.SecretFile
				set.Cache.EncryptionKeyFile = own.EncryptionKeyFile
				return set
			}
			for range 2 { // those that agree
				r, err := serve(t, with(c.first))
				if err != nil {
					t.Fatal(err)
				}
				defer r.Stop()
				if !strings.Contains(r.log.String(), "replicas share a store") {
					t.Errorf("the log does not say so: %s", r.log)
				}
			}
			_, err := serve(t, with(c.second))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error that names %s", err, c.want)
			}
		})
	}
}

// A replica needs the shared store for its first start alone. One that starts later without it uses
// it once it is there. One that has none says that replicas will differ.
func TestStartsWithoutTheStore(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t)
	c := settings(u.URL+"/v1", shared.url())
	r := start(t, c)
	r.Stop()
	shared.kill()
	c.Cache.Dir = filepath.Join(t.TempDir(), "store")
	if _, err := serve(t, c); err == nil || !strings.Contains(err.Error(), "first") &&
		!strings.Contains(err.Error(), "no secret yet") {
		t.Errorf("a first start without the store: %v", err)
	}
	r = r.again(t)
	if r.Total(t, "shared_store_up") != 0 ||
		!strings.Contains(r.log.String(), "starts with its own secret") {
		t.Errorf("a later start without the store: %s", r.log)
	}
	s := written(t, spellings[0], "ann", 20)
	got := s.run(t, u, []*replica{r}, nil)
	shared.start(t)
	awaitUp(t, []*replica{r}, true)
	s.sendAll(t, u, r, s.requests[19:])
	later := start(t, c)
	s.found(t, []*replica{r, later}, got)
	if x := s.send(t, u, later, s.requests[19]); string(x.forwarded) !=
		string(got[19].forwarded) {
		t.Error("a replica that starts later forwards other bytes")
	}
	c.Cache.URL = ""
	alone := start(t, c)
	if !strings.Contains(alone.log.String(), "several replicas would forward different bytes") {
		t.Errorf("a replica that shares nothing does not say so: %s", alone.log)
	}
	for _, r := range []*replica{r, later, alone} {
		r.Stop()
	}
}

// Neither the names nor the values in the shared store show anything of conversations or clients.
func TestNothingCanBeReadInTheStore(t *testing.T) {
	const owner = "ann.of.the.first" // random names and encrypted values cannot hold it by chance
	u, shared := newUpstream(t), newStore(t)
	c := settings(u.URL+"/v1", shared.url())
	all := startAll(t, 2, c)
	for _, f := range spellings {
		s := written(t, f, owner, 30)
		s.run(t, u, all, nil)
		all[0].Ask(t, "DELETE", "/killick/conversations", s.requests[5], s.header()...)
	}
	awaitWritten(t, all)
	kinds := map[string]int{}
	for name, value := range shared.dump(t) {
		for _, x := range []string{name, value} {
			for _, marked := range []string{markedText, markedPath, markedKey, owner, "limit of ",
				"read_file", "Reading part", "mend programs", "gpt-4o", u.URL} {
				if strings.Contains(x, marked) {
					t.Errorf("%s shows %q", name, marked)
				}
			}
		}
		kinds[name[strings.LastIndex(name, ":"):][:2]]++
		if value == "" {
			t.Errorf("%s holds nothing", name)
		}
	}
	t.Logf("names by what they end in: %v", kinds)
	if len(kinds) < 5 {
		t.Errorf("%v: little is shown", kinds)
	}
	// Without an expiry there is only what all replicas must have in common.
	for name := range shared.dump(t) {
		forever := shared.tell(t, "TTL", name) == "-1"
		common := !strings.Contains(name, "{") && name != "killick:1:settings"
		if forever != common {
			t.Errorf("%s expires: %t", name, !forever)
		}
	}
}

// A replica with other settings than the one before it says which differ, and one with the same
// says nothing.
func TestReplicasWithOtherSettingsAreLogged(t *testing.T) {
	noLeaks(t)
	u, shared := newUpstream(t), newStore(t)
	same := settings(u.URL+"/v1", shared.url())
	other := same
	other.Compaction.Trigger, other.Isolation.Header = 5000, "X-Who"
	for i, step := range []struct {
		c    config.Config
		want string
	}{{same, ""}, {same, ""}, {other, `differ="compaction, isolation"`}, {other, ""}} {
		log := start(t, step.c).log.String() // the comparison is made before it serves
		if got := strings.Contains(log, "other settings"); got != (step.want != "") ||
			!strings.Contains(log, step.want) {
			t.Errorf("replica %d: %s, want %q", i, log, step.want)
		}
	}
}
