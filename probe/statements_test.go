package probe

import (
	"slices"
	"strings"
	"testing"

	"killick/chat"
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

func FuzzCheck(f *testing.F) {
	f.Add("The timeout is 300 s, port 8080. Never push to main.", "   834\tcache 835 MB\n10:35:41.837 -rw 64M", "The cache is limited to 834 MB.", "Always push to main.")
	f.Add("Use A instead of B.", `{"price": 843}`, "# Completed", "Use B instead of A for $843, 835")
	f.Add("`go test` 12", "FAIL\tshop/db [build failed]", "`go test` passes.", "(completed) `")
	f.Fuzz(func(t *testing.T, user, output, one, other string) {
		var msgs []chat.Message
		for _, raw := range []string{
			`{"role":"user","content":` + string(chat.AppendQuoted(nil, user)) + `}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"go test ./...\"}"}},` +
				`{"id":"2","type":"function","function":{"name":"TodoWrite","arguments":"{\"todos\":[{\"content\":\"Add the index\",\"status\":\"pending\"}]}"}}]}`,
			`{"role":"tool","tool_call_id":"1","content":` + string(chat.AppendQuoted(nil, output)) + `}`,
			`{"role":"tool","tool_call_id":"2","content":"ok"}`,
		} {
			m, err := chat.ParseMessage([]byte(raw))
			if err != nil {
				t.Skip("the text is no JSON string")
			}
			msgs = append(msgs, m)
		}
		exam := Prepare(msgs, Config{})
		lines := []string{one, other, "Add the index", one}
		faults := exam.Check(lines)
		for i, fault := range faults {
			if fault.Statement < 0 || fault.Statement >= len(lines) || i > 0 && fault.Statement <= faults[i-1].Statement || !fault.Invented && !fault.Turned {
				t.Fatalf("fault %d of %+v", i, faults)
			}
		}
		if again := exam.Check(lines); !slices.Equal(again, faults) {
			t.Fatalf("checked twice: %+v, then %+v", faults, again)
		}
		exam.Ask(one + "\n" + other)
	})
}
