package e2e

import (
	"strings"
	"testing"

	"killick/internal/fakeupstream"
	"killick/rawjson"
)

// A verifier that approves all supports a control too: nothing of what was written is used, true or
// false, and it is counted.
func TestApprovingVerifiersAreNotBelieved(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	for _, kind := range []fakeupstream.Kind{fakeupstream.Faithful, fakeupstream.Contradicting} {
		written, rejected, empty, folded := 0.0, 0.0, 0.0, 0
		for name, msgs := range talks(t) {
			script := fakeupstream.Scripted{Kind: kind, Verifier: fakeupstream.Approving,
				Prober: fakeupstream.Faithful}
			g := newWritingGateway(t, fakeupstream.Config{Scripted: &script}, folding)
			g.eachTurn(t, msgs, func(body []byte, proof string) {
				used := narratives(t, body)
				if len(used) > 0 || strings.Contains(proof, "verdict") {
					t.Errorf("%s, %s: reported as %q, %d used", kind, name, proof, len(used))
				}
				if proof != "" {
					folded++
				}
			})
			written += g.metric(t, `killick_model_summaries_total{form="structured"`)
			rejected += g.metric(t,
				`killick_model_summaries_total{form="structured",outcome="rejected_verifier"}`)
			empty += g.metric(t,
				`killick_model_summaries_total{form="structured",outcome="rejected_empty"}`)
		}
		if rejected == 0 || rejected+empty != written || folded == 0 {
			t.Errorf("%s: of %v summaries %v are rejected for their verifier and %v since nothing "+
				"is grounded; %d turns with a record", kind, written, rejected, empty, folded)
		}
	}
}

// Whatever a verifier answers without comparing statements with quotes, nothing of what was written
// is used, the turns are folded by rules, and it is counted and logged.
func TestCarelessVerifiersAreNotBelieved(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	outcomes := map[fakeupstream.Kind]string{
		fakeupstream.Rejecting: "rejected_empty", fakeupstream.Strange: "rejected_unverified",
		fakeupstream.Repeating: "rejected_unverified", fakeupstream.Echoing: "rejected_unverified",
		fakeupstream.Wordy: "rejected_unverified", fakeupstream.Malformed: "rejected_unverified",
	}
	msgs := billing(36)
	for _, kind := range append(fakeupstream.CarelessVerifiers, fakeupstream.Wordy,
		fakeupstream.Malformed) {
		want := outcomes[kind]
		if want == "" {
			want = "rejected_verifier"
		}
		script := fakeupstream.Scripted{Verifier: kind, Prober: fakeupstream.Faithful}
		g := newWritingGateway(t, fakeupstream.Config{Scripted: &script}, folding)
		folded := 0
		g.eachTurn(t, msgs, func(body []byte, proof string) {
			if len(narratives(t, body)) > 0 || strings.Contains(proof, "verdict") {
				t.Errorf("%s: used, and reported as %q", kind, proof)
			}
			if proof != "" {
				folded++
			}
		})
		n := g.metric(t, `killick_model_summaries_total{form="structured",outcome="`+want)
		if n == 0 || folded == 0 || !strings.Contains(g.log.String(), "outcome="+want) {
			t.Errorf("%s: %v of %s, %d turns with a record: %s", kind, n, want, folded, g.log)
		}
	}
}

// What a model wrote is reported in the same way at the fold, whenever the form is used again, and
// by /v1/compress.
func TestStatementsAreReportedAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	g := newWritingGateway(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}}, folding)
	msgs := billing(40)
	folded, reused, last := 0, 0, ""
	for n := 4; n <= len(msgs); n += 2 {
		f := g.send(t, requestOf(msgs[:n]))
		body := lastTurn(t, g)
		proof := f.header.Get("Killick-Probe")
		_, verdict, shown := strings.Cut(proof, "verdict=")
		if written := len(narratives(t, body)); written > 0 != shown {
			t.Errorf("turn %d: %d narratives, reported as %q", n, written, proof)
		}
		switch {
		case !shown:
		case f.did("reuse"):
			if reused++; verdict != last {
				t.Errorf("turn %d: reported as %q, and before as %q", n, verdict, last)
			}
		default:
			folded++
		}
		last = verdict
		c := ask(t, g.url+"/v1/compress", requestOf(msgs[:n]), "Authorization", "Bearer sk-client")
		if got := c.header.Get("Killick-Probe"); got != proof || string(rawjson.Value(c.reply).
			Get("messages")) != string(rawjson.Value(body).Get("messages")) {
			t.Errorf("turn %d: by /v1/compress reported as %q, else as %q", n, got, proof)
		}
		g.settle(t)
	}
	if folded == 0 || reused == 0 {
		t.Errorf("%d folds, %d uses of their forms", folded, reused)
	}
}
