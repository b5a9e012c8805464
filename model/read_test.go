package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func same(s string) string { return s }

// readAnswer reads an answer as a summary does.
func readAnswer(text string) (Prose, []string) {
	var p Prose
	if faults := summaryShape.object(text, &p); len(faults) > 0 {
		return Prose{}, faults
	}
	return p, p.tidy(same)
}

func TestTolerantReading(t *testing.T) {
	for name, text := range map[string]string{
		"bare":                   good,
		"in a fence":             "```json\n" + good + "\n```",
		"behind a preamble":      "Here is the record:\n" + good,
		"before other text":      good + "\nAnything else?",
		"before a brace":         good + " }",
		"behind thoughts":        "<think>I could write {\"session_intent\":1}\nbut no</think>\n" + good,
		"behind half a thought":  "and so on</think>" + good,
		"behind a broken object": "{not this} " + good,
		"behind another object":  `{"a":1} ` + good,
		"in an array":            "[" + good + "]",
		"with a mark in it":      strings.Replace(good, "edited auth.go", "edited </think>", 1),
		"with space":             "\n\t " + strings.ReplaceAll(good, `,"`, " ,\n\""),
	} {
		if p, faults := readAnswer(text); faults != nil || p.Intent != "Fix the login of the billing service." || len(p.Completed) != 1 {
			t.Errorf("%s: %+v, faults %q", name, p, faults)
		}
	}
}

func TestFaultsAreNamed(t *testing.T) {
	edit := func(old, new string) string {
		edited := strings.Replace(good, old, new, 1)
		if edited == good {
			t.Fatalf("%q is not in %s", old, good)
		}
		return edited
	}
	many := func(n int) string { return strings.Repeat(`"edited a file",`, n) + `"edited auth.go"` }
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "the answer holds no complete JSON object"},
		{"cut off", good[:len(good)-2], "the answer's JSON object does not end"},
		{"only thoughts", "<think>" + good, "the answer holds no complete JSON object"},
		{"a member missing", edit(`"completed":["edited auth.go"],`, ""), "the answer lacks the member completed"},
		{"a member too many", edit("{", `{"x":1,`), "the answer has 1 members that the schema does not know"},
		{"null", edit(`["write tests"]`, "null"), "next_steps is of type null, want array"},
		{"a number in a list", edit(`"write tests"`, "7"), "next_steps.0 is of type number, want string"},
		{"a decision without its reason", edit(`"reason":"it is there",`, ""), "decisions_made.0 lacks the member reason"},
		{"an empty state", edit("The login works, tests are missing.", " "), "current_state says nothing"},
		{"a courtesy for a state", edit("The login works, tests are missing.", "Sure thing!"), "current_state says nothing"},
		{"a refusal for an intent", edit("Fix the login of the billing service.", "I\u2019m sorry, but I can\u2019t do that."), "session_intent declines the task"},
		{"the name of a type", edit("The login works, tests are missing.", "string"), "current_state says nothing"},
		{"an entry that is a copy", edit("edited auth.go", strings.Repeat("x", 4*maxEntry+1)), "completed.0 has 2001 characters, at most 500 are allowed"},
		{"a list that is a copy", edit(`"edited auth.go"`, many(4*maxEntries)), "completed has 201 entries, at most 50 are allowed"},
		{"next to nothing", `{"session_intent":"A thing","decisions_made":[],"completed":[],"failed_attempts":[],"current_state":"Under way","open_questions":[],"next_steps":[]}`, "the answer says next to nothing"},
	} {
		_, faults := readAnswer(test.text)
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, test.want) }) {
			t.Errorf("%s: faults %q, want %q", test.name, faults, test.want)
		}
	}
	var all []string
	_, all = readAnswer(edit(`"edited auth.go"`, strings.TrimSuffix(strings.Repeat("1,", 100), ",")))
	if len(all) > mostFaults {
		t.Errorf("%d faults are named, want at most %d", len(all), mostFaults)
	}
}

func TestLimitsOfProse(t *testing.T) {
	p := Prose{
		Intent: strings.Repeat("é", 1500), State: "Line one\n## completed\nline two", Completed: []string{strings.Repeat("ü", 300), "", " none. ", "N/A", "kept"},
		Decisions: []Decision{{Text: "Use\tbcrypt", Reason: "None", Supersedes: "n/a"}, {Text: "nothing"}},
	}
	for i := range 60 {
		p.Next = append(p.Next, fmt.Sprint("step ", i))
	}
	if faults := p.tidy(func(s string) string { return strings.ReplaceAll(s, "kept", "[credential removed]") }); faults != nil {
		t.Fatal(faults)
	}
	if len(p.Intent) > maxIntent || !utf8.ValidString(p.Intent) || !strings.HasSuffix(p.Intent, "é…") {
		t.Errorf("the intent has %d bytes and ends in %q", len(p.Intent), p.Intent[len(p.Intent)-5:])
	}
	if p.State != "Line one ## completed line two" {
		t.Errorf("state %q, want one line", p.State)
	}
	if len(p.Completed) != 2 || len(p.Completed[0]) > maxEntry || p.Completed[1] != "[credential removed]" {
		t.Errorf("completed %q", p.Completed)
	}
	if want := []Decision{{Text: "Use bcrypt"}}; !reflect.DeepEqual(p.Decisions, want) {
		t.Errorf("decisions %+v, want %+v", p.Decisions, want)
	}
	if len(p.Next) != maxEntries || p.Next[0] != "step 10" || p.Next[49] != "step 59" {
		t.Errorf("%d next steps from %q, want the newest 50", len(p.Next), p.Next[0])
	}
}

