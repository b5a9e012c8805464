package groundcheck

import (
	"slices"
	"strings"
	"testing"
)

// What a record states of a call without a result must be so.
func TestCallsWithoutAResult(t *testing.T) {
	raw := slices.Clone(client)
	raw[19] = calls("Lint still finds two issues.", "z", "bash", `{"command":"make lint"}`)
	record := strings.NewReplacer(
		"last call: 17 bash, listed", "last call: 19 bash, listed",
		"exit code 2;", "exit code 2, called again (19) without a result;",
		"## Files\n", "## "+unansweredTitle+"\n- 19 bash(make lint)\n\n## Files\n",
	).Replace(truth)
	for _, f := range Check(body(raw), body(forward(record))).Faults {
		t.Error(f)
	}
	for _, c := range []struct{ rule, old, new string }{
		{ruleCall, "- 19 bash(make lint)", "- 17 bash(make lint)"},
		{ruleCall, "- 19 bash(make lint)", "- 19 bash(make test)"},
		{ruleCall, "- 19 bash(make lint)", "- 19 read(make lint)"},
		{ruleCount, "- 19 bash(make lint)\n", "- 19 bash(make lint)\n- 19 bash(make lint)\n"},
		{ruleGrammar, "- 19 bash(make lint)", "- 19 bash(make lint) → exit code 0"},
		{ruleLatest, "last call: 19 bash, listed", "last call: 17 bash, listed"},
		{ruleLatest, ", called again (19) without a result", ""},
		{ruleLatest, "called again (19)", "called again (18)"},
	} {
		report := Check(body(raw), body(forward(strings.Replace(record, c.old, c.new, 1))))
		if !fired(report, c.rule) {
			t.Errorf("%q instead of %q: %v, want a fault of the rule %q", c.new, c.old,
				report.Faults, c.rule)
		}
	}
}
