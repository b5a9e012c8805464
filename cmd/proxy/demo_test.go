package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"killick/internal/demo"
	"killick/internal/terminal"
)

// The demo shows real compactions, valid requests and a smaller bill.
func TestDemo(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"demo", "--json"}, strings.NewReader(""), &stdout, &stderr,
		os.Environ()); code != exitGood {
		t.Fatalf("code %d: %s", code, stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("it complains: %s", stderr.String())
	}
	var r demo.Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	n := r.BrokenPairs + r.FailedTurns + r.LostRequests + r.ChangedInstructions + r.FailOpens
	if n != 0 {
		t.Errorf("faults in the run: %+v", r)
	}
	if r.Summaries == 0 || r.Coverage == nil || *r.Coverage < 0.9 {
		t.Errorf("%d summaries, coverage %v: want some, and 0.9 at least", r.Summaries, r.Coverage)
	}
	crossed := 0
	for i, turn := range r.Turns {
		if turn.Sent > turn.Raw {
			t.Errorf("turn %d grew from %d to %d tokens", i+1, turn.Raw, turn.Sent)
		}
		if i > 0 && turn.Sent < r.Turns[i-1].Sent {
			crossed++
		}
	}
	if crossed < 3 {
		t.Errorf("the session was compacted %d times, want it to cross the trigger several times",
			crossed)
	}
	if r.After.InputCostUSD > 0.8*r.Before.InputCostUSD {
		t.Errorf("the bill went from $%.4f to $%.4f, want a fifth less at least",
			r.Before.InputCostUSD, r.After.InputCostUSD)
	}
}

// After a demo is interrupted nothing is left running, and a wrong flag is a usage error.
func TestDemoStops(t *testing.T) {
	c, err := demo.Config(demo.DefaultTrigger, demo.DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out bytes.Buffer
	if _, err := demo.Run(ctx, c, terminal.NewProgress(&out, terminal.Plain), &out); err == nil {
		t.Error("a demo that was stopped before it began came to an end")
	}
	var stderr bytes.Buffer
	if code := run([]string{"demo", "--trigger", "8000", "--target", "9000"}, nil, &out, &stderr,
		nil); code != exitUsage {
		t.Errorf("a target above the trigger: code %d, %s", code, stderr.String())
	}
}
