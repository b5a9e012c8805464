package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/replay"
)

// replayDemo replays the demo's session.
func replayDemo(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	args = append([]string{"replay"}, append(args, filepath.Join("demodata", "session.json"))...)
	if code := run(args, strings.NewReader(""), &stdout, &stderr, nil); code != exitGood {
		t.Fatalf("proxy %q: code %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

type replayedShares struct {
	Strategies []struct {
		Name  string
		Total struct {
			Shares struct {
				Tokens float64
				Costs  []struct{ Cost float64 }
			}
			Turns    int
			Validity replay.Validity
			Made     map[string]int
			Changes  struct{ Turns int } `json:"prefix_changes"`
			Opens    map[string]int      `json:"fail_opens"`
		}
	}
}

// The demo's session through the compactor that serve runs: it saves, it is
// valid, and a setting that never acts changes nothing.
func TestReplayCompacts(t *testing.T) {
	var got replayedShares
	out := replayDemo(t, "--json", "--sweep", "compaction.trigger=16000,900000;compaction.target=8000")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	acts, rests := got.Strategies[0].Total, got.Strategies[1].Total
	if acts.Shares.Tokens > 0.6 || acts.Shares.Costs[0].Cost > 0.9 || acts.Changes.Turns == 0 || len(acts.Made) == 0 {
		t.Errorf("at 16000 tokens: %+v", acts)
	}
	if acts.Validity.Faults() != 0 || len(acts.Opens) != 0 {
		t.Errorf("at 16000 tokens: %+v, fail-opens %v", acts.Validity, acts.Opens)
	}
	if rests.Shares.Tokens != 1 || rests.Shares.Costs[0].Cost != 1 || rests.Changes.Turns != 0 || rests.Turns != acts.Turns {
		t.Errorf("at 900000 tokens: %+v", rests)
	}
}

// Where a model writes summaries, a scripted one stands in for it: nothing is sent
// to where the configuration says, and what is asked is part of the cost.
func TestReplayCountsOwnCalls(t *testing.T) {
	real := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent out", r.Method, r.URL)
	}))
	t.Cleanup(real.Close)
	for _, name := range []string{"", "gpt-4o-mini"} {
		if testing.Short() && name != "" {
			return
		}
		args := []string{"--set", "compaction.trigger=16000", "--set", "compaction.target=6000", "--set", "compaction.min_mask_tokens=100000",
			"--set", "upstream.base_url=" + real.URL, "--set", "compaction.summarizer=model", "--set", "model.name=" + name}
		if name != "" {
			args = append(args, "--set", "model.base_url="+real.URL, "--set", "model.api_key=sk-of-the-operator")
		}
		var got struct {
			Strategies []struct{ Total replay.Figures }
		}
		if err := json.Unmarshal([]byte(replayDemo(t, append(args, "--json")...)), &got); err != nil {
			t.Fatal(err)
		}
		f := got.Strategies[0].Total
		if f.Made["summary_by_model"] == 0 || f.Validity.Faults() > 0 || len(f.FailOpens) > 0 {
			t.Errorf("%q: made %v, %+v, fail-opens %v", name, f.Made, f.Validity, f.FailOpens)
		}
		if o := f.Own; o.Calls < 3 || o.Completion == 0 || o.Dollars <= 0 || (o.Cached > o.Prompt/2) != (name == "") {
			t.Errorf("%q: own calls %+v", name, o)
		}
		if c := f.Costs[0]; c.Own < float64(8*f.Own.Completion) || c.Share() < (c.Sent+c.Own)/c.Raw {
			t.Errorf("%q: they cost %+v", name, c)
		}
	}
	if text := replayDemo(t, "--set", "compaction.trigger=16000", "--set", "compaction.summarizer=model", "--set", "compaction.min_mask_tokens=100000"); !strings.Contains(text, "calls to models") {
		t.Errorf("not told: %s", text)
	}
}

