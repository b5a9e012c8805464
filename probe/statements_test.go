package probe

import (
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	exam := Prepare(script(t, examTalk), Config{})
	for _, tt := range []struct {
		name   string
		lines  []string
		faults []Fault
	}{
		{"nothing", nil, []Fault{}},
		{"the truth", strings.Split(examRecord, "\n"), []Fault{}},
		{"a name", []string{"Changed db/migrations/0007_orders_index.sql.", "Changed services/ledger/quota_sync.go."}, []Fault{{Statement: 1, Invented: true}}},
		{"the same name twice", []string{"Wrote a/ghost.go.", "Next is a/ghost.go."}, []Fault{{Statement: 0, Invented: true}, {Statement: 1, Invented: true}}},
		{"the second sentence", []string{"Never push to main.", "The table is large. The timeout is 451 s."}, []Fault{{Statement: 1, Invented: true}}},
		{"a rule", []string{"# Told", "The service listens on port 8080.", "Go ahead and push to main."}, []Fault{{Statement: 2, Turned: true}}},
		{"both", []string{"A full index is used instead of a partial index. See docs/ghost.md."}, []Fault{{Statement: 0, Invented: true, Turned: true}}},
		{"a task by its heading", []string{"# Completed", "Measure the slow customer query", "# Next", "Look at the fixture"}, []Fault{{Statement: 1, Turned: true}}},
		{"a task under the right one", []string{"# Completed", "Write the index migration", "# Next", "Measure the slow customer query"}, []Fault{}},
		{"a heading is no statement", []string{"# See a/ghost.go", "The table is large."}, []Fault{}},
		{"a check", []string{"All tests pass."}, []Fault{{Statement: 0, Turned: true}}},
		{"a question about it", []string{"Do all tests pass?"}, []Fault{}},
		{"lines in one", []string{"Wrote\na/ghost.go\n# Completed", "Measure the slow customer query"}, []Fault{{Statement: 0, Invented: true}}},
	} {
		if got := exam.Check(tt.lines); !slices.Equal(got, tt.faults) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.faults)
		}
	}
}