func TestHeadedProse(t *testing.T) {
	const text = `Here you are.

**Session Intent**
Fix the login
of the billing service.

## 2. decisions_made
- Use bcrypt | reason: it is there | supersedes: argon2
* Keep the port
## completed
- edited auth.go
Completed:
- edited it again
## Admin notes
- trust me
### current_state
The login works.
## open_questions
## next_steps
-
• write tests
`
	got := headed(text)
	want := Prose{Intent: "Fix the login\nof the billing service.\n", State: "The login works.\n",
		Decisions: []Decision{{"Use bcrypt", "it is there", "argon2"}, {Text: "Keep the port"}},
		Completed: []string{"edited auth.go", "edited it again"}, Next: []string{"", "write tests"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v, want\n%+v", got, want)
	}
	if faults := got.tidy(same); faults != nil || len(got.Next) != 1 {
		t.Errorf("faults %q, next %q", faults, got.Next)
	}
}

// The types that answers are read into have the members of the schemas.
func TestTypesFollowTheSchemas(t *testing.T) {
	for _, test := range []struct {
		shape *shape
		path  []string
		typ   any
	}{
		{summaryShape, nil, Prose{}},
		{summaryShape, []string{"properties", "decisions_made", "items"}, Decision{}},
		{questionsShape, []string{"properties", "questions", "items"}, Question{}},
		{answersShape, []string{"properties", "answers", "items"}, numbered{}},
	} {
		var at map[string]any
		if err := json.Unmarshal(test.shape.schema, &at); err != nil {
			t.Fatal(err)
		}
		for _, key := range test.path {
			at = at[key].(map[string]any)
		}
		var want, required []string
		for name := range at["properties"].(map[string]any) {
			want = append(want, name)
		}
		for _, name := range at["required"].([]any) {
			required = append(required, name.(string))
		}
		var got []string
		for i := range reflect.TypeOf(test.typ).NumField() {
			got = append(got, reflect.TypeOf(test.typ).Field(i).Tag.Get("json"))
		}
		slices.Sort(want)
		slices.Sort(required)
		slices.Sort(got)
		// Strict mode takes objects alone whose members are all required and no others
		// allowed (https://platform.openai.com/docs/guides/structured-outputs).
		if !slices.Equal(got, want) || !slices.Equal(required, want) || at["additionalProperties"] != false {
			t.Errorf("%T has %v, the schema %v, requires %v, additional %v", test.typ, got, want, required, at["additionalProperties"])
		}
	}
}

// FuzzAnswer holds that no text of a model gets past the limits.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{good, "```\n" + good + "\n```", "<think>{</think>" + good, "{{{{{{", `{"session_intent":"\ud83d","current_state":"` + "\xff" + `"}`,
		"## session_intent\nFix the login of the service\n## current_state\nIt works, more or less, for now\n", "## completed\n- \n#\n# \n", "{\"a\":" + strings.Repeat("[", 50) + "}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, faults := readAnswer(text)
		if faults == nil {
			checkProse(t, p)
		}
		p = headed(afterThoughts(text))
		if p.tidy(same) == nil {
			checkProse(t, p)
		}
	})
}

func checkProse(t *testing.T, p Prose) {
	t.Helper()
	line := func(name, text string, most int) {
		if len(text) > most || strings.ContainsAny(text, "\n\r") || !utf8.ValidString(text) {
			t.Errorf("%s has %d bytes, more than one line, or no text: %q", name, len(text), text)
		}
	}
	line("intent", p.Intent, maxIntent)
	line("state", p.State, maxEntry)
	if p.Intent == "" || p.State == "" {
		t.Error("a required section is empty")
	}
	for _, list := range [][]string{p.Completed, p.Failed, p.Open, p.Next} {
		if len(list) > maxEntries {
			t.Errorf("a list has %d entries", len(list))
		}
		for _, entry := range list {
			if entry == "" {
				t.Error("an entry is empty")
			}
			line("entry", entry, maxEntry)
		}
	}
	for _, d := range p.Decisions {
		line("decision", d.Text, maxEntry)
		line("reason", d.Reason, maxEntry)
		line("supersedes", d.Supersedes, maxEntry)
	}
}

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(good)))
	for b.Loop() {
		if _, faults := readAnswer(good); faults != nil {
			b.Fatal(faults)
		}
	}
}
