package demo

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"killick/chat"
	"killick/internal/terminal"
)

// update rewrites the golden files with the present output.
var update = flag.Bool("update", false, "rewrite golden files")

// sample returns a report with figures that are easy to check by eye.
func sample() *Report {
	r := &Report{
		Model: "gpt-5.1", Trigger: "16000", Target: "0.35", Seconds: 1.25,
		Before: bill{InputTokens: 1_000_000, CachedTokens: 900_000,
			Largest: 40_000}.priced(),
		After:         bill{InputTokens: 400_000, CachedTokens: 320_000, Largest: 15_999}.priced(),
		MaskedOutputs: 31, MaskPasses: 1, Summaries: 2,
		AddedMS: addedTime{P50: 0.84, Max: 12.6},
	}
	for i := range 40 {
		raw := 1000 * (i + 1)
		sent := raw
		if i >= 16 {
			sent = 8000 + 1000*((i-16)%8)
		}
		r.Turns = append(r.Turns, turn{Raw: raw, Sent: sent, Action: "none"})
	}
	covered := 0.98
	r.Coverage = &covered
	return r
}

func TestDrawReport(t *testing.T) {
	bad := sample()
	low := 0.41
	bad.Coverage = &low
	bad.BrokenPairs, bad.FailedTurns, bad.LostRequests = 1, 2, 1
	bad.ChangedInstructions, bad.FailOpens = 3, 1
	bad.After = bill{InputTokens: 1_200_000, CachedTokens: 0, Largest: 40_000}.priced()
	for _, c := range []struct {
		file   string
		report *Report
		look   terminal.Look
	}{
		{"report_plain.txt", sample(), terminal.Plain},
		{"report_unicode.txt", sample(), terminal.Look{Terminal: true, Glyphs: terminal.Unicode,
			Width: 78}},
		{"report_color.txt", sample(), terminal.Look{Terminal: true, Color: true,
			Glyphs: terminal.Unicode, Width: 78}},
		{"report_narrow.txt", sample(), terminal.Look{Terminal: true, Glyphs: terminal.Unicode,
			Width: 60}},
		{"report_bad.txt", bad, terminal.Plain},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := c.report.Draw(c.look)
			golden(t, filepath.Join("testdata", c.file), got)
			if !c.look.Terminal {
				for i, b := range []byte(got) {
					if b != '\n' && (b < ' ' || b > '~') {
						t.Fatalf("byte %d is %#x: a pipe gets plain ASCII", i, b)
					}
				}
			}
			if !c.look.Color && strings.Contains(got, "\x1b") {
				t.Error("an escape without colours")
			}
			for line := range strings.SplitSeq(got, "\n") {
				if w := lipgloss.Width(line); w > terminal.MaxWidth {
					t.Errorf("%d columns, want at most %d: %s", w, terminal.MaxWidth, line)
				}
				if line != strings.TrimRight(line, " ") {
					t.Errorf("blanks at the end of %q", line)
				}
			}
		})
	}
}

