package replayreport

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/internal/terminal"
	"killick/replay"
	"killick/replay/billing"
)

func TestCombine(t *testing.T) {
	all, err := combine("compaction.trigger=1000, 2000 ; compaction.target=500,600,700;")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		names = append(names, nameOf(c))
	}
	const want = "" +
		"trigger 1000, target 500 | trigger 1000, target 600 | trigger 1000, target 700 | " +
		"trigger 2000, target 500 | trigger 2000, target 600 | trigger 2000, target 700"
	if got := strings.Join(names, " | "); got != want {
		t.Errorf("combinations\n%s\nwant\n%s", got, want)
	}
}

// figures returns figures with these shares.
func figures(cost, recall float64) *replay.Figures {
	return &replay.Figures{
		Bills: []billing.Bill{{Raw: billing.Parts{New: 1000},
			Sent: billing.Parts{New: 1000 * cost}}},
		Recall: replay.Recall{Old: replay.Kept{Of: 1000, Kept: int(1000 * recall)}},
	}
}

func TestFrontierAndChart(t *testing.T) {
	r := &Report{Half: "all", Profiles: billing.DefaultProfiles, settings: 4, Strategies: []Row{
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
	chart := r.Svg()
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
	for _, want := range []string{">cheap</text>", ">good</text>", ">nothing (0%, 100%)</text>",
		"dearer &amp; no better: saved 70.0%"} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart has no %s", want)
		}
	}
	if strings.Contains(chart, "NaN") || strings.Contains(chart, "Inf") {
		t.Error("the chart has a coordinate that is not a number")
	}
}

