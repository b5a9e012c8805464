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
		`ts=1 level=info msg=\"error\"`
	conv, err := readConversation(body([]string{system, calls("", "a", "bash",
		`{"command":"docker logs web"}`), result("a", log)}))
	if err != nil {
		t.Fatal(err)
	}
	for shown, rule := range map[string]string{
		`{"level":"error","msg":"b"}`: "", `{"level":"error","msg":"a"}`: RuleLastLine,
		`ts=1 level=info msg="error"`: RuleLastLine,
	} {
		c := checker{client: conv, report: Report{Counts: map[string]int{}},
			rec: &record{first: 1, last: 2, section: commandsTitle, seen: map[string]bool{}}}
		c.entry("1 bash(docker logs web); last line of level error or worse: " + shown)
		if len(c.report.Faults) > 0 != (rule != "") || rule != "" && !fired(c.report, rule) {
			t.Errorf("%s: %v, want rule %q", shown, c.report.Faults, rule)
		}
	}
}
