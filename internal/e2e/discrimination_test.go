package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"killick/compaction"
	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/recorded"
	"killick/probe"
)

// What each instrument of the proof distinguishes, measured on the program itself: the wired proxy
// is sent conversations turn by turn, a scripted model writes, verifies, asks and answers, and the
// figures are read from the dumps of the results. So nothing is measured that the program does not
// call.

// studied is a conversation of the study: its requests in turn.
type studied struct {
	name     string
	requests [][]byte
}

// studiedTalks are the written conversations, and recorded ones: as many as
// KILLICK_STUDY says, as make study has it; else one.
func studiedTalks(t testing.TB) (all []studied) {
	t.Helper()
	most := 1
	if asked := os.Getenv("KILLICK_STUDY"); asked != "" {
		var err error
		if most, err = strconv.Atoi(asked); err != nil {
			t.Fatalf("KILLICK_STUDY=%s: want a number of conversations", asked)
		}
	}
	written := talks(t)
	for _, name := range slices.Sorted(maps.Keys(written)) {
		s := studied{name: name}
		for n := 4; n <= len(written[name]); n++ {
			if strings.Contains(written[name][n-1], `"tool_call_id"`) {
				s.requests = append(s.requests, requestOf(written[name][:n]))
			}
		}
		all = append(all, s)
	}
	for _, c := range recorded.Conversations(t) {
		if whole := len(bodyOf(&c, len(c.Messages))); most == 0 || len(c.Messages) < 80 ||
			whole < 5*longTokens || whole > 600<<10 {
			continue
		}
		most--
		s := studied{name: c.ID}
		for n := 2; n < len(c.Messages); n++ {
			if c.FromAssistant(n) {
				s.requests = append(s.requests, bodyOf(&c, n))
			}
		}
		all = append(all, s)
	}
	return all
}

// seen is what the instruments gave for one summary of a model.
type seen struct {
	written, grounded, supported float64
	score                        float64 // of the quiz
	probed                       bool
	verdict                      compaction.Verdict
}

// instruments sends every conversation through the proxy with a scripted model, and
// returns what came of each summary that it wrote, and the coverages that were reported.
func instruments(t testing.TB, all []studied, script fakeupstream.Scripted) (found []seen,
	covered []string) {
	t.Helper()
	for _, s := range all {
		dir := t.TempDir()
		g := newWritingGateway(t, fakeupstream.Config{Scripted: &script}, func(c *config.Config) {
			folding(c)
			c.Debug.DumpDir, c.Model.MaxCalls, c.Model.MaxSpend, c.Probe.OnError = dir, 0, 0,
				config.OnErrorAccept
		})
		for n, body := range s.requests {
			f := g.send(t, body)
			if f.status != 200 {
				t.Fatalf("%s, turn %d: status %d: %.300s", s.name, n, f.status, f.reply)
			}
			if proof, _, _ := strings.Cut(f.header.Get("Killick-Probe"), ";"); proof != "" {
				covered = append(covered, s.name+" "+strconv.Itoa(n)+" "+proof)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*-summary.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if one, ok := readSeen(t, file); ok {
				found = append(found, one)
			}
		}
	}
	return found, covered
}

func readSeen(t testing.TB, file string) (one seen, ok bool) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Written   []probe.Statement
		Dropped   []probe.Drop
		Questions *probe.Report
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(d.Written) == 0 {
		return one, false
	}
	one.written, one.grounded = float64(len(d.Written)), float64(len(d.Written))
	one.supported = one.grounded
	for _, drop := range d.Dropped {
		one.supported--
		if drop.Reason != probe.Contradicted && drop.Reason != probe.NotEnough {
			one.grounded--
		}
	}
	if q := d.Questions; q != nil && q.Verdict != compaction.Unprobed {
		one.probed, one.score, one.verdict = true, q.Score, q.Verdict
	}
	return one, true
}

