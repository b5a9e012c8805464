package groundcheck

import (
	"strings"
	"testing"
)

func TestValuesOfObjectsInOthers(t *testing.T) {
	const result = `{"ok":true,"issue":{"key":"K-1","by":{"id":7}}}`
	for shown, want := range map[string]bool{
		"ok: true; issue.key: K-1": true, "issue.key: K-1; issue.by.id: 7": true,
		"issue.key: K-2": false, "key: K-1": false, "issue.id: 7": false,
		"issue.key: K-1; ok: true": false,
	} {
		if _, ok := listsValues(shown, result); ok != want {
			t.Errorf("%q: %t, want %t", shown, ok, want)
		}
	}
}

// A long value is whole, begun or left out; a short one is whole.
func TestLongValuesMayBeCut(t *testing.T) {
	long := strings.Repeat("a long text ", 9) + "here"
	result := `{"ok":true,"note":"` + long + `","id":7}`
	for shown, want := range map[string]bool{
		"ok: true; note: " + long + "; id: 7": true, "note: a long text […]; id: 7": true,
		"ok: true; note: […]; id: 7": true, "ok: tr […]; id: 7": false,
		"note: a short text […]": false, "note: a long text": false,
	} {
		if _, ok := listsValues(shown, result); ok != want {
			t.Errorf("%q: %t, want %t", shown, ok, want)
		}
	}
}

// The line of a log that is stated to be its last error states an error, and is the last such one.
func TestErrorsOfLogs(t *testing.T) {
	const log = `{\"level\":\"error\",\"msg\":\"a\"}\n{\"level\":\"error\",\"msg\":\"b\"}\n` +
		` level=error msg=c\n{\"severity\":\"critical\",\"id\":7}\nts=1 level=info msg=\"error\"`
	conv := read(t, system, calls("", "a", "bash",
		`{"command":"docker logs web"}`), result("a", log))
	for shown, rule := range map[string]string{
		`{"level":"error","msg":"b"}`: "", `{"level":"error","msg":"a"}`: ruleLastLine,
		`ts=1 level=info msg="error"`: ruleLastLine, `level=error msg=c`: ruleLastLine,
		`{"severity":"critical","id":7}`: ruleLastLine,
	} {
		c := under(conv, commandsTitle, 2)
		c.entry("1 bash(docker logs web); last line of level error or worse: " + shown)
		wantRule(t, c.report, shown, rule)
	}
}

// A log of plain text states levels in the column after its times in which they differ.
func TestErrorsOfTextLogs(t *testing.T) {
	const log = `2026-01-02 03:04:05,123 - app - INFO - ERROR a\n` +
		`2026-01-02 03:04:05,124 - app - ERROR - b\n2026-01-02 03:04:06,000 - app - INFO - c`
	conv := read(t, system, calls("", "a", "bash", `{"command":"tail app.log"}`), result("a", log),
		calls("", "b", "bash", `{"command":"git log"}`),
		result("b", `2026-01-02 03:04:05 ERROR a\n2026-01-02 03:04:06 ERROR b`))
	for shown, rule := range map[string]string{
		"1 bash(tail app.log); last line of level error or worse: " +
			"2026-01-02 03:04:05,124 - app - ERROR - b": "",
		"1 bash(tail app.log); last line of level error or worse: " +
			"2026-01-02 03:04:05,123 - app - INFO - ERROR a": ruleLastLine,
		"3 bash(git log); last line of level error or worse: " +
			"2026-01-02 03:04:06 ERROR b": ruleLastLine,
	} {
		c := under(conv, commandsTitle, 4)
		c.entry(shown)
		wantRule(t, c.report, shown, rule)
	}
}

// Only where a record says that it lists none of some older entries may it state less than how
// often a call was made, and then as the least number.
func TestCountsOfRecordsThatForget(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "bash", `{"command":"make"}`), result("a", "done"), // 1
		calls("", "b", "bash", `{"command":"make"}`), result("b", "done"), // 3
		calls("", "c", "bash", `{"command":"make"}`), result("c", "done"), // 5
	)
	for _, test := range []struct{ lines, entry, rule string }{
		{"(older ones left out)", "5 bash(make), made at least 2 times → done", ""},
		{"(older ones left out)", "5 bash(make) → done", ""},
		{"(older ones left out)", "5 bash(make), made 2 times → done", ruleTimes},
		{"(older ones left out)", "5 bash(make), made at least 4 times → done", ruleTimes},
		{"", "5 bash(make), made at least 2 times → done", ruleTimes},
	} {
		c := under(conv, commandsTitle, 6)
		c.rec.lines = []string{test.lines}
		c.outcome(test.entry)
		wantRule(t, c.report, test.entry, test.rule)
	}
}
