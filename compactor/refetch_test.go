package compactor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
)

// reading is a call that reads or edits a file, and its result.
func reading(tool, path string, id int, text string) []string {
	return []string{
		fmt.Sprintf(
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",`+
				`"function":{"name":%q,"arguments":"{\"path\":%s}"}}]}`,
			id,
			tool,
			strings.ReplaceAll(fmt.Sprintf("%q", path), `"`, `\"`),
		),
		fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, id, text),
	}
}

// readingAll is a call that reads several files, as Cline 3.0.65 does, and its result.
func readingAll(id int, text string, paths ...string) []string {
	var files, items []string
	for _, path := range paths {
		files = append(files, chattest.Object("path", path))
		items = append(items, fmt.Sprintf(
			`{"query":%q,"result":%q,"success":true}`, path, text))
	}
	call := fmt.Sprint("c", id)
	return []string{
		chattest.Call(call, "read_files", `{"files":[`+strings.Join(files, ",")+`]}`),
		chattest.Result(call, `[`+strings.Join(items, ",")+`]`),
	}
}

func TestRefetchesAreCounted(t *testing.T) {
	text := strings.Repeat("a line of the file\n", 30)
	var before []string
	before = append(before, `{"role":"user","content":"Compare the files."}`)
	for i := range 12 {
		before = append(before, reading("read_file", fmt.Sprintf("f%d.go", i), i, text)...)
	}
	before = slices.Insert(before, 1, readingAll(80, text, "alone.go")...)
	for name, test := range map[string]struct {
		last []string
		want int
	}{
		"what was hidden":     {reading("read_file", "f0.go", 90, text), 1},
		"what was never read": {reading("read_file", "f99.go", 90, text), 0},
		"what is still there": {reading("read_file", "f11.go", 90, text), 0},
		"what was written since": {slices.Concat(reading("edit_file", "f0.go", 89, "done"),
			reading("read_file", "f0.go", 90, text)), 0},
		"what a command prints": {reading("bash", "f0.go", 90, text), 0},
		"one of several":        {readingAll(90, text, "alone.go", "f99.go"), 1},
	} {
		e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore()})
		msgs := append(append([]string(nil), before...), test.last...)
		got := 0
		turns(t, msgs, func(n int) {
			got = e.Compact(t.Context(), parse(t, body(msgs[:n])), "ann").Refetched
		})
		if got != test.want {
			t.Errorf("%s: %d refetches, want %d", name, got, test.want)
		}
		// From nothing but the messages as well, once the form is known.
		if again := e.Compact(t.Context(), parse(t, body(msgs)), "ann").Refetched; again != got {
			t.Errorf("%s: %d when asked again", name, again)
		}
	}
}

// What was fetched again is not masked again, and its tool's other outputs are
// thought likelier to be needed.
func TestRefetchedOutputsStay(t *testing.T) {
	text := strings.Repeat("a line of the file\n", 30)
	msgs := []string{`{"role":"user","content":"Compare the files."}`}
	for i := range 6 {
		msgs = append(msgs, reading("read_file", fmt.Sprintf("f%d.go", i), i, text)...)
	}
	msgs = append(msgs, reading("read_file", "f0.go", 90, text)...)
	msgs = append(msgs, reading("read_file", "f9.go", 91, text)...)
	v := layout.New(parse(t, body(msgs)), byteCounter{})
	v.Split()
	policy := small.WithDefaults()
	budget := policy.Budget(settings.DefaultWindow, 1, plan.Prices{})
	without := history.New(v, nil, budget, policy)
	cp := &checkpoint.Checkpoint{Masks: []checkpoint.Mask{{Index: 2, Text: "[masked]", Saved: 1}}}
	with := history.New(v, cp, budget, policy)
	if with.Again == nil || !with.Again[6] || with.Again[1] {
		t.Fatalf("fetched again: %v", with.Again)
	}
	for _, i := range with.Maskable() {
		if i == 2+2*6 {
			t.Error("what was fetched again may be masked")
		}
	}
	if with.Need[1] <= without.Need[1] {
		t.Errorf(
			"the chance of the tool's next output is %d, %d before",
			with.Need[1],
			without.Need[1],
		)
	}
}

// A call that returns something else than before was made to see what is new, such as a price, and
// not because the first output was hidden. What a record shows whole was not hidden.
func TestPollsAreNoRefetches(t *testing.T) {
	long := strings.Repeat(`{"symbol":"GLX","bid":41.5}`+"\n", 30)
	for name, c := range map[string]struct {
		first, second string
		want          bool
	}{
		"the same":        {long, long, true},
		"another price":   {long, strings.ReplaceAll(long, "41.5", "41.7"), false},
		"a short failure": {"upstream timeout", "upstream timeout", false},
	} {
		msgs := []string{`{"role":"user","content":"Watch GLX."}`}
		msgs = append(msgs, reading("get_quote", "GLX", 1, c.first)...)
		msgs = append(msgs, reading("get_quote", "KAH", 2, long)...)
		msgs = append(msgs, reading("get_quote", "GLX", 3, c.second)...)
		v := layout.New(parse(t, body(msgs)), byteCounter{})
		v.Split()
		policy := small.WithDefaults()
		cp := &checkpoint.Checkpoint{Masks: []checkpoint.Mask{
			{Index: 2, Text: "[masked]", Saved: 1}}}
		h := history.New(v, cp, policy.Budget(settings.DefaultWindow, 1, plan.Prices{}), policy)
		if got := h.Again != nil && h.Again[2]; got != c.want {
			t.Errorf("%s: fetched again is %t, want %t", name, got, c.want)
		}
	}
}

// Each look is a search of the history, so a turn of many calls must not ask for as
// many.
func TestCallsOfOneTurnAreLookedUpWithinABound(t *testing.T) {
	msgs := []string{`{"role":"user","content":"Compare the files."}`}
	for i := range 12 {
		text := strings.Repeat("a line of the file\n", 30)
		msgs = append(msgs, reading("read_file", fmt.Sprintf("f%d.go", i), i, text)...)
	}
	var calls, results []string
	const most = 16
	for i := range 3 * most {
		pair := reading("read_file", "f0.go", 100+i, "the same")
		const begin = `"tool_calls":[`
		from, to := strings.Index(pair[0], begin)+len(begin), strings.LastIndex(pair[0], "]")
		calls, results = append(calls, pair[0][from:to]), append(results, pair[1])
	}
	msgs = append(
		append(
			msgs,
			`{"role":"assistant","content":null,"tool_calls":[`+strings.Join(calls, ",")+`]}`,
		),
		results...)
	in := body(msgs)
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore()})
	e.Compact(t.Context(), parse(t, body(msgs[:25])), "ann")
	res := e.Compact(t.Context(), parse(t, in), "ann")
	checkForm(t, in, res.Body)
	if res.Refetched != most {
		t.Errorf("%d of %d calls were looked up, want %d", res.Refetched, len(calls), most)
	}
}