func TestLeast(t *testing.T) {
	for share, want := range map[float64]string{
		1: "all", 0.999: "at least 99%", 0.98: "at least 98%", 0: "at least 0%",
	} {
		if got := least(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test ./internal/demo -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

func TestBill(t *testing.T) {
	got := bill{InputTokens: 1_000_000, CachedTokens: 900_000}.priced()
	if want := 0.1*1.25 + 0.9*0.125; fmt.Sprintf("%.6f", got.InputCostUSD) != fmt.Sprintf("%.6f",
		want) || got.CacheHitRate != 0.9 {
		t.Errorf("got %+v, want $%.6f at a hit rate of 0.9", got, want)
	}
	if got := (bill{}).priced(); got != (bill{}) {
		t.Errorf("nothing costs %+v", got)
	}
}

func TestSpread(t *testing.T) {
	turns := make([]turn, 10)
	for i := range turns {
		turns[i] = turn{Raw: i + 1}
	}
	for _, c := range []struct{ turns, width, columns int }{
		{10, 10, 10}, {10, 25, 25}, {10, 5, 5}, {10, 3, 3}, {1, 60, 60}, {0, 60, 0},
	} {
		got := spread(turns[:c.turns], c.width)
		if len(got) != c.columns {
			t.Errorf("%d turns on %d columns: took %d, want %d", c.turns, c.width, len(got),
				c.columns)
		}
		if len(got) > 0 && got[len(got)-1].Raw != c.turns {
			t.Errorf("%d turns on %d columns: the last shows %d", c.turns, c.width,
				got[len(got)-1].Raw)
		}
	}
}

func TestReadingHeaders(t *testing.T) {
	const dropped = "tool_outputs; count=12; tokens=3400, messages; count=31"
	for kind, want := range map[string]int{"tool_outputs": 12, "messages": 31, "parts": 0} {
		if got := droppedOf(dropped, kind); got != want {
			t.Errorf("%s in %q: got %d, want %d", kind, dropped, got, want)
		}
	}
	if got, ok := coverageOf("coverage=0.41; repaired=2"); !ok || got != 0.41 {
		t.Errorf("got %v, %v", got, ok)
	}
	for _, header := range []string{"", "verdict=pass", "coverage=high"} {
		if _, ok := coverageOf(header); ok {
			t.Errorf("%q reads as a coverage", header)
		}
	}
}

// The demo's check of requests finds each kind of fault.
func TestFaultsIn(t *testing.T) {
	const (
		system = `{"role":"system","content":"Be \u0062rief."}`
		task   = `{"role":"user","content":"Fix the login"}`
		call   = `{"role":"assistant","content":null,"tool_calls":[` +
			`{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},` +
			`{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		a      = `{"role":"tool","tool_call_id":"a","content":"1"}`
		b      = `{"role":"tool","tool_call_id":"b","content":"2"}`
		latest = `{"role":"user","content":"Now \"quickly\""}`
		record = `{"role":"user","content":"A record.\nFix the login\n"}`
	)
	body := func(messages ...string) []byte {
		return []byte(`{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`)
	}
	req, err := chat.Parse(body(system, task, call, a, b, latest))
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{messages: req.Messages()}
	for _, c := range []struct {
		name                  string
		forwarded             []byte
		broken, changed, lost int
	}{
		{"as it came", body(system, task, call, a, b, latest), 0, 0, 0},
		{"folded", body(system, record, latest), 0, 0, 0},
		{"a result without its call", body(system, record, b, latest), 1, 0, 0},
		{"a call without its result", body(system, task, call, a, latest), 1, 0, 0},
		{"calls at the end", body(system, task, latest, call), 2, 0, 0},
		{"a result twice", body(system, task, call, a, b, b, latest), 1, 0, 0},
		{"the system message spelled anew", body(strings.Replace(system, `\u0062`, "b", 1), task,
			latest), 0, 1, 0},
		{"no system message", body(task, latest), 0, 1, 0},
		{"the task lost", body(system, latest), 0, 0, 1},
		{"the latest request lost", body(system, record), 0, 0, 1},
		{"not JSON", []byte("{"), 1, 0, 0},
	} {
		broken, changed, lost := s.faultsIn(c.forwarded, len(s.messages))
		if broken != c.broken || changed != c.changed || lost != c.lost {
			t.Errorf("%s: %d broken, %d changed, %d lost, want %d, %d, %d", c.name, broken, changed,
				lost, c.broken, c.changed, c.lost)
		}
	}
}

func TestProgress(t *testing.T) {
	s := step{done: 8, of: 16, turn: turn{Raw: 41203, Sent: 18442, Action: "mask"}}
	var piped bytes.Buffer
	p := terminal.NewProgress(&piped, terminal.Plain)
	p.Show(false, s.draw)
	p.Clear()
	if piped.Len() > 0 {
		t.Errorf("a pipe gets %q", piped.String())
	}

	var screen bytes.Buffer
	p = terminal.NewProgress(&screen, terminal.Look{Terminal: true, Glyphs: terminal.Unicode,
		Width: 78})
	p.Show(false, s.draw)
	if _, err := p.Above(&screen).Write([]byte("a line of the log\n")); err != nil {
		t.Fatal(err)
	}
	p.Clear()
	want := "\r  ████████░░░░░░░░ turn 8 of 16    41,203 →  18,442 tokens  mask\x1b[K" +
		"\r\x1b[K" + "a line of the log\n"
	if screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
	for width := range 80 {
		l := terminal.Look{Terminal: true, Glyphs: terminal.ASCII, Width: width}
		if got := lipgloss.Width(s.draw(l)); width > 60 && got > width {
			t.Errorf("%d columns on a terminal of %d", got, width)
		}
	}
}

// The title says when requests are compacted, whatever the amounts are given in.
func TestTitle(t *testing.T) {
	for _, c := range []struct{ trigger, target, want string }{
		{"16000", "0.1", "compacts requests over 16,000 tokens to about 10% of the window. "},
		{"auto", "auto", "compacts requests where the model's prices make that pay. "},
	} {
		if got := drawTitle(&Report{Trigger: c.trigger, Target: c.target}); !strings.Contains(got,
			c.want) {
			t.Errorf("%s to %s: %q, want %q in it", c.trigger, c.target, got, c.want)
		}
	}
}
