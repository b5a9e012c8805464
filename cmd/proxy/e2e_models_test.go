package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
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
	c.Model.Timeout = 200 * time.Millisecond
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
			out := e.Compact(t.Context(), proxy.Request{Chat: req, Who: who, URL: address, Credentials: http.Header{"Authorization": {"Bearer k"}}})
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("%s: a turn took %v", name, took)
			}
			if out.After != nil {
				out.After(true)
				for e.Preparing() > 0 {
					time.Sleep(time.Millisecond)
				}
			}
			f := replay.Forwarded{Body: out.Body, Actions: out.Actions, Made: out.Made, Reason: out.Reason}
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

// longTranscripts are real conversations of many turns: one of moderate length,
// or with KILLICK_ALL_MODELS set, as make models has it, the first dozen.
func longTranscripts(t *testing.T) (all []*replay.Transcript) {
	size, most := 400<<10, 1
	if os.Getenv("KILLICK_ALL_MODELS") != "" {
		size = 1 << 20
		fmt.Sscan(os.Getenv("KILLICK_ALL_MODELS"), &most)
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

// With every misbehaviour of a model switched on in turn, no request is broken,
// and on the conversation of the ordinary run no less is recalled than with the
// summaries by rules.
func TestMisbehavingModels(t *testing.T) {
	if testing.Short() {
		t.Skip("trimmed in short runs")
	}
	transcripts := longTranscripts(t)
	c := Default()
	c.Compaction.Trigger, c.Compaction.Target, c.Compaction.MinMaskTokens = 20000, 8000, 1_000_000
	strategies := []replay.Strategy{replayStrategy("by rules", c)}
	for _, kind := range []upstreamtest.Kind{
		upstreamtest.Faithful, upstreamtest.Forgetful, upstreamtest.Inventing, upstreamtest.Contradicting, upstreamtest.Obeying, upstreamtest.Refusing,
		upstreamtest.Malformed, upstreamtest.Slow, upstreamtest.Failing, upstreamtest.Acknowledging, upstreamtest.Sloppy, upstreamtest.Wordy,
	} {
		strategies = append(strategies, writingStrategy(t, string(kind), upstreamtest.Config{Scripted: &upstreamtest.Scripted{Kind: kind}}, c))
	}
	results, err := replay.Run(t.Context(), transcripts, strategies, replay.Options{Counter: newCounter().For("")})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		t.Skip("no long conversation was found")
	}
	var byRules *replay.Figures
	for n, s := range strategies {
		var all []*replay.Figures
		for _, r := range results {
			all = append(all, r.Figures[n])
		}
		sum := replay.Total(all)
		if n == 0 {
			byRules = sum
		}
		if faults := sum.Validity.Faults(); faults > 0 || len(sum.FailOpens) > 0 {
			t.Errorf("%s: %d validity faults, failed open %v", s.Name, faults, sum.FailOpens)
		}
		if len(results) == 1 && sum.Recall.Old.Share() < byRules.Recall.Old.Share() {
			t.Errorf("%s recalls %.4f of the old references, rules %.4f", s.Name, sum.Recall.Old.Share(), byRules.Recall.Old.Share())
		}
		t.Logf("%-14s cost %.4f old recall %.4f of %d, all %.4f, rereads %+v made %v failed open %v faults %d", s.Name, sum.Costs[0].Share(), sum.Recall.Old.Share(), sum.Recall.Old.Of,
			sum.Recall.All.Share(), sum.Rereads.Past.All, sum.Made, sum.FailOpens, sum.Validity.Faults())
	}
}

func newCounter() *tokenizer.Counter { return tokenizer.New(tokenizer.Options{}) }
