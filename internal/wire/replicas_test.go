package wire

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"killick/chat"
	"killick/internal/config"
	"killick/proxy"
	"killick/tokenizer"
	"killick/view"
)

// Each process logs at start whether another one would forward the same bytes.
func TestDifferentReplicasAreFoundAtStart(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "secret")
	for name, c := range map[string]struct {
		memory bool
		secret string
		differ bool
	}{
		"defaults":        {false, "", true},
		"in memory":       {true, "", true},
		"a secret of all": {false, shared, false},
		"both":            {true, shared, true},
	} {
		var log bytes.Buffer
		settings := config.Default()
		settings.Cache.Dir = filepath.Join(t.TempDir(), "store")
		settings.Cache.InMemory, settings.Cache.SecretFile = c.memory, c.secret
		a, err := Build(settings, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "no store is shared") ||
			strings.Contains(log.String(), "would forward different bytes") != c.differ {
			t.Errorf("%s: the log says %s", name, log.String())
		}
	}
}

// A directory without its secret, such as a volume that holds only the one, is reported.
func TestMissingSecretIsReported(t *testing.T) {
	c := config.Default().Cache
	c.Dir = filepath.Join(t.TempDir(), "store")
	for i, reported := range []bool{false, false, true, false} {
		if reported {
			if err := os.Remove(c.SecretPath()); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		store, _, err := OpenStore(c, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(log.String(), "the secret of the store was missing") != reported {
			t.Errorf("start %d logs %q", i, log.String())
		}
	}
}

// A cache is kept alive by the replica that saw its conversation last.
func TestReplicasKeepCachesOnce(t *testing.T) {
	server := miniredis.RunT(t)
	now := time.UnixMilli(1_700_000_000_000)
	start := func() Engine {
		c := config.Default()
		c.Cache.InMemory, c.Cache.URL = true, config.StoreURL("redis://"+server.Addr())
		c.Cache.Timeout = 10 * time.Second // the machine may be busy
		c.Compaction.Trigger, c.Compaction.Target = 6000, 3000
		c.Compaction.IdleAfter = config.Idle(10 * time.Minute)
		stores, err := openStores(&c.Cache, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		e := NewEngine(&c, Parts{Store: stores.own, Shared: stores.shared, Secret: stores.secret,
			Counter: tokenizer.New(tokenizer.Options{}), now: func() time.Time { return now }})
		stores.start(e, &c)
		t.Cleanup(func() {
			e.Close()
			if err := stores.Close(); err != nil {
				t.Error(err)
			}
		})
		return e
	}
	a, b := start(), start()
	keeps := func(e Engine) func(context.Context, time.Duration) bool {
		req, err := view.Parse(chat.Format, listed(8)[7])
		if err != nil {
			t.Fatal(err)
		}
		out := e.Compact(t.Context(), proxy.Request{Chat: req, Who: "ann"})
		if out.KeepsCache == nil {
			t.Fatalf("nothing says whose the cache is: %s", out.Reason)
		}
		return out.KeepsCache
	}
	// The last-seen time is written after the request is answered.
	lastSeen := func(before string) (stored string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			for _, name := range server.Keys() {
				if strings.HasSuffix(name, ":v") {
					stored, _ = server.Get(name)
				}
			}
			if stored != "" && stored != before {
				return stored
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatal("no other last-seen time is written")
		return ""
	}
	first := keeps(a)
	before := lastSeen("")
	if !first(t.Context(), time.Minute) {
		t.Error("a replica that knows of no other does not keep a cache alive")
	}
	server.FastForward(2 * time.Minute) // the claim has expired
	now = now.Add(5 * time.Minute)
	second := keeps(b)
	lastSeen(before)
	if first(t.Context(), time.Minute) {
		t.Error("a replica keeps a cache alive that another has used since")
	}
	if !second(t.Context(), time.Minute) || second(t.Context(), time.Minute) {
		t.Error("the replica that used it last does not keep it alive, or does so twice")
	}
}