// auc is how often a value of the better ones is above one of the worse, ties half.
func auc(better, worse []float64) float64 {
	sum := 0.0
	for _, b := range better {
		for _, w := range worse {
			switch {
			case b > w:
				sum++
			case b == w:
				sum += 0.5
			}
		}
	}
	return sum / float64(max(1, len(better)*len(worse)))
}

// column returns a figure of each summary.
func column(all []seen, of func(seen) (float64, bool)) (values []float64) {
	for _, s := range all {
		if v, ok := of(s); ok {
			values = append(values, v)
		}
	}
	return values
}

var (
	shareGrounded  = func(s seen) (float64, bool) { return s.grounded / s.written, true }
	shareSupported = func(s seen) (float64, bool) { return s.supported / s.written, true }
	quizScore      = func(s seen) (float64, bool) { return s.score, s.probed }
)

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// Of the instruments, grounding finds what was made up, verification what was contradicted
// round, and the quiz what is answered wrong. Coverage is of the record by structure,
// whatever the model writes.
func TestDiscrimination(t *testing.T) {
	if os.Getenv("KILLICK_STUDY") == "" {
		t.Skip("sends the conversations of the study six times; run make study")
	}
	all := studiedTalks(t)
	var faithful []seen
	for _, c := range []struct {
		name   string
		script fakeupstream.Scripted
	}{
		{"faithful", fakeupstream.Scripted{Prober: fakeupstream.Faithful}},
		{"forgetful (half)",
			fakeupstream.Scripted{Kind: fakeupstream.Forgetful, Prober: fakeupstream.Faithful}},
		{"contradicting",
			fakeupstream.Scripted{Kind: fakeupstream.Contradicting, Prober: fakeupstream.Faithful}},
		{"contradicting, a shared word is enough",
			fakeupstream.Scripted{Kind: fakeupstream.Contradicting,
				Verifier: fakeupstream.Agreeing, Prober: fakeupstream.Faithful}},
		{"inventing",
			fakeupstream.Scripted{Kind: fakeupstream.Inventing, Variant: "quoted", Most: 12,
				Prober: fakeupstream.Faithful}},
		{"faithful, answered wrong", fakeupstream.Scripted{Prober: fakeupstream.Wrong}},
	} {
		found, covered := instruments(t, all, c.script)
		if len(found) < len(all)/2 || len(covered) == 0 {
			t.Fatalf("%s: %d summaries of %d conversations", c.name, len(found), len(all))
		}
		verdicts := map[compaction.Verdict]int{}
		for _, s := range found {
			if s.probed {
				verdicts[s.verdict]++
			}
		}
		if faithful == nil {
			faithful = found
		}
		areas := map[string]float64{}
		for name, of := range map[string]func(seen) (float64, bool){"grounding": shareGrounded,
			"verification": shareSupported, "quiz": quizScore} {
			areas[name] = auc(column(faithful, of), column(found, of))
		}
		t.Logf("%-39s %3d summaries; grounded %.2f (AUC %.2f), supported %.2f (%.2f); quiz of "+
			"%d: %.2f (%.2f) %v", c.name, len(found),
			mean(column(found, shareGrounded)), areas["grounding"],
			mean(column(found, shareSupported)), areas["verification"],
			len(column(found, quizScore)), mean(column(found, quizScore)), areas["quiz"], verdicts)
		switch c.name {
		case "contradicting":
			if areas["verification"] < 0.7 {
				t.Errorf("verification finds contradictions with an AUC of %.2f, "+
					"want 0.7", areas["verification"])
			}
		case "inventing":
			if areas["grounding"] < 0.9 {
				t.Errorf("grounding finds made-up facts with an AUC of %.2f, want 0.9",
					areas["grounding"])
			}
		case "faithful, answered wrong":
			if areas["quiz"] < 0.95 || verdicts[compaction.Pass] > 0 {
				t.Errorf("the quiz finds wrong answers with an AUC of %.2f, verdicts %v",
					areas["quiz"], verdicts)
			}
		}
	}
}