// Each profile has its own line through the results of the settings at its prices.
func TestChartOfEditsThatReread(t *testing.T) {
	planned := func(reread ...int) (all []Planned) {
		for _, n := range reread {
			f := &replay.Figures{}
			f.Rereads.Past.Edits = replay.Kept{Of: 200, Kept: 200 - n}
			f.Rereads.Below.Edits = replay.Kept{Of: 100, Kept: 100}
			all = append(all, Planned{Total: f})
		}
		return all
	}
	r := &Report{Half: "all", settings: 2, planned: true,
		Profiles: []billing.Profile{{Name: "dear"}, {Name: "cheap & new"}},
		Strategies: []Row{
			{Name: "one", Planned: planned(30, 15), Total: figures(1, 1),
				Invoices: []Invoice{{Captured: .8}, {Captured: .7}}},
			{Name: "two", Planned: planned(60, 0), Total: figures(1, 1),
				Invoices: []Invoice{{Captured: .6}, {Captured: .5}}},
			{Name: "nothing", Total: figures(1, 1)},
		}}
	lines := r.pricedLines()
	if len(lines) != 2 || len(lines[0].points) != 2 || lines[0].points[0].name != "two" ||
		lines[0].points[1].saved != 80 || lines[1].points[0].saved != 50 ||
		math.Round(lines[1].points[1].recall) != 5 {
		t.Errorf("lines %+v", lines)
	}
	chart := r.EditsSvg()
	if err := xml.Unmarshal([]byte(chart), new(struct{})); err != nil {
		t.Errorf("the chart is no XML: %v", err)
	}
	for _, want := range []string{"one at dear: captured 80.0%, edits that re-read 10.0%",
		">cheap &amp; new</text>", ">two</text>"} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart has no %s", want)
		}
	}
	if n := strings.Count(chart, "<circle"); n != 4 || strings.Contains(chart, "NaN") {
		t.Errorf("%d dots, want 4: %s", n, chart)
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

func TestFoldersOfADump(t *testing.T) {
	d, err := newDump(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, want string }{{"a/b", "a_b"}, {"a:b", "a_b-2"},
		{"../..", "_.."}, {"", "conversation"}} {
		tr := &replay.Transcript{ID: c.id}
		if got, first := d.nameOf(tr); got != c.want || !first {
			t.Errorf("folder of %q: %q, first %t, want %q", c.id, got, first, c.want)
		}
		if got, first := d.nameOf(tr); got != c.want || first {
			t.Errorf("folder of %q again: %q, first %t, want %q", c.id, got, first, c.want)
		}
	}
}

// A second dump into the same folder replaces the decisions of the first one.
func TestASecondDump(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		d, err := newDump(dir)
		if err != nil {
			t.Fatal(err)
		}
		tr := &replay.Transcript{ID: "a"}
		for at := range 2 {
			if err := d.write(tr, 0, at, replay.Forwarded{Plans: []string{"fold"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	plans, err := os.ReadFile(filepath.Join(dir, "a", plansFile))
	if want := "00000: fold\n00001: fold\n"; err != nil || string(plans) != want {
		t.Errorf("decisions %q, %v, want %q", plans, err, want)
	}
}

// A sweep over a half without conversations is an error.
func TestAnEmptyHalf(t *testing.T) {
	const session = `{"id":"a","messages":[{"role":"user","content":"b"},` +
		`{"role":"assistant","content":"c"}]}`
	for _, half := range []string{"odd", "even"} {
		want := ""
		if !inHalf("a", half) {
			want = "nothing to measure: the " + half + " half has none of 1 conversation"
		}
		got := ""
		_, err := Run(context.Background(), Options{Files: []string{"-"},
			Stdin: strings.NewReader(session), Half: half, Limit: 32000,
			Sweep: "compaction.trigger=16000,24000"}, func(string) {},
			terminal.NewProgress(io.Discard, terminal.Look{}))
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("half %s: error %q, want %q", half, got, want)
		}
	}
}

// A bill in dollars is that of the conversation's model, whatever the profiles are.
func TestDollars(t *testing.T) {
	session := `{"id":"a","messages":[{"role":"user","content":"` + strings.Repeat("b ", 2000) +
		`"},{"role":"assistant","content":"c"},{"role":"user","content":"d"},` +
		`{"role":"assistant","content":"e"}]}`
	run := func(model string) *bill {
		r, err := Run(context.Background(), Options{Files: []string{"-"},
			Stdin: strings.NewReader(session), Half: "all", Limit: 32000, Model: model,
			Profiles: []string{"p=.5,w=3"}}, func(string) {},
			terminal.NewProgress(io.Discard, terminal.Look{}))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(r.Strategies[0].Invoices); n != 1 {
			t.Errorf("%d invoices, want that of the profile alone", n)
		}
		return r.Strategies[0].Bill
	}
	// 2,008 tokens, then 2,018 of which 2,008 are cached, at $1.25 and $0.125 a million.
	if b, want := run("gpt-5.1"), (2008*1.25+10*1.25+2008*0.125)/1e6; math.Abs(b.Raw-want) > 1e-9 {
		t.Errorf("bill %v, want %v", b.Raw, want)
	}
	if b := run("a-model-of-nobody"); b != nil {
		t.Errorf("bill %+v without prices", b)
	}
}

// A profile under which nothing can be saved shows no share, and is not the one with the least.
func TestNothingToSave(t *testing.T) {
	some := Invoice{Profile: "dear", Captured: .5, Worst: Extreme{"a", .5},
		Bill: billing.Bill{Raw: billing.Parts{New: 100}, Floor: 50, Sent: billing.Parts{New: 75}}}
	none := Invoice{Profile: "flat",
		Bill: billing.Bill{Raw: billing.Parts{New: 100}, Floor: 100, Sent: billing.Parts{New: 100}}}
	r := &Report{Half: "all", Profiles: []billing.Profile{{Name: "dear"}, {Name: "flat"}}}
	row := Row{Name: "auto", Total: &replay.Figures{Conversations: 1},
		Invoices: []Invoice{some, none}}
	var b strings.Builder
	r.drawProfiles(&b, terminal.Look{}, row)
	if !strings.Contains(b.String(), "least captured: a, 50.0% at dear") {
		t.Errorf("the least captured is missing:\n%s", b.String())
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "flat") && strings.Count(line, "–") != 4 {
			t.Errorf("%q, want no shares of nothing", line)
		}
	}
}

// A name is shortened between characters.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{{"short", "short"}, {"eight by", "eight by"}, {"nine byte", "nine b.."},
		{"größerer Name", "größer.."}} {
		if got := cut(c.text, 8); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
