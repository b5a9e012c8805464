package shared

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"killick/hourly"
)

func TestClaims(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	claims := func(r *replica, work string, want bool) {
		t.Helper()
		if got := r.Claim(t.Context(), work, time.Minute); got != want {
			t.Errorf("%s is claimed: %t, want %t", work, got, want)
		}
	}
	claims(a, "one", true)
	claims(b, "one", false)
	claims(b, "two", true)
	a.Release("one")
	a.written(t)
	claims(b, "one", true)
	server.FastForward(2 * time.Minute)
	claims(a, "one", true)
	server.Close()
	claims(b, "one", true) // then each replica does the work
}

// Sums cover an hour, and replicas whose clocks differ count into the same sums.
func TestSums(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	begin := time.Unix(1_800_000_000, 0)
	add := func(r *replica, sum string, after time.Duration, amount, want float64) {
		t.Helper()
		got, ok := r.Add(t.Context(), sum, begin.Add(after), amount)
		if got != want || !ok {
			t.Errorf("after %v: %v, %t, want %v", after, got, ok, want)
		}
	}
	add(a, "calls", 0, 1, 1)
	add(b, "calls", time.Second, 2, 3)
	add(b, "spend", time.Second, .25, .25)
	add(a, "calls", 30*time.Minute, 4, 7)
	add(b, "calls", 30*time.Minute-time.Second, -4, 3)
	add(a, "calls", 54*time.Minute, 0, 3)
	add(a, "calls", 61*time.Minute, 0, 0)
	add(b, "calls", 80*time.Minute, 8, 8)
	name := a.workName("sum", "calls")
	if fields, err := server.HKeys(name); err != nil || len(fields) > hourly.Slots+1 {
		t.Errorf("the sum has %d fields, %v", len(fields), err)
	}
	if server.TTL(name) != time.Hour {
		t.Errorf("the sum is kept for %v", server.TTL(name))
	}
	// A replica whose clock is a day off, either way, counts for itself.
	for _, off := range []time.Duration{24 * time.Hour, -24 * time.Hour} {
		add(b, "calls", 80*time.Minute+off, 100, 100)
		add(a, "calls", 80*time.Minute, 0, 8)
	}
	server.Close()
	if got, ok := a.Add(t.Context(), "calls", begin, 1); ok {
		t.Errorf("%v without the store", got)
	}
}

// A restarted replica receives the announced facts again, and does not repeat deletions.
func TestFactsAreRecalled(t *testing.T) {
	server := miniredis.RunT(t)
	a, b := start(t, server), start(t, server)
	a.Announce("ann", "window", []byte("5000"))
	a.written(t)
	if _, err := a.ForgetOwner(t.Context(), "bob"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "receiving", func() bool { return b.Stats().Received == 2 })
	b.position.get() // waits until the event was applied
	if err := b.near.PutLastSeen(t.Context(), b.chain("bob", talk(t, 1, "hello"))[1],
		[]byte("now")); err != nil {
		t.Fatal(err)
	}
	if err := b.Store.Close(); err != nil {
		t.Fatal(err)
	}
	client, err := Dial(Options{URL: "redis://" + server.Addr(), Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	again := client.Open(Config{Near: b.near, Secret: b.secret, TTL: time.Hour, Own: b.own})
	var received []Event
	again.Start(func(e Event) { received = append(received, e) })
	t.Cleanup(func() { _ = again.Close() })
	if len(received) != 2 || string(received[0].Value) != "5000" ||
		received[1].Kind != ForgetOwner {
		t.Errorf("received %+v", received)
	}
	kept, err := b.near.LastSeen(t.Context(), b.chain("bob", talk(t, 1, "hello"))[1])
	if string(kept) != "now" || err != nil {
		t.Errorf("what was kept since is %q, %v", kept, err)
	}
}