// What observe mode would do is not done.
func TestReplayObserves(t *testing.T) {
	for _, mode := range []string{"observe", "off"} {
		if testing.Short() && mode == "off" {
			continue
		}
		var got replayedShares
		out := replayDemo(t, "--json", "--set", "compaction.mode="+mode, "--set", "compaction.trigger=16000")
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if f := got.Strategies[0].Total; f.Shares.Tokens != 1 || f.Changes.Turns != 0 {
			t.Errorf("mode %s: %+v", mode, f)
		}
	}
}

// All lines of a table fit the width they are drawn for.
func TestReplayTableFits(t *testing.T) {
	if testing.Short() {
		t.Skip("the table is the same; it takes two replays")
	}
	for line := range strings.SplitSeq(replayDemo(t, "--baseline", "--profile", "saver"), "\n") {
		if len(line) > reportWidth {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestReplayDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sent")
	replayDemo(t, "--dump", dir, "--set", "compaction.trigger=16000")
	files, err := filepath.Glob(filepath.Join(dir, "demodata_session.json", "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", file, info.Mode(), err)
		}
	}
	d, err := newDump(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, want string }{{"a/b", "a_b"}, {"a:b", "a_b-2"}, {"../..", "_.."}, {"", "conversation"}} {
		if got := d.nameOf(&replay.Transcript{ID: c.id}); got != c.want {
			t.Errorf("folder of %q: %q, want %q", c.id, got, c.want)
		}
	}
}

func TestCombine(t *testing.T) {
	all, err := combine("compaction.trigger=1000, 2000 ; compaction.target=500,600,700;")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		names = append(names, nameOf(c))
	}
	const want = "trigger 1000, target 500 | trigger 1000, target 600 | trigger 1000, target 700 | " +
		"trigger 2000, target 500 | trigger 2000, target 600 | trigger 2000, target 700"
	if got := strings.Join(names, " | "); got != want {
		t.Errorf("combinations\n%s\nwant\n%s", got, want)
	}
}

// figures is a row that came to these shares.
func figures(cost, recall float64) *replay.Figures {
	return &replay.Figures{
		Costs:  []replay.Cost{{Price: 0.1, Raw: 1000, Sent: 1000 * cost}},
		Recall: replay.Recall{Old: replay.Kept{Of: 1000, Kept: int(1000 * recall)}},
	}
}

func TestFrontierAndChart(t *testing.T) {
	r := &replayReport{Half: "all", Prices: []float64{0.1}, settings: 4, Strategies: []replayRow{
		{Name: "cheap", Total: figures(0.2, 0.7)},
		{Name: "dearer & no better", Total: figures(0.3, 0.7)},
		{Name: "good", Total: figures(0.4, 0.9)},
		{Name: "dearer than <good>", Total: figures(0.5, 0.85)},
		{Name: "nothing", Total: figures(1, 1)},
	}}
	r.markFrontier()
	for i, want := range []bool{true, false, true, false, true} {
		if row := r.Strategies[i]; row.Frontier != want {
			t.Errorf("%s: on the frontier %t, want %t", row.Name, row.Frontier, want)
		}
	}
	chart := r.svg()
	decoder, dots := xml.NewDecoder(strings.NewReader(chart)), 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the chart is no XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "circle" {
			dots++
		}
	}
	if dots != len(r.Strategies) {
		t.Errorf("%d dots, want %d", dots, len(r.Strategies))
	}
	for _, want := range []string{">cheap</text>", ">good</text>", ">nothing (100%, 100%)</text>", "dearer &amp; no better: cost 30.0%"} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart has no %s", want)
		}
	}
	if strings.Contains(chart, "NaN") || strings.Contains(chart, "Inf") {
		t.Error("the chart has a place that is none")
	}
}

func TestHalves(t *testing.T) {
	odd := 0
	for i := range 1000 {
		id := strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26)
		if inHalf(id, "odd") == inHalf(id, "even") || !inHalf(id, "all") {
			t.Fatalf("%q is in both halves or in none", id)
		}
		if inHalf(id, "odd") {
			odd++
		}
	}
	if odd < 400 || odd > 600 {
		t.Errorf("%d of 1000 are odd", odd)
	}
}
