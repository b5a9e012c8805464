package main

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"killick/internal/terminal"
	"killick/replay"
)

// replayDemo replays the demo's session.
func replayDemo(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	args = append([]string{"replay"}, append(args,
		filepath.Join("..", "..", "internal", "demo", "session.json"))...)
	if code := run(args, strings.NewReader(""), &stdout, &stderr, nil); code != exitGood {
		t.Fatalf("killick %q: code %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

type replayedShares struct {
	Strategies []struct {
		Name  string
		Total struct {
			Shares struct {
				Tokens float64
			}
			Bills    []struct{ Share float64 }
			Turns    int
			Validity replay.Validity
			Made     map[string]int
			Changes  struct{ Turns int } `json:"prefix_changes"`
			Opens    map[string]int      `json:"fail_opens"`
		}
	}
}

// The demo's session in the compactor that serve runs: it saves, the requests are valid, and a
// setting that never applies changes nothing.
func TestReplayCompacts(t *testing.T) {
	var got replayedShares
	out := replayDemo(t, "--json", "--profile", "balanced", "--sweep",
		"compaction.trigger=16000,900000;compaction.target=8000")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	acts, rests := got.Strategies[0].Total, got.Strategies[1].Total
	if acts.Shares.Tokens > 0.6 || acts.Bills[0].Share > 0.9 || acts.Changes.Turns == 0 ||
		len(acts.Made) == 0 {
		t.Errorf("at 16000 tokens: %+v", acts)
	}
	if acts.Validity.Faults() != 0 || len(acts.Opens) != 0 {
		t.Errorf("at 16000 tokens: %+v, fail-opens %v", acts.Validity, acts.Opens)
	}
	if rests.Shares.Tokens != 1 || rests.Bills[0].Share != 1 || rests.Changes.Turns != 0 ||
		rests.Turns != acts.Turns {
		t.Errorf("at 900000 tokens: %+v", rests)
	}
}

// If a model writes summaries, a scripted one replaces it: nothing is sent to the configured
// address, and the calls are part of the cost.
func TestReplayCountsOwnCalls(t *testing.T) {
	real := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent out", r.Method, r.URL)
	}))
	t.Cleanup(real.Close)
	for _, name := range []string{"", "gpt-4o-mini"} {
		if testing.Short() && name != "" {
			return
		}
		args := []string{"--set", "compaction.trigger=16000", "--set", "compaction.target=6000",
			"--set", "compaction.min_mask_tokens=100000",
			"--set", "upstream.base_url=" + real.URL, "--set", "compaction.summarizer=model",
			"--set", "model.name=" + name}
		if name != "" {
			args = append(args, "--set", "model.base_url="+real.URL, "--set",
				"model.api_key=sk-of-the-operator")
		}
		var got struct {
			Strategies []struct{ Total replay.Figures }
		}
		if err := json.Unmarshal([]byte(replayDemo(t, append(args, "--json")...)),
			&got); err != nil {
			t.Fatal(err)
		}
		f := got.Strategies[0].Total
		if f.Made["summary_by_model"] == 0 || f.Validity.Faults() > 0 || len(f.FailOpens) > 0 {
			t.Errorf("%q: made %v, %+v, fail-opens %v", name, f.Made, f.Validity, f.FailOpens)
		}
		if o := f.ModelUsage; o.Calls < 3 || o.Completion == 0 || o.Dollars <= 0 ||
			(o.Cached > o.Prompt/2) != (name == "") {
			t.Errorf("%q: own calls %+v", name, o)
		}
		if b := f.Bills[0]; b.ModelCalls < b.Profile.Output*float64(f.ModelUsage.Completion) ||
			b.Share() < (b.Sent.Total()+b.ModelCalls)/b.Raw.Total() {
			t.Errorf("%q: they cost %+v", name, b)
		}
	}
	if text := replayDemo(t, "--set", "compaction.trigger=16000", "--set",
		"compaction.summarizer=model", "--set",
		"compaction.min_mask_tokens=100000"); !strings.Contains(text, "calls to models") {
		t.Errorf("not told: %s", text)
	}
}

// In observe mode nothing is compacted.
func TestReplayObserves(t *testing.T) {
	for _, mode := range []string{"observe", "off"} {
		if testing.Short() && mode == "off" {
			continue
		}
		var got replayedShares
		out := replayDemo(t, "--json", "--set", "compaction.mode="+mode, "--set",
			"compaction.trigger=16000")
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if f := got.Strategies[0].Total; f.Shares.Tokens != 1 || f.Changes.Turns != 0 {
			t.Errorf("mode %s: %+v", mode, f)
		}
	}
}

