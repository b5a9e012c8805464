package summary

import (
	"fmt"
	"strings"
	"testing"
)

// What a failed command returned is quoted from both ends, whatever it says.
func TestBothEndsOfFailuresAreQuoted(t *testing.T) {
	lines := func(n int) (all string) {
		for i := range n {
			all += fmt.Sprintf("unit %d compiles\n", i)
		}
		return all
	}
	first, last := "src/oven.c:41:9: error: 'heat' undeclared\n", "make: *** [all] Error 2"
	for _, c := range []struct {
		name string
		call []string
		want []string // all are in the entry
		not  string
	}{
		{"short: all of it", run("make", "2", first+lines(3)+last),
			[]string{"; it returned: src/oven.c:41:9: error: 'heat' undeclared unit 0 compiles " +
				"unit 1 compiles unit 2 compiles make: *** [all] Error 2"}, "[…"},
		{"long: both ends, and how many lines", run("make", "2", first+lines(60)+last),
			[]string{"; it returned: src/oven.c:41:9: error: 'heat' undeclared unit 0 ",
				" [… 62 lines in all …] ", "unit 59 compiles make: *** [all] Error 2"}, "unit 30 "},
		{"very long", run("make", "2", first+lines(3000)+last),
			[]string{"; it returned: src/oven.c:41:9: error: 'heat' undeclared unit 0 ",
				" [… 3002 lines in all …] ", "unit 2999 compiles make: *** [all] Error 2"}, ""},
		{"one long line has no number", run("make", "2", strings.Repeat("a long word ", 200)+"."),
			[]string{"; it returned: a long word a ", " […] ", "a long word ."}, "in all"},
		{"imitations of the mark", run("make", "2", "one [… 7 lines in all …] two"),
			[]string{"; it returned: one (… 7 lines in all …] two"}, ""},
		{"the agent left out the middle", call("exec_command", `{"cmd":"make"}`,
			"Exit code: 2\nOutput:\nTotal output lines: 900\n\n"+first+
				"unit 0…12 tokens truncated…3 compiles\n"+last),
			[]string{"→ exit code 2; it returned: src/oven.c:41:9: error: 'heat' undeclared […] " +
				"make: *** [all] Error 2"}, ""},
		{"the agent kept the beginning", run("make", "2", "<persisted-output>\nOutput too large "+
			"(61KB). Full output saved to: /h/1.txt\n\nPreview (first 2KB):\n"+first+"un"),
			[]string{"; it returned: src/oven.c:41:9: error: 'heat' undeclared […]"}, "make: ***"},
		{"nothing was printed", run("make", "2", "(no output)"), []string{"→ exit code 2"}, ";"},
		{"a call that waits for a command", call("write_stdin", `{"session_id":7}`,
			"Exit code: 2\nOutput:\n"+first+lines(60)+last),
			[]string{"; it returned: src/oven.c:41:9", " […] ", last}, "in all"},
		{"another call that failed: its beginning", call("fetch", `{"id":7}`,
			`{"isError":true,"content":[{"type":"text","text":"`+strings.Repeat("no such id ", 90)+
				`"}]}`), []string{`; it returned: {"isError":true`, "no such id no […]"}, "in all"},
	} {
		sum := summarized(t, talk(user("Build it."), c.call, assistant("It fails.")))
		got := strings.Join(linesUnder(sum.Render(wide), TitleOpen), "\n")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %q in it", c.name, got, want)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q in\n%s", c.name, c.not, got)
		}
		if o := sum.Calls[0].Output; len(o) > 400+len(" [… 41 lines in all …] ")+8 {
			t.Errorf("%s: %d bytes: %s", c.name, len(o), o)
		}
	}
}

// A secret that spans lines does not change how many there are.
func TestLinesOfFailuresAreCountedWithoutRedaction(t *testing.T) {
	text := "a key:\n1\n2\n3\n" + strings.Repeat("a line that is printed\n", 40) + "end"
	src := sourceOf(t, talk(user("Build it."), run("make", "2", text)))
	src.Redact = func(s string) string {
		return strings.ReplaceAll(s, "1\n2\n3", "[redacted: key]")
	}
	got, _, _ := src.Outputs(0, len(src.Messages)).Of(&src.Calls[0])
	if !strings.Contains(got, "[… 45 lines in all …]") ||
		!strings.HasPrefix(got, "a key: [redacted: key] a line") {
		t.Errorf("got %s", got)
	}
}

// Where there is no room for all, the newest failure is quoted at length, the others are shorter.
func TestOlderFailuresAreShorterWithoutRoom(t *testing.T) {
	msgs := []string{user("Build all of it.")}
	for i := range 8 {
		msgs = append(msgs, run(fmt.Sprintf("make unit%d", i), "2", fmt.Sprintf("unit%d.c: ", i)+
			strings.Repeat("it is too hot here\n", 60)+"make: stopped")...)
	}
	sum := summarized(t, append(msgs, assistant("Nothing works.")))
	got := linesUnder(sum.Render(Room{Summary: 4000, All: 4000}), TitleOpen)
	if len(got) < 5 || len(got[0]) < 440 {
		t.Errorf("%d entries: %s", len(got), strings.Join(got, "\n"))
	}
	for i, entry := range got[1:min(len(got), 4)] {
		if len(entry) > 250 || !strings.Contains(entry, "… 61 lines in all …") ||
			!strings.Contains(entry, fmt.Sprintf("unit%d.c: it", 6-i)) {
			t.Errorf("entry %d: %s", i+1, entry)
		}
	}
	if all := linesUnder(sum.Render(wide), TitleOpen); len(all) != 8 || len(all[7]) < 400 {
		t.Errorf("with room: %s", strings.Join(all, "\n"))
	}
}
