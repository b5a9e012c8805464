package formats

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeserver"
	"killick/prices"
	"killick/view"
)

// replica is the proxy as serve runs it, with a store on disk.
type replica struct{ *proxytest.Replica }

// deployment is where replicas find the secret that they share, and the settings that they have.
type deployment struct {
	folder string
	config config.Config
	stores int
}

func newDeployment(t testing.TB, upstream string, set func(*config.Config)) *deployment {
	t.Helper()
	d := &deployment{folder: t.TempDir(), config: balanced()}
	d.config.Upstream.BaseURL = upstream
	d.config.Cache.SecretFile = filepath.Join(d.folder, "secret")
	if set != nil {
		set(&d.config)
	}
	return d
}

// start starts a replica with a store of its own.
func (d *deployment) start(t testing.TB) *replica {
	t.Helper()
	d.stores++
	c := d.config
	c.Cache.Dir = filepath.Join(d.folder, "store"+strconv.Itoa(d.stores))
	return serve(t, c)
}

// restarted stops a replica and starts it again, with its store or with an empty one.
func (r *replica) restarted(t testing.TB, emptied bool) *replica {
	t.Helper()
	r.Stop()
	if emptied {
		if err := os.RemoveAll(r.Config.Cache.Dir); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, r.Config)
}

func serve(t testing.TB, c config.Config) *replica {
	t.Helper()
	r, err := proxytest.Serve(t, c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &replica{r}
}

// total returns the sum of a metric that counts, over its labels.
func (r *replica) total(t testing.TB, name string) int { return int(r.Total(t, name)) }

// wantTokens waits until this many tokens of replies are counted, which is just after the client
// has the last of them.
func wantTokens(t *testing.T, r *replica, want int) {
	t.Helper()
	got := 0
	for end := time.Now().Add(30 * time.Second); got != want && time.Now().Before(end); {
		got = r.total(t, "upstream_tokens_total")
	}
	if got != want {
		t.Errorf("%d tokens were counted so far, want %d", got, want)
	}
}

// ask sends a body and returns what was done with it, and what the upstream got.
func ask(
	t *testing.T, up *fakeserver.Server, r *replica, path string, body []byte, header []string,
) (action string, sent []byte) {
	t.Helper()
	up.Reset()
	a := r.Ask(t, "POST", path, body, header...)
	all := up.Requests()
	if a.Status != 200 || len(all) == 0 {
		t.Fatalf("%d %.300s, %d requests at the upstream", a.Status, a.Body, len(all))
	}
	return a.Action(), all[len(all)-1].Body
}

// before starts a proxy before a scripted upstream, which the test closes.
func before[S interface {
	URL() string
	Close()
}](t *testing.T, up S, set func(*config.Config)) (S, *replica) {
	t.Helper()
	t.Cleanup(up.Close)
	return up, newDeployment(t, up.URL(), set).start(t)
}

// checkCompacted has a session grow past the trigger, turn by turn. Under it, requests are sent as
// received; check gets what is sent from then on.
func checkCompacted(
	t *testing.T, up *fakeserver.Server, r *replica, f view.Format, path string, header []string,
	session func(turns int) []byte, check func(turns int, req *view.Request),
) {
	t.Helper()
	changed := 0
	for n := 1; n <= 24; n++ {
		body := session(n)
		action, sent := ask(t, up, r, path, body, header)
		if action == "none" {
			if !bytes.Equal(sent, body) {
				t.Fatalf("%d turns: under the trigger, but not sent as received", n)
			}
			continue
		}
		changed++
		req, err := view.Parse(f, sent)
		if err != nil {
			t.Fatal(err)
		}
		check(n, req)
	}
	if changed < 10 {
		t.Errorf("%d of 24 requests were compacted, want 10 at least", changed)
	}
	if r.total(t, "fail_opens_total") != 0 {
		t.Error("a request failed open")
	}
}

// between sets trigger and target.
func between(trigger, target int) func(*config.Config) {
	return func(c *config.Config) {
		c.Compaction.Trigger, c.Compaction.Target = config.Amount(trigger), config.Amount(target)
	}
}

// payingBetween sets trigger and target, and makes every form pay at once.
func payingBetween(trigger, target int) func(*config.Config) {
	return func(c *config.Config) {
		between(trigger, target)(c)
		paying(c)
	}
}

// paying makes every form pay at once: cached input costs no less than fresh one.
func paying(c *config.Config) {
	c.Models = map[string]config.ModelSpec{"*": {Prices: prices.Model{Input: 1, Cached: 1}}}
}

// balanced is a configuration of fixed sizes: what a test sets does not follow from prices.
func balanced() config.Config {
	c := config.Default()
	c.Compaction.SetProfile("balanced")
	return c
}