// All lines of a table fit the given width.
func TestReplayTableFits(t *testing.T) {
	if testing.Short() {
		t.Skip("the table is the same; it takes two replays")
	}
	for line := range strings.SplitSeq(replayDemo(t, "--baseline", "--profile", "saver"), "\n") {
		if len(line) > terminal.MaxWidth {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestReplayDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sent")
	replayDemo(t, "--dump", dir, "--set", "compaction.trigger=16000")
	files, err := filepath.Glob(filepath.Join(dir, "_.._internal_demo_session.json", "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", file, info.Mode(), err)
		}
	}
}

// Each setting is replayed once per profile of prices, and planned at those prices.
func TestReplayPlansByProfile(t *testing.T) {
	var got struct {
		Strategies []struct {
			Planned []struct {
				Profile string
				Total   struct {
					Bills   []struct{ Profile struct{ Name string } }
					Changes struct{ Turns int } `json:"prefix_changes"`
				}
			} `json:"by_profile"`
		}
	}
	out := replayDemo(t, "--json", "--profile", "auto", "--prices", "p=.9,name=dear", "--prices",
		"p=.001,w=9,name=cheap", "--baseline")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	planned := got.Strategies[0].Planned
	if len(planned) != 2 || planned[0].Profile != "dear" || planned[1].Profile != "cheap" ||
		len(planned[1].Total.Bills) != 1 || planned[1].Total.Bills[0].Profile.Name != "cheap" {
		t.Fatalf("planned at %+v", planned)
	}
	if dear, cheap := planned[0].Total.Changes, planned[1].Total.Changes; dear == cheap {
		t.Errorf("%+v prefix changes whatever the prices", dear)
	}
	if got.Strategies[1].Planned != nil {
		t.Error("a baseline that plans nothing was replayed for each profile")
	}
}

// Each decision is printed as in the log, with the prices of each profile.
func TestReplayExplains(t *testing.T) {
	text := replayDemo(t, "--explain", "--set", "compaction.trigger=16000", "--prices",
		"p=.05,w=1.25,name=mine")
	before, _, _ := strings.Cut(text, "Tokens and")
	if !strings.Contains(before, " at mine\n") ||
		!strings.Contains(before, "; p 0.05, w 1.25, output 5, ") ||
		!strings.Contains(before, "cached for 5m") || !strings.Contains(before, " -> ") {
		t.Errorf("decisions: %s", before)
	}
}

// Requests are replayed as recorded, and billed at the given prices.
func TestReplayBillsRecordedUsage(t *testing.T) {
	fixture := filepath.Join("..", "..", "replay", "testdata", "importer")
	svg := filepath.Join(t.TempDir(), "usage.svg")
	replayed := func(args ...string) string {
		var stdout, stderr strings.Builder
		args = append([]string{"replay", "--usage", fixture + ".usage.jsonl", "--usage-svg", svg,
			"--prices", "p=.1,w=1.25,name=mine"}, append(args, fixture+".jsonl")...)
		if code := run(args, strings.NewReader(""), &stdout, &stderr, nil); code != exitGood ||
			stderr.Len() > 0 {
			t.Fatalf("killick %q: code %d: %s", args, code, stderr.String())
		}
		return stdout.String()
	}
	var got struct {
		Conversations []struct{ Model string }
		Strategies    []struct {
			Invoices []struct {
				Profile    string
				Bill       struct{ Raw, Sent, Floor float64 }
				Simulation struct{ Share float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(replayed("--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Conversations[0].Model != "model-x" {
		t.Errorf("replayed as %q, recorded as model-x", got.Conversations[0].Model)
	}
	invoices := got.Strategies[0].Invoices
	if len(invoices) != 1 || invoices[0].Profile != "mine" ||
		math.Abs(invoices[0].Simulation.Share-1) > 0.001 ||
		invoices[0].Bill.Sent != invoices[0].Bill.Raw || invoices[0].Bill.Floor <= 0 {
		t.Errorf("invoices %+v", invoices)
	}
	for line := range strings.SplitSeq(replayed("--baseline"), "\n") {
		if utf8.RuneCountInString(line) > terminal.MaxWidth {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	chart, err := os.ReadFile(svg)
	if err != nil || strings.Count(string(chart), "<circle") != 1 ||
		strings.Contains(string(chart), "NaN") {
		t.Errorf("chart: %v\n%s", err, chart)
	}
	var stdout, stderr strings.Builder
	if code := run([]string{"replay", "--prices", "p=2", fixture + ".jsonl"},
		strings.NewReader(""), &stdout, &stderr, nil); code == exitGood ||
		!strings.Contains(stderr.String(), "--prices: p=2") {
		t.Errorf("wrong prices: code %d: %s", code, stderr.String())
	}
}
