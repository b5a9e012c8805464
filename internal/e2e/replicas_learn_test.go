package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"killick/internal/config"
	"killick/internal/fakeupstream"
)

// sharing returns settings of replicas that share a store and an upstream.
func sharing(store *miniredis.Miniredis, upstream *fakeupstream.Server) func(*config.Config) {
	return func(c *config.Config) {
		c.Upstream.BaseURL = upstream.URL()
		c.Cache.URL = config.StoreURL("redis://" + store.Addr())
		c.Cache.Timeout = 10 * time.Second // the machine may be busy
	}
}

// settled reports whether no request is in flight and nothing is being prepared.
func (g *writingGateway) settled(t testing.TB) bool {
	t.Helper()
	return g.metric(t, "killick_requests_in_flight ")+
		g.metric(t, "killick_model_summaries_in_progress ") == 0
}

// What one replica learned of a model's window is known to another, and to one that starts later.
func TestReplicasShareLearnedWindows(t *testing.T) {
	store := miniredis.RunT(t)
	upstream := fakeupstream.New(fakeupstream.Config{Window: 6000, Count: countForUpstream})
	t.Cleanup(upstream.Close)
	start := func() *writingGateway {
		return newWritingGateway(t, fakeupstream.Config{}, func(c *config.Config) {
			sharing(store, upstream)(c)
			c.Compaction.Summarizer = "extractive"
			c.Compaction.Trigger, c.Compaction.Target = balanced().Compaction.Trigger,
				balanced().Compaction.Target
		})
	}
	first, second := start(), start()
	body := longSession("")
	if f := first.send(t, body); f.status != http.StatusOK || !f.did("retry") {
		t.Fatalf("%d, %s", f.status, f.header.Get("Killick-Action"))
	}
	waitFor(t, func() bool {
		return second.metric(t, "killick_shared_store_events_total") > 0
	})
	for name, g := range map[string]*writingGateway{"the other": second, "a new one": start()} {
		if f := g.send(t, body); f.status != http.StatusOK || f.did("retry") {
			t.Errorf("%s: %d, %s", name, f.status, f.header.Get("Killick-Action"))
		}
	}
	if strings.Contains(store.Dump(), "gpt-4o") {
		t.Error("the store shows the name of the model")
	}
}

// A model writes each summary once, though two replicas see every turn, the second while the model
// writes for the first; and both use what it wrote.
func TestReplicasHaveSummariesWrittenOnce(t *testing.T) {
	store := miniredis.RunT(t)
	asked, goOn := make(chan struct{}), make(chan struct{})
	upstream := fakeupstream.New(fakeupstream.Config{
		Count: countForUpstream, Scripted: &fakeupstream.Scripted{}, Record: true,
		Fault: func(_ int, r *http.Request) (none fakeupstream.Fault) {
			if r.Header.Get("Turn") == "" { // a question of ours
				asked <- struct{}{}
				<-goOn
			}
			return none
		}})
	t.Cleanup(upstream.Close)
	set := func(c *config.Config) {
		folding(c)
		sharing(store, upstream)(c)
	}
	a, b := newWritingGateway(t, fakeupstream.Config{}, set), newWritingGateway(t,
		fakeupstream.Config{}, set)
	msgs := billing(30)
	for n := 4; n <= len(msgs); n += 2 {
		upstream.Reset()
		send := func(g *writingGateway) forwarded {
			return ask(t, g.url+chatPath, requestOf(msgs[:n]), "Authorization", "Bearer sk-client",
				"Turn", fmt.Sprint(n))
		}
		one := send(a)
		var two forwarded
		waitFor(t, func() bool {
			select {
			case <-asked:
				if two.status == 0 {
					two = send(b)
					b.settle(t)
				}
				goOn <- struct{}{}
			default:
			}
			return a.settled(t)
		})
		if two.status == 0 {
			two = send(b)
			b.settle(t)
		}
		var bodies [][]byte // of the turn as the replicas forwarded it
		for _, seen := range upstream.Requests() {
			if seen.Header.Get("Turn") != "" {
				bodies = append(bodies, seen.Body)
			}
		}
		if one.status != http.StatusOK || two.status != http.StatusOK || len(bodies) != 2 ||
			!bytes.Equal(bodies[0], bodies[1]) {
			t.Fatalf("turn %d: %d and %d, %d bodies, or not the same", n, one.status, two.status,
				len(bodies))
		}
		proof, other := one.header.Get("Killick-Probe"), two.header.Get("Killick-Probe")
		shown := len(narratives(t, bodies[0])) > 0
		if proof != other || shown != strings.Contains(proof, "verdict") {
			t.Errorf("turn %d: reported as %q and as %q", n, proof, other)
		}
	}
	const prepared = `killick_model_summaries_total{form="structured",outcome="prepared"}`
	const elsewhere = `killick_model_summaries_total{form="none",outcome="elsewhere"}`
	const used = `killick_compactions_total{outcome="summary_by_model"}`
	if a.metric(t, prepared) == 0 || a.metric(t, used) == 0 || b.metric(t, elsewhere) == 0 ||
		b.metric(t, "killick_model_calls_total ") > 0 {
		t.Errorf("%v prepared, %v used; the other replica left %v to it and made %v calls",
			a.metric(t, prepared), a.metric(t, used), b.metric(t, elsewhere),
			b.metric(t, "killick_model_calls_total "))
	}
}

// Caps on what models are asked hold for all replicas together.
func TestReplicasShareCaps(t *testing.T) {
	store := miniredis.RunT(t)
	upstream := fakeupstream.New(fakeupstream.Config{
		Count: countForUpstream, Scripted: &fakeupstream.Scripted{}})
	t.Cleanup(upstream.Close)
	set := func(c *config.Config) {
		folding(c)
		sharing(store, upstream)(c)
		c.Model.MaxCalls = 1 // for statements, and none to verify them
	}
	a, b := newWritingGateway(t, fakeupstream.Config{}, set), newWritingGateway(t,
		fakeupstream.Config{}, set)
	msgs := billing(30)
	const failed = `killick_model_summaries_total{form="none",outcome="model_failed"}`
	for n := 4; b.metric(t, failed) == 0; n += 2 {
		if n > len(msgs) {
			t.Fatal("the second replica did not want to ask")
		}
		a.send(t, requestOf(msgs[:n]))
		b.send(t, requestOf(msgs[:n]))
	}
	calls := []float64{a.metric(t, "killick_model_calls_total "),
		b.metric(t, "killick_model_calls_total ")}
	if calls[0] != 1 || calls[1] != 0 {
		t.Errorf("%v calls were made, want 1 by the first", calls)
	}
}
