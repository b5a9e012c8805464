package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
)

const (
	itemA    = `{"query":"/p/a.go","result":"1 | package a\n2 | ","success":true}`
	itemB    = `{"query":"/p/b.go:3-6","result":"3 | func b() {","success":true}`
	itemNone = `{"query":"/p/no.go","result":"","error":"Error reading file: ENOENT",` +
		`"success":false}`
	itemMake = `{"query":"make","result":"built\n","success":true}`
	itemTest = `{"query":"make test","result":"[Command exited with code 3]\nFAIL\n",` +
		`"error":"Command exited with code 3","success":false}`
	itemCat = `{"query":"cat a.go","result":"package a\n","success":true}`

	fileA  = `{"path":"/p/a.go"}`
	fileB  = `{"path":"/p/b.go","start_line":3,"end_line":6}`
	fileNo = `{"path":"/p/no.go"}`
)

// The calls and results have the forms of those that Cline 3.0.65 sent.
func TestTasksOfACall(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments, result string
		want                          []string // of each task
	}{
		{"files", "read_files", `{"files":[` + fileA + `,` + fileB + `]}`,
			`[` + itemA + `,` + itemB + `]`, []string{
				`read_files :/p/a.go ok "1 | package a\n2 | \n" shows /p/a.go:1`,
				`read_files :/p/b.go ok "3 | func b() {\n" shows /p/b.go:3`}},
		{"files, one of which is not there", "read_files", `{"files":[` + fileA + `,` + fileNo +
			`]}`, `[` + itemA + `,` + itemNone + `]`, []string{
			`read_files :/p/a.go ok "1 | package a\n2 | \n" shows /p/a.go:1`,
			`read_files :/p/no.go failed "Error reading file: ENOENT\n" shows /p/no.go:1`}},
		{"commands", "run_commands", `{"commands": ["make", "make test","cat a.go"]}`,
			`[` + itemMake + `,` + itemTest + `,` + itemCat + `]`, []string{
				`run_commands make ok "built\n"`, `run_commands make test failed 3 "FAIL\n"`,
				`run_commands cat a.go ok "package a\n" shows a.go:1`}},
		{"a list alone", "run_commands", `["make","make test"]`,
			`[` + itemMake + `,` + itemTest + `]`, []string{
				`run_commands make ok "built\n"`, `run_commands make test failed 3 "FAIL\n"`}},

		{"one task", "run_commands", `{"commands":["make"]}`, `[` + itemMake + `]`, nil},
		{"another order", "run_commands", `{"commands":["make test","make"]}`,
			`[` + itemMake + `,` + itemTest + `]`, nil},
		{"another file", "read_files", `{"files":[{"path":"/p/a"},` + fileB + `]}`,
			`[` + itemA + `,` + itemB + `]`, nil},
		{"a result less", "read_files", `{"files":[` + fileA + `,` + fileB + `]}`,
			`[` + itemA + `]`, nil},
		{"a result more", "read_files", `{"files":[` + fileA + `,` + fileB + `]}`,
			`[` + itemA + `,` + itemB + `,` + itemNone + `]`, nil},
		{"another argument", "run_commands", `{"commands":["make","make test"],"cwd":"/p"}`,
			`[` + itemMake + `,` + itemTest + `]`, nil},
		{"another tool", "search_codebase", `{"queries":["make","make test"]}`,
			`[` + itemMake + `,` + itemTest + `]`, nil},
		{"another result", "run_commands", `{"commands":["make","make test"]}`, `built`, nil},
	} {
		read := ReadAll(chattest.Called(t, c.tool, c.arguments, c.result))
		var got []string
		for i := range read.Calls[1:] {
			got = append(got, callLine(read, &read.Calls[1+i]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"),
				strings.Join(c.want, "\n"))
		}
		if made := &read.Calls[0]; made.HasTasks() != (c.want != nil) || read.Answered(1) != 0 {
			t.Errorf("%s: the call of the model has tasks: %t", c.name, made.HasTasks())
		}
	}
}

// A task is a repetition of a call that does the same alone, and reads the whole file like it.
func TestTasksAreRepeated(t *testing.T) {
	several := ReadAll(chattest.Called(t, "read_files", `{"files":[`+fileA+`,`+fileB+`]}`,
		`[`+itemA+`,`+itemB+`]`)).Calls
	alone := ReadAll(chattest.Called(t, "read_files", `{"files":[`+fileA+`]}`,
		`[`+itemA+`]`)).Calls
	if a, b := several[1].Key(), alone[0].Key(); a != b || several[0].Key() == a {
		t.Errorf("keys %q and %q, want the same", a, b)
	}
	if !several[1].Whole() || several[2].Whole() || several[0].Whole() {
		t.Error("only the first of two tasks reads a whole file")
	}
}

// A call with tasks that failed is open until these alone went well.
func TestOpenTasks(t *testing.T) {
	of := func(tasks, items string) []Call {
		return ReadAll(chattest.Called(t, "run_commands", `{"commands":[`+tasks+`]}`,
			`[`+items+`]`)).Calls
	}
	failed := of(`"make","make test"`, itemMake+`,`+itemTest)
	well := of(`"make test"`, `{"query":"make test","result":"ok","success":true}`)
	if open := Open(failed); !open[0] || open[1] || !open[2] {
		t.Errorf("after a failure: %v", open)
	}
	if open := Open(append(failed, well...)); open[0] || open[2] {
		t.Errorf("after a success: %v", open)
	}
}

// A file that a task certainly deletes is deleted as if the model had called for it alone.
func TestChangesOfTasks(t *testing.T) {
	calls := ReadAll(chattest.Called(t, "run_commands", `{"commands":["rm old.go","make"]}`,
		`[{"query":"rm old.go","result":"","success":true},`+itemMake+`]`)).Calls
	changes := calls[1].Changes()
	if len(changes) != 1 || !changes[0].Sure || changes[0].Path != "old.go" {
		t.Errorf("%+v, want one change that is sure", changes)
	}
	if outer := calls[0].Changes(); len(outer) > 0 {
		t.Errorf("the call itself changes %+v", outer)
	}
}

// A call has a limited number of tasks.
func TestManyTasks(t *testing.T) {
	for n, want := range map[int]int{maxTasks: maxTasks + 1, maxTasks + 1: 1} {
		var commands, items []string
		for i := range n {
			commands = append(commands, fmt.Sprintf(`"c%d"`, i))
			items = append(items, fmt.Sprintf(`{"query":"c%d","result":"","success":true}`, i))
		}
		calls := ReadAll(chattest.Called(t, "run_commands", `{"commands":[`+
			strings.Join(commands, ",")+`]}`, `[`+strings.Join(items, ",")+`]`)).Calls
		if len(calls) != want {
			t.Errorf("%d tasks: %d calls, want %d", n, len(calls), want)
		}
	}
}

// Each task repeats what is around the list of tasks, so that is limited too.
func TestLongNamesOfTasks(t *testing.T) {
	for n, want := range map[int]int{10: 3, 10_000: 1} {
		calls := ReadAll(chattest.Called(t, "run_commands", `{"`+strings.Repeat("a", n)+
			`":["make","make test"]}`, `[`+itemMake+`,`+itemTest+`]`)).Calls
		if len(calls) != want {
			t.Errorf("a name of %d bytes: %d calls, want %d", n, len(calls), want)
		}
	}
}
