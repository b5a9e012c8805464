package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/chat"
	"killick/compactor"
	"killick/internal/recorded"
	"killick/internal/upstreamtest"
	"killick/proxy"
	"killick/replay"
	"killick/tokenizer"
)

// writingStrategy forwards as serve would with summaries by a scripted model. A
// turn is answered, and what it started is prepared, before the next comes.
func writingStrategy(t *testing.T, name string, script upstreamtest.Config, c Config) replay.Strategy {
	upstream := upstreamtest.New(script)
	t.Cleanup(upstream.Close)
	c.Upstream.BaseURL = upstream.URL()
	c.Compaction.Summarizer, c.Cache.InMemory = "model", true
	if c.Model.Timeout = 10 * time.Second; script.Scripted.Kind == upstreamtest.Slow {
		c.Model.Timeout = 100 * time.Millisecond
	}
	address, err := url.Parse(upstream.URL() + "/chat/completions")
	if err != nil {
		t.Fatal(err)
	}
	plain := replayStrategy(name, c)
	plain.Open = func() (replay.Forwarder, func() error, error) {
		store, secret, err := openStore(c.Cache, slog.New(slog.DiscardHandler))
		if err != nil {
			return nil, nil, err
		}
		counter := tokenizer.New(tokenizer.Options{})
		s, err := newSummaries(&c, &http.Transport{}, counter.For("").Text, slog.New(slog.DiscardHandler))
		if err != nil {
			return nil, nil, err
		}
		e := newEngine(&c, store, secret, counter, s)
		who := secret.Who("replay")
		forward := func(body []byte) replay.Forwarded {
			if e.Fits(body) {
				return replay.Forwarded{Body: body, Reason: compactor.ReasonFits}
			}
			req, err := chat.Parse(body)
			if err != nil {
				t.Error(err)
				return replay.Forwarded{Body: body}
			}
			begin := time.Now()
			out := e.Compact(t.Context(), proxy.Request{Chat: req, Who: who, URL: address, Credentials: asClient})
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("%s: a turn took %v", name, took)
			}
			f := replay.Forwarded{Body: out.Body, Actions: out.Actions, Made: out.Made, Reason: out.Reason}
			if out.After != nil {
				f.Own = ownCalls(t, s, func() {
					turn(t, address, out.Body)
					out.After(true)
					for e.Preparing() > 0 {
						time.Sleep(time.Millisecond)
					}
				})
			}
			for _, fault := range out.FailOpens {
				f.FailOpens = append(f.FailOpens, fault.Reason)
			}
			return f
		}
		return forward, func() error {
			e.Close()
			s.close()
			return store.Close()
		}, nil
	}
	return plain
}

// asClient are the credentials of the client whose conversations are replayed.
var asClient = http.Header{"Authorization": {"Bearer k"}}

// turn sends a turn of the conversation to the upstream, so that it stands in the
// prompt cache.
func turn(t *testing.T, address *url.URL, body []byte) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header = asClient.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("a turn at the scripted upstream: status %d, %v", resp.StatusCode, err)
	}
}

// ownCalls returns what is asked of models while do runs.
func ownCalls(t *testing.T, s *summaries, do func()) replay.Own {
	before := s.tell.spentSoFar()
	do()
	after := s.tell.spentSoFar()
	return replay.Own{
		Calls: after.Calls - before.Calls, Prompt: after.PromptTokens - before.PromptTokens,
		Cached: after.CachedTokens - before.CachedTokens, Completion: after.CompletionTokens - before.CompletionTokens,
	}
}

// longTranscripts are real conversations of many turns: one of moderate length,
// or as many larger ones too as KILLICK_ALL_MODELS says, as make models has it.
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
		if body := bodyOf(&c, len(c.Messages)); most > 0 && turns > 40 && len(body) > 5*longTokens && len(body) < size {
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
var misbehaviours = []upstreamtest.Kind{
	upstreamtest.Faithful, upstreamtest.Forgetful, upstreamtest.Inventing, upstreamtest.Contradicting, upstreamtest.Obeying, upstreamtest.Refusing,
	upstreamtest.Malformed, upstreamtest.Slow, upstreamtest.Failing, upstreamtest.Acknowledging, upstreamtest.Sloppy, upstreamtest.Wordy,
}

// With every misbehaviour of a model switched on in turn, no request is broken,
// the same turns are folded, and no conversation recalls less than with the
// summaries by rules.
func TestMisbehavingModels(t *testing.T) {
	if testing.Short() {
		t.Skip("trimmed in short runs")
	}
	transcripts := longTranscripts(t)
	c := Default()
	c.Compaction.Trigger, c.Compaction.Target, c.Compaction.MinMaskTokens = 20000, 8000, 1_000_000
	if len(transcripts) == 1 {
		c.Compaction.Trigger, c.Compaction.Target = 12000, 4500 // so that something is lost
	}
	strategies := []replay.Strategy{replayStrategy("by rules", c)}
	for _, kind := range misbehaviours {
		script := upstreamtest.Config{Count: countForUpstream, Scripted: &upstreamtest.Scripted{Kind: kind}}
		strategies = append(strategies, writingStrategy(t, string(kind), script, c))
	}
	results, err := replay.Run(t.Context(), transcripts, strategies, replay.Options{Counter: newCounter().For("")})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		t.Skip("no long conversation was found")
	}
	t.Logf("%-14s %6s %6s %6s %13s %13s %9s %6s %6s  %s", "", "cost", "own", "all", "old recall", "all recall", "rereads", "rules", "model", "own calls")
	for n, s := range strategies {
		var all []*replay.Figures
		for _, r := range results {
			rules, f := r.Figures[0], r.Figures[n]
			all = append(all, f)
			if faults := f.Validity.Faults(); faults > 0 || len(f.FailOpens) > 0 {
				t.Errorf("%s, %s: %d validity faults, failed open %v", s.Name, r.ID, faults, f.FailOpens)
			}
			if f.Recall.Old.Kept < rules.Recall.Old.Kept || f.Recall.All.Kept < rules.Recall.All.Kept {
				t.Errorf("%s, %s: recalls %+v, rules %+v", s.Name, r.ID, f.Recall, rules.Recall)
			}
			if folds := f.Made[compactor.MadeSummary] + f.Made[compactor.MadeWritten]; folds != rules.Made[compactor.MadeSummary] {
				t.Errorf("%s, %s: %d folds, rules make %d", s.Name, r.ID, folds, rules.Made[compactor.MadeSummary])
			}
		}
		sum := replay.Total(all)
		if n == 1 && sum.Made[compactor.MadeWritten] == 0 {
			t.Errorf("nothing that a faithful model told was used: %v", sum.Made)
		}
		cost := sum.Costs[0]
		t.Logf("%-14s %5.2f%% %5.2f%% %5.2f%% %6.2f%% %5d %6.2f%% %5d %4d/%4d %6d %6d  %+v", s.Name, 100*cost.ShareOf(cost.Sent), 100*cost.ShareOf(cost.Own), 100*cost.Share(),
			100*sum.Recall.Old.Share(), sum.Recall.Old.Of, 100*sum.Recall.All.Share(), sum.Recall.All.Of, sum.Rereads.Past.All.Of-sum.Rereads.Past.All.Kept, sum.Rereads.Past.All.Of,
			sum.Made[compactor.MadeSummary], sum.Made[compactor.MadeWritten], sum.Own)
	}
}

func newCounter() *tokenizer.Counter { return tokenizer.New(tokenizer.Options{}) }
