package preview

import (
	"fmt"
	"strings"
	"testing"

	"killick/transcript"
	"killick/view"
)

// previewOf returns the preview of an output of numbered lines, some of them replaced.
func previewOf(t *testing.T, arguments string, o Output, replaced map[int]string) string {
	t.Helper()
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = fmt.Sprint("a line of the file, number ", i)
		if l, ok := replaced[i]; ok {
			lines[i] = l
		}
	}
	call := transcript.NewCall(view.ToolCall{Name: "Read", Arguments: []byte(arguments)}, 0)
	o.Text, o.Call, o.Names = strings.Join(lines, "\n"), &call, fitting
	o.Tokens, o.Shown = 4000, 400
	return o.Preview()
}

const read = `{"path":"a.go"}`

func TestWhatSearchesFoundIsShown(t *testing.T) {
	for _, found := range [][]int{{200}, {200, 300}, nil} {
		got := previewOf(t, read, Output{Found: found}, nil)
		for _, at := range []int{200 - around, 200, 200 + around, 300} {
			want := len(found) > 0 && (at < 300 || len(found) == 2)
			if strings.Contains(got, fmt.Sprint("number ", at, "\n")) != want {
				t.Errorf("searches found %d: is line %d shown? want %t:\n%s", found, at, want, got)
			}
		}
	}
	// A search may have found lines that the file no longer has.
	if got := previewOf(t, read, Output{Found: []int{399, 400, 9000}}, nil); !strings.Contains(got,
		"number 399") {
		t.Errorf("the last line is not shown:\n%s", got)
	}
}

func TestNamesOfGapsAreListedOnce(t *testing.T) {
	got := previewOf(t, read, Output{Found: []int{200}}, map[int]string{
		100: "parseAll calls readLine", 200: "parseAll calls writeAll",
		250: "readLine calls parseAll and closeFile", 260: "writeAll calls closeFile, openFile",
	})
	for name, want := range map[string]int{
		"parseAll": 1, // in a line that is shown
		"writeAll": 1,
		"readLine": 1, "closeFile": 1, // listed for the first gap that has it
	} {
		if n := strings.Count(got, name); n != want {
			t.Errorf("%s is there %d times, want %d:\n%s", name, n, want, got)
		}
	}
	if !strings.Contains(got, "; they name: closeFile openFile]\n") {
		t.Errorf("the names of the last gap are not listed like those of an index:\n%s", got)
	}
}

// Of the ids in the rows of a table, a gap lists a few, and all other names.
func TestRowsOfTablesAreNotListed(t *testing.T) {
	lines := map[int]string{390: "closeFile of C99000"}
	for i := range 300 {
		lines[50+i] = fmt.Sprintf("FT-%d;C%d;4.879,90;pagata", 1000+i, 20000+i)
	}
	got := previewOf(t, read, Output{}, lines)
	_, names, _ := strings.Cut(got, "; they name: ")
	names, _, _ = strings.Cut(names, "]\n")
	numbered := 0
	for name := range strings.FieldsSeq(names) {
		if strings.HasPrefix(name, "C") || strings.HasPrefix(name, "FT-") {
			numbered++
		}
	}
	if numbered != 8 || !strings.Contains(names, "closeFile") {
		t.Errorf("%d ids are listed, want 8, and closeFile: %s", numbered, names)
	}
}

// Of the numbers of a log's lines, a gap lists the first few, and all other names.
func TestNumbersOfLogsAreNotListed(t *testing.T) {
	lines := map[int]string{}
	for i := range 300 {
		lines[50+i] = fmt.Sprintf("step %d of runAll%c", 41000+i, 'a'+rune(i%3))
	}
	got := previewOf(t, read, Output{}, lines)
	_, names, _ := strings.Cut(got, "; they name: ")
	names, _, _ = strings.Cut(names, "]\n")
	numbered := 0
	for name := range strings.FieldsSeq(names) {
		if strings.HasPrefix(name, "41") {
			numbered++
		}
	}
	if numbered != maxNumbered || !strings.Contains(names, "runAllc") {
		t.Errorf("%d numbers are listed, want %d, and runAllc: %s", numbered, maxNumbered, names)
	}
}

