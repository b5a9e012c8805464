package model

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"killick/model/schema"
	"killick/probe"
)

func same(s string) string { return s }

// readAnswer reads an answer as a request for statements does.
func readAnswer(text string) ([]probe.Statement, []string) {
	var given struct {
		Statements []probe.Statement `json:"statements"`
	}
	if faults := schema.Statements.Decode(text, &given); len(faults) > 0 {
		return nil, faults
	}
	return cleanStatements(given.Statements, same)
}

func TestStatementsThatAreNone(t *testing.T) {
	const one = `{"section":"fact","text":"a b","messages":[1],"quote":"a b"}`
	long := strings.Repeat("x", schema.MaxExcess*probe.MaxText+1)
	for name, test := range map[string]struct{ statements, want string }{
		"a text that is a copy": {
			strings.Replace(one, "a b", long, 1),
			"statements.0.text has 2001 characters, at most 500 are allowed",
		},
		"a list that is a copy": {
			one + strings.Repeat(","+one, schema.MaxExcess*maxStatements),
			"statements has 401 entries, at most 100 are allowed",
		},
		"no quote": {
			`{"section":"fact","text":"a","messages":[1],"quote":" … "}`,
			"there is no statement with a text and a quote",
		},
	} {
		_, faults := readAnswer(`{"statements":[` + test.statements + `]}`)
		if len(faults) == 0 || faults[0] != test.want {
			t.Errorf("%s: faults %q, want %q", name, faults, test.want)
		}
	}
}

func TestLimitsOfStatements(t *testing.T) {
	given := []probe.Statement{
		{Text: " Line one\n## next\u2028two ", Quote: "kept \xff\n words"},
		{Text: "", Quote: "x"}, {Text: "x", Quote: "…"},
	}
	for i := range maxStatements - 1 {
		given = append(given, probe.Statement{Text: "step", Quote: strings.Repeat("é", i)})
	}
	all, faults := cleanStatements(given, func(s string) string {
		return strings.ReplaceAll(s, "kept", "[credential removed]")
	})
	if faults != nil || len(all) != maxStatements-1 {
		t.Fatalf("%d statements, %q; want those with text and quote", len(all), faults)
	}
	if all[0].Text != "Line one ## next two" ||
		all[0].Quote != "[credential removed] \uFFFD words" {
		t.Errorf("%+v, want one line without a credential", all[0])
	}
	given = append(given, given...)
	all, _ = cleanStatements(given, same)
	if len(all) != maxStatements || len(all[maxStatements-1].Quote) != 2*(maxStatements-2) {
		t.Errorf("%d statements, want the newest %d", len(all), maxStatements)
	}
}

// The types that answers are read into have the members of the schemas.
func TestTypesFollowTheSchemas(t *testing.T) {
	for _, test := range []struct {
		schema *schema.Schema
		typ    any
	}{
		{schema.Statements, probe.Statement{}},
		{schema.Questions, writtenQuestion{}},
		{schema.Verdicts, numberedVerdict{}},
		{schema.Answers, numberedAnswer{}},
		{schema.Grades, numberedGrade{}},
	} {
		var answer struct {
			Properties map[string]struct{ Items struct{ Required []string } }
		}
		if err := json.Unmarshal(test.schema.JSON, &answer); err != nil {
			t.Fatal(err)
		}
		want := answer.Properties[test.schema.Name].Items.Required
		var got []string
		for i := range reflect.TypeOf(test.typ).NumField() {
			if name := reflect.TypeOf(test.typ).Field(i).Tag.Get("json"); name != "-" {
				got = append(got, name)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%T has the members %v, the schema %v", test.typ, got, want)
		}
	}
}

// FuzzAnswer tests that no text of a model exceeds the limits.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		good, "```\n" + good + "\n```", "<think>{</think>" + good, "{{{{{{",
		`{"statements":[{"section":"fact","text":"\ud83d","messages":[-1],"quote":"` + "\xff" +
			`"}]}`,
		"{\"a\":" + strings.Repeat("[", 50) + "}",
		`{"statements":[{"section":"fact","text":"a\u2028b","messages":[],"quote":"\r\n x"}]}`,
	} {
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
				long := utf8.RuneCountInString(text) > schema.MaxExcess*probe.MaxText
				if text == "" || long || strings.ContainsAny(text, "\n\r") ||
					!utf8.ValidString(text) {
					t.Errorf("a text of %d bytes, of several lines, or no text: %q",
						len(text), text)
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
