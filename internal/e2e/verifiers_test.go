package e2e

import (
	"strings"
	"testing"

	"killick/internal/fakeupstream"
)

// A verifier that approves all supports a control too: nothing of what was written is used, true or
// false, and it is counted.
func TestApprovingVerifiersAreNotBelieved(t *testing.T) {
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