// Of a run with wide lines, such as a log in JSON, the ends leave room for what it reports, and the
// last line is shown before those that precede it.
func TestWideLinesLeaveRoomForErrors(t *testing.T) {
	lines := make([]string, 80)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"n":%d,"level":"info","msg":%q}`, i, strings.Repeat("fine ", 40))
	}
	lines[40] = `{"n":40,"level":"error","msg":"connection refused"}`
	call := transcript.NewCall(view.ToolCall{Name: "kubectl", Arguments: []byte(`{"args":"logs"}`)},
		0)
	o := Output{Text: strings.Join(lines, "\n"), Tokens: 5000, Shown: 1000, Call: &call,
		Names: fitting}
	got := o.Preview()
	for n, want := range map[int]bool{0: true, 40: true, 60: false, 79: true} {
		if strings.Contains(got, fmt.Sprintf(`{"n":%d,`, n)) != want {
			t.Errorf("line %d is to be shown: %t\n%s", n, want, got)
		}
	}
}

// So is a line of a log that states a level above error, whatever its words are.
func TestLevelsOfLogsAreShown(t *testing.T) {
	for fine, failed := range map[string]string{
		`{"n":%d,"level":"info","msg":"fine"}`: `{"n":40,"level":"fatal","msg":"no room"}`,
		"03:04:05,%03d INFO fine":              "03:04:05,040 FATAL no room",
	} {
		lines := make([]string, 80)
		for i := range lines {
			lines[i] = fmt.Sprintf(fine, i)
		}
		lines[40] = failed
		call := transcript.NewCall(view.ToolCall{Name: "Bash",
			Arguments: []byte(`{"command":"kubectl logs oven"}`)}, 0)
		o := Output{Text: strings.Join(lines, "\n"), Tokens: 5000, Shown: 200, Call: &call,
			Names: fitting}
		if got := o.Preview(); !strings.Contains(got, failed) {
			t.Errorf("the line is not shown:\n%s", got)
		}
	}
}

// A line that reports an error is shown before those around it, however little room there is.
func TestErrorsAreShownBeforeTheLinesAroundThem(t *testing.T) {
	lines := make([]string, 110)
	for i := range lines {
		lines[i] = fmt.Sprintf("build\tRun tests\t10:%02d OrderTest > case %d PASSED", i/2, i)
	}
	lines[61] = "build\tRun tests\t10:30 OrderTest > case 61 FAILED"
	call := transcript.NewCall(view.ToolCall{Name: "Bash",
		Arguments: []byte(`{"command":"gh run view 7 --log"}`)}, 0)
	for _, shown := range []int{150, 200, 300, 500} {
		o := Output{Text: strings.Join(lines, "\n"), Tokens: 2500, Shown: shown, Call: &call,
			Names: fitting}
		got := o.Preview()
		if !strings.Contains(got, "case 61 FAILED") {
			t.Errorf("in %d tokens the error is not shown:\n%s", shown, got)
		}
		if near := strings.Contains(got, "case 62 "); !near && strings.Contains(got, "case 55 ") {
			t.Errorf("in %d tokens, lines far before it are:\n%s", shown, got)
		}
	}
}

// A call that reads on in a session returns only what is new: nothing is to be had from it again.
func TestWhatASessionPrintedIsNotAskedForAgain(t *testing.T) {
	poll := callNamed("write_stdin", `{"session_id":7,"chars":""}`)
	for _, c := range []struct {
		of     *transcript.Call
		expand bool
		want   string
	}{
		{poll, false, " lines are shown, the gaps are marked. ref=k7]\n"},
		{poll, true, " the gaps are marked. To see more, call killick_expand with the ref, if " +
			"you have that tool. ref=k7]\n"},
		{callNamed("bash", `{"command":"make"}`), true, " the gaps are marked. Ask for the part " +
			"that is needed to see more, or call killick_expand with the ref, if you have that " +
			"tool. ref=k7]\n"},
	} {
		o := Output{Text: strings.Repeat("compiling something\n", 400), Call: c.of, Names: fitting,
			Tokens: 1600, Shown: 300, Ref: "k7", Expand: c.expand}
		if got := o.Preview(); !strings.Contains(got, c.want) {
			t.Errorf("%s, want %q", got[:200], c.want)
		}
	}
}
