package truncate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/transcript"
)

// lastCall returns the messages of a conversation of calls with their results, and the last call.
func lastCall(t *testing.T, made ...[3]string) (*transcript.Transcript, *transcript.Call) {
	t.Helper()
	messages := []string{`{"role":"user","content":"do it"}`}
	for i, m := range made {
		messages = append(messages, fmt.Sprintf(`{"role":"assistant","content":"","tool_calls":[`+
			`{"id":"c%d","type":"function","function":{"name":%q,"arguments":%q}}]}`,
			i, m[0], m[1]),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`, i, m[2]))
	}
	req, err := chat.Parse([]byte(`{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	read := transcript.ReadAll(req.Messages())
	return read, &read.Calls[len(read.Calls)-1]
}

func TestLinesThatSearchesFound(t *testing.T) {
	const found = "src/a.go:12:func a()\nsrc/b.go:7:x\nsrc/a.go:40:\ta()\nsrc/a.go:12:again\n" +
		"src/a.go: 3\na.go:99:is the end of its path\nlib/a.go:5:is another file\n"
	search := [3]string{"Grep", `{"pattern":"a"}`, found}
	for arguments, want := range map[string][]int{
		`{"path":"/home/me/src/a.go"}`:              {11, 39, 98},
		`{"path":"/home/me/src/a.go","offset":20}`:  {20, 79},
		`{"path":"/home/me/src/c.go"}`:              nil,
		`{"paths":["src/a.go","src/b.go"],"all":1}`: nil,
	} {
		read, call := lastCall(t, search, [3]string{"Read", arguments, "lines"})
		if got := (hits{}).before(read, call); !slices.Equal(got, want) {
			t.Errorf("%s: lines %d, want %d", arguments, got, want)
		}
	}
	made := [][3]string{search}
	for i := range contextMessages / 2 {
		made = append(made, [3]string{"Read", fmt.Sprintf(`{"path":"%d.go"}`, i), "lines"})
	}
	read, call := lastCall(t, append(made, [3]string{"Read", `{"path":"src/a.go"}`, "lines"})...)
	if got := (hits{}).before(read, call); got != nil {
		t.Errorf("of a search further back: lines %d, want none", got)
	}
}

// Each output of a file is compared with a limited number of lines that a search found in it.
func TestFoundLinesAreLimited(t *testing.T) {
	var found strings.Builder
	for i := range 3 * maxHits {
		fmt.Fprintf(&found, "a.go:%d:a\nb.go:%d:a\n", i+1, i+1)
	}
	for file, want := range map[string]int{"a.go": maxHits, "b.go": maxHits, "c.go": 0} {
		read, call := lastCall(t, [3]string{"Grep", `{"pattern":"a"}`, found.String()},
			[3]string{"Read", `{"path":"` + file + `"}`, "lines"})
		h := hits{}
		if got := len(h.before(read, call)); got != want {
			t.Errorf("%s: %d lines, want %d", file, got, want)
		}
		for _, of := range h {
			if len(of["a.go"]) > maxHits {
				t.Errorf("%d lines are kept of one file, want %d", len(of["a.go"]), maxHits)
			}
		}
	}
}

// The context of an output is the message with its call, the two of the assistant before that and
// the last one of the user, no further than twelve messages back.
func TestWhatTheContextIs(t *testing.T) {
	says := func(role string) string { return `{"role":"` + role + `","content":"text"}` }
	const call = `{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function",` +
		`"function":{"name":"Read","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"lines"}`
	for _, c := range []struct {
		before string // the messages before the call: of the user, the assistant, the system
		want   []int
	}{
		{"u", []int{0, 1}},
		{"uaua", []int{1, 2, 3, 4}},
		{"uaaa", []int{0, 2, 3, 4}},
		{"uuaa", []int{1, 2, 3, 4}},
		{"auu", []int{0, 2, 3}},
		{"auaus", []int{0, 2, 3, 5}},
		{"uassssssssss", []int{0, 1, 12}},
		{"uasssssssssss", []int{1, 13}},
	} {
		var messages []string
		for _, role := range c.before {
			messages = append(messages, says(map[rune]string{
				'u': "user", 'a': "assistant", 's': "system"}[role]))
		}
		req, err := chat.Parse([]byte(`{"model":"m","messages":[` +
			strings.Join(append(messages, call), ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		read := transcript.ReadAll(req.Messages())
		w := words{}
		all := w.before(read, &read.Calls[0])
		if got := slices.Sorted(maps.Keys(w)); !slices.Equal(got, c.want) ||
			len(all) != 1+len(c.want) { // the call itself, too
			t.Errorf("%s: messages %d in %d texts, want %d", c.before, got, len(all), c.want)
		}
	}
}

// A message before many calls is read once, not once for each call.
func TestContextsAreReadOnce(t *testing.T) {
	var calls, results []string
	for i := range 200 {
		calls = append(calls, fmt.Sprintf(`{"id":"c%d","type":"function","function":`+
			`{"name":"Read","arguments":"{\"path\":\"%d.go\"}"}}`, i, i))
		results = append(results, fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d",`+
			`"content":"lines"}`, i))
	}
	var request strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&request, "lib/file_%d.go ", i)
	}
	req, err := chat.Parse(fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user",`+
		`"content":%q},{"role":"assistant","content":"","tool_calls":[%s]},%s]}`,
		request.String(), strings.Join(calls, ","), strings.Join(results, ",")))
	if err != nil {
		t.Fatal(err)
	}
	read := transcript.ReadAll(req.Messages())
	allocations := func(calls int) float64 {
		return testing.AllocsPerRun(1, func() {
			w := words{}
			for i := range calls {
				if all := w.before(read, &read.Calls[i]); !all[2]["lib/file_7.go"] {
					t.Fatalf("the references of the request are missing: %d", len(all))
				}
			}
		})
	}
	if one, all := allocations(1), allocations(200); all > 10*one+2000 {
		t.Errorf("%v allocations for one call, %v for 200", one, all)
	}
}
