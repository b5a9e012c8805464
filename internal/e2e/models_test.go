package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/compactor/plan"
	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/recorded"
	"killick/internal/replayreport"
	"killick/replay"
	"killick/tokenizer"
)

// writingStrategy forwards as serve would with summaries by a scripted model. A
// turn is answered, and what it started is prepared, before the next comes.
func writingStrategy(kind fakeupstream.Kind, c config.Config) replay.Strategy {
	c.Compaction.Summarizer = "model"
	if c.Model.Timeout = 10 * time.Second; kind == fakeupstream.Slow {
		c.Model.Timeout = 100 * time.Millisecond
	}
	s := replayreport.Strategy(string(kind), c)
	s.Open = func(now replay.Clock) (replay.Forwarder, func() error, error) {
		return replayreport.OpenScripted(c, fakeupstream.Scripted{Kind: kind}, now, nil)
	}
	return s
}

// longTranscripts are real conversations of many turns: one of moderate length,
// or as many larger ones too as KILLICK_ALL_MODELS sets, as make models has it.
func longTranscripts(t *testing.T) (all []*replay.Transcript) {
	size, most := 400<<10, 1
	if asked := os.Getenv("KILLICK_ALL_MODELS"); asked != "" {
		var err error
		if most, err = strconv.Atoi(asked); err != nil {
			t.Fatalf("KILLICK_ALL_MODELS=%s: want a number of conversations", asked)
		}
		size = 1 << 20
	}
	var b strings.Builder
	for _, c := range recorded.Conversations(t) {
		turns := 0
		for i := range c.Messages {
			if c.FromAssistant(i) {
				turns++
			}
		}
		if body := bodyOf(&c, len(c.Messages)); most > 0 && turns > 40 &&
			len(body) > 5*longTokens && len(body) < size {
			fmt.Fprintf(&b, "%s\n", body)
			most--
		}
	}
	all, err := replay.Read("long.jsonl", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// misbehaviours are all that a scripted model can do.
var misbehaviours = []fakeupstream.Kind{
	fakeupstream.Faithful, fakeupstream.Forgetful, fakeupstream.Inventing,
	fakeupstream.Contradicting, fakeupstream.Obeying, fakeupstream.Refusing, fakeupstream.Malformed,
	fakeupstream.Slow, fakeupstream.Failing, fakeupstream.Acknowledging, fakeupstream.Sloppy,
	fakeupstream.Wordy, fakeupstream.Nonsense, fakeupstream.Foreign, fakeupstream.Granting,
	fakeupstream.Wrong, fakeupstream.Unknowing, fakeupstream.Approving,
	fakeupstream.Agreeing,
}

// With every misbehaviour of a model switched on in turn, no request is broken,
// the same turns are folded, and no conversation recalls less than with the
// summaries by rules.
func TestMisbehavingModels(t *testing.T) {
	if testing.Short() {
		t.Skip("trimmed in short runs")
	}
	transcripts := longTranscripts(t)
	c := balanced()
	c.Compaction.Trigger, c.Compaction.Target, c.Compaction.MinMaskTokens = 20000, 8000, 1_000_000
	if len(transcripts) == 1 {
		c.Compaction.Trigger, c.Compaction.Target = 12000, 4500 // so that something is lost
	}
	strategies := []replay.Strategy{replayreport.Strategy("by rules", c)}
	for _, kind := range misbehaviours {
		strategies = append(strategies, writingStrategy(kind, c))
	}
	results, err := replay.Run(t.Context(), transcripts, strategies,
		replay.Options{Counter: newCounter().For("")})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		t.Skip("no long conversation was found")
	}
	t.Logf("%-14s %21s %21s %13s %13s %9s %6s %6s  %s", "", "p=.1: cost, own, all", "p=.05, w=1.25",
		"old recall", "all recall", "rereads", "rules", "model", "own calls")
	for n, s := range strategies {
		var all []*replay.Figures
		for _, r := range results {
			rules, f := r.Figures[0], r.Figures[n]
			all = append(all, f)
			if faults := f.Validity.Faults(); faults > 0 || len(f.FailOpens) > 0 {
				t.Errorf("%s, %s: %d validity faults, failed open %v", s.Name, r.ID, faults,
					f.FailOpens)
			}
			if f.Recall.Old.Kept < rules.Recall.Old.Kept ||
				f.Recall.All.Kept < rules.Recall.All.Kept {
				t.Errorf("%s, %s: recalls %+v, rules %+v", s.Name, r.ID, f.Recall, rules.Recall)
			}
			if folds := f.Made[plan.Fold] + f.Made[plan.FoldWithModel]; folds !=
				rules.Made[plan.Fold] {
				t.Errorf("%s, %s: %d folds, rules make %d", s.Name, r.ID, folds,
					rules.Made[plan.Fold])
			}
		}
		sum := replay.Total(all)
		if n == 1 && sum.Made[plan.FoldWithModel] == 0 {
			t.Errorf("nothing that a faithful model stated was used: %v", sum.Made)
		}
		if slowest := sum.Milliseconds(1); slowest > 20_000 {
			t.Errorf("%s: a turn took %.0f ms", s.Name, slowest)
		}
		cost := func(profile int) string {
			b := sum.Bills[profile]
			return fmt.Sprintf("%6.2f%% %5.2f%% %6.2f%%", 100*b.Sent.Total()/b.Raw.Total(),
				100*b.ModelCalls/b.Raw.Total(), 100*b.PlainShare())
		}
		t.Logf("%-14s %s %s %6.2f%% %5d %6.2f%% %5d %4d/%4d %6d %6d  %+v", s.Name,
			cost(1), cost(3), // DefaultProfiles: p = .1, p = .05
			100*sum.Recall.Old.Share(), sum.Recall.Old.Of, 100*sum.Recall.All.Share(),
			sum.Recall.All.Of, sum.Rereads.Past.All.Of-sum.Rereads.Past.All.Kept,
			sum.Rereads.Past.All.Of,
			sum.Made[plan.Fold], sum.Made[plan.FoldWithModel], sum.ModelUsage)
	}
}

func newCounter() *tokenizer.Counter { return tokenizer.New(tokenizer.Options{}) }
