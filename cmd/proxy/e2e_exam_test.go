package main

import (
	"net/http"
	"strings"
	"testing"

	"killick/internal/upstreamtest"
)

// Nothing that a model made up or turned round is in what is sent on, and it is
// counted what was left out.
func TestNothingFaultyIsTold(t *testing.T) {
	for _, tt := range []struct {
		kind   upstreamtest.Kind
		why    string
		faulty []string
	}{
		{upstreamtest.Inventing, "invented", []string{"ghost", "GHOST", "GH0", "staging-", "gx-"}},
		{upstreamtest.Contradicting, "contradicting", []string{"Always touch", "always touch", "8446"}},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			t.Parallel()
			g := newWritingGateway(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{Kind: tt.kind}}, folding)
			msgs := billing(30)
			folded := 0
			for n := 4; n <= len(msgs); n += 2 {
				f := g.send(t, requestOf(msgs[:n]))
				if f.status != http.StatusOK {
					t.Fatalf("turn %d: status %d", n, f.status)
				}
				if !strings.Contains(f.header.Get("Killick-Action"), "summary") {
					continue
				}
				folded++
				sent := string(lastTurn(t, g))
				for _, told := range tt.faulty {
					if at := strings.Index(sent, told); at >= 0 {
						t.Fatalf("turn %d tells %q: …%s", n, told, sent[max(0, at-200):min(len(sent), at+200)])
					}
				}
			}
			if folded == 0 || g.metric(t, `killick_compactions_total{outcome="summary_by_model"}`) == 0 {
				t.Errorf("%d turns with a record, none with what a model told", folded)
			}
			if g.metric(t, `killick_model_refused_total{why="`+tt.why) == 0 {
				t.Error("nothing was refused")
			}
			if !strings.Contains(g.log.String(), tt.why+"=") {
				t.Errorf("the log does not tell what was refused: %s", g.log)
			}
		})
	}
}
