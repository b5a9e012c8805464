package model

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func same(s string) string { return s }

// readAnswer reads an answer as a request for statements does.
func readAnswer(text string) ([]Statement, []string) {
	var given struct {
		Statements []Statement `json:"statements"`
	}
	if faults := statementsShape.object(text, &given); len(faults) > 0 {
		return nil, faults
	}
	return tidyStatements(given.Statements, same)
}

func TestTolerantReading(t *testing.T) {
	for name, text := range map[string]string{
		"bare":                   good,
		"in a fence":             "```json\n" + good + "\n```",
		"behind a preamble":      "Here is the record:\n" + good,
		"before other text":      good + "\nAnything else?",
		"before a brace":         good + " }",
		"behind thoughts":        "<think>I could write {\"statements\":1}\nbut no</think>\n" + good,
		"behind half a thought":  "and so on</think>" + good,
		"behind a broken object": "{not this} " + good,
		"behind another object":  `{"a":1} ` + good,
		"in an array":            "[" + good + "]",
		"with a mark in it":      strings.Replace(good, "edited auth.go", "edited </think>", 1),
		"with space":             "\n\t " + strings.ReplaceAll(good, `,"`, " ,\n\""),
	} {
		if all, faults := readAnswer(text); faults != nil || len(all) != 2 || all[0].Text != "auth.go was edited." {
			t.Errorf("%s: %+v, faults %q", name, all, faults)
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
	one := `{"section":"fact","text":"a b","messages":[1],"quote":"a b"},`
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "the answer holds no complete JSON object"},
		{"cut off", good[:len(good)-2], "the answer's JSON object does not end"},
		{"only thoughts", "<think>" + good, "the answer holds no complete JSON object"},
		{"a member missing", edit(`,"quote":"edited auth.go"`, ""), "statements.0 lacks the member quote"},
		{"a member too many", edit("{", `{"x":1,`), "the answer has 1 members that the schema does not know"},
		{"a member for wishes", edit(`"section":"completed"`, `"section":"completed","user_wants":"x"`), "statements.0 has 1 members that the schema does not know"},
		{"a section for wishes", edit(`"completed"`, `"session_intent"`), "statements.0.section is none of"},
		{"null", `{"statements":null}`, "statements is of type null, want array"},
		{"a number for a text", edit(`"auth.go was edited."`, "7"), "statements.0.text is of type number, want string"},
		{"half a message", edit("[2]", "[2.5]"), "statements.0.messages.0 is of type number, want integer"},
		{"a text that is a copy", edit("auth.go was edited.", strings.Repeat("x", 4*maxEntry+1)), "statements.0.text has 2001 characters, at most 500 are allowed"},
		{"a list that is a copy", edit("[{", "["+strings.Repeat(one, 4*maxStatements)+"{"), "statements has 402 entries, at most 100 are allowed"},
		{"no quote", `{"statements":[{"section":"fact","text":"a","messages":[1],"quote":" … "}]}`, "there is no statement with a text and a quote"},
	} {
		_, faults := readAnswer(test.text)
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, test.want) }) {
			t.Errorf("%s: faults %q, want %q", test.name, faults, test.want)
		}
	}
	_, all := readAnswer(edit("[2]", "["+strings.TrimSuffix(strings.Repeat(`"x",`, 100), ",")+"]"))
	if len(all) > mostFaults {
		t.Errorf("%d faults are named, want at most %d", len(all), mostFaults)
	}
}

func TestLimitsOfStatements(t *testing.T) {
	given := []Statement{{Text: " Line one\n## next\u2028two ", Quote: "kept \xff\n words"}, {Text: "", Quote: "x"}, {Text: "x", Quote: "…"}}
	for i := range maxStatements - 1 {
		given = append(given, Statement{Text: "step", Quote: strings.Repeat("é", i)})
	}
	all, faults := tidyStatements(given, func(s string) string { return strings.ReplaceAll(s, "kept", "[credential removed]") })
	if faults != nil || len(all) != maxStatements-1 {
		t.Fatalf("%d statements, %q; want those with text and quote", len(all), faults)
	}
	if all[0].Text != "Line one ## next two" || all[0].Quote != "[credential removed] \uFFFD words" {
		t.Errorf("%+v, want one line without a credential", all[0])
	}
	given = append(given, given...)
	if all, _ = tidyStatements(given, same); len(all) != maxStatements || len(all[maxStatements-1].Quote) != 2*(maxStatements-2) {
		t.Errorf("%d statements, want the newest %d", len(all), maxStatements)
	}
}

// The types that answers are read into have the members of the schemas.
func TestTypesFollowTheSchemas(t *testing.T) {
	for _, test := range []struct {
		shape *shape
		path  []string
		typ   any
	}{
		{statementsShape, []string{"properties", "statements", "items"}, Statement{}},
		{questionsShape, []string{"properties", "questions", "items"}, Question{}},
		{verdictsShape, []string{"properties", "verdicts", "items"}, numberedVerdict{}},
		{answersShape, []string{"properties", "answers", "items"}, numberedAnswer{}},
		{gradesShape, []string{"properties", "grades", "items"}, numberedGrade{}},
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

// The schemas of append are the others without the numbers of messages.
func TestSchemasOfAppend(t *testing.T) {
	for _, test := range []struct {
		numbered, append *shape
		list, member     string
	}{
		{statementsShape, statementsAppendShape, "statements", "messages"},
		{questionsShape, questionsAppendShape, "questions", "message"},
	} {
		members := func(s *shape) (names []string) {
			var schema struct {
				Properties map[string]struct{ Items struct{ Required []string } }
			}
			if err := json.Unmarshal(s.schema, &schema); err != nil {
				t.Fatal(err)
			}
			return schema.Properties[test.list].Items.Required
		}
		want := slices.DeleteFunc(members(test.numbered), func(name string) bool { return name == test.member })
		if got := members(test.append); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s requires %v, want %v", test.append.name, got, want)
		}
	}
}

// FuzzAnswer holds that no text of a model gets past the limits.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{good, "```\n" + good + "\n```", "<think>{</think>" + good, "{{{{{{", `{"statements":[{"section":"fact","text":"\ud83d","messages":[-1],"quote":"` + "\xff" + `"}]}`,
		"{\"a\":" + strings.Repeat("[", 50) + "}", `{"statements":[{"section":"fact","text":"a\u2028b","messages":[],"quote":"\r\n x"}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, faults := readAnswer(text)
		if faults != nil {
			return
		}
		if len(all) > maxStatements {
			t.Errorf("%d statements", len(all))
		}
		for _, s := range all {
			for _, text := range []string{s.Text, s.Quote} {
				if text == "" || utf8.RuneCountInString(text) > copied*maxEntry || strings.ContainsAny(text, "\n\r") || !utf8.ValidString(text) {
					t.Errorf("a text of %d bytes, of several lines, or no text: %q", len(text), text)
				}
			}
		}
	})
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
