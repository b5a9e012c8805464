package schema

import (
	"slices"
	"strings"
	"testing"
)

const good = `{"statements":[{"section":"completed","text":"auth.go was edited.","messages":[2],` +
	`"quote":"edited auth.go"},{"section":"next","text":"The tests are missing.",` +
	`"messages":[4,5],"quote":"Next I will write the tests."}]}`

// decode reads an answer to a request for statements.
func decode(text string) (texts []string, faults []string) {
	var given struct {
		Statements []struct{ Text string }
	}
	faults = Statements.Decode(text, &given)
	for _, s := range given.Statements {
		texts = append(texts, s.Text)
	}
	return texts, faults
}

func TestTolerantReading(t *testing.T) {
	want := []string{"auth.go was edited.", "The tests are missing."}
	for name, text := range map[string]string{
		"bare":              good,
		"in a fence":        "```json\n" + good + "\n```",
		"after a preamble":  "Here is the record:\n" + good,
		"before other text": good + "\nAnything else?",
		"before a brace":    good + " }",
		"after thoughts": "<think>I could write {\"statements\":1}\nbut no</think>\n" +
			good,
		"after half a thought":  "and so on</think>" + good,
		"after a broken object": "{not this} " + good,
		"after another object":  `{"a":1} ` + good,
		"in an array":           "[" + good + "]",
		"twice":                 good + "\n\n" + good,
		"with a mark in it":     strings.Replace(good, "edited auth.go", "edited </think>", 1),
		"a mark, in a fence": "```json\n" +
			strings.Replace(good, "edited auth.go", "edited </think>", 1) + "\n```",
		"with space": "\n\t " + strings.ReplaceAll(good, `,"`, " ,\n\""),
	} {
		texts, faults := decode(text)
		if faults != nil || !slices.Equal(texts, want) {
			t.Errorf("%s: %q, faults %q", name, texts, faults)
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
	const incomplete, ofType = "the answer holds no complete JSON object", " is of type "
	const unknown = " has members that the schema does not have: 1"
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", incomplete},
		{"cut off", good[:len(good)-2], "the answer's JSON object does not end"},
		{"only thoughts", "<think>" + good, incomplete},
		{"a member missing", edit(`,"quote":"edited auth.go"`, ""),
			"statements.0 lacks the member quote"},
		{"a member too many", edit("{", `{"x":1,`), "the answer" + unknown},
		{"a member for wishes", edit(`"section":"completed"`,
			`"section":"completed","user_wants":"x"`),
			"statements.0" + unknown},
		{"a section for wishes", edit(`"completed"`, `"session_intent"`),
			"statements.0.section is none of"},
		{"null", `{"statements":null}`, "statements" + ofType + "null, want array"},
		{"a number for a text", edit(`"auth.go was edited."`, "7"),
			"statements.0.text" + ofType + "number, want string"},
		{"half a message", edit("[2]", "[2.5]"),
			"statements.0.messages.0" + ofType + "number, want integer"},
		{"two answers", strings.Replace(good, "2", "3", 1) + "\nCorrected:\n" + good,
			"the answer holds two JSON objects that follow the schema"},
		{"a huge answer", good + strings.Repeat(" ", maxAnswer) + ".", "the answer has more than"},
		{"a huge number", edit("[2]", "[1e300]"), "a number of the answer is out of range"},
		{"a number of no type", edit("[2]", "[1e999]"), "a number of the answer is out of range"},
	} {
		var into struct {
			Statements []struct{ Messages []int }
		}
		faults := Statements.Decode(test.text, &into)
		named := func(fault string) bool { return strings.HasPrefix(fault, test.want) }
		if !slices.ContainsFunc(faults, named) {
			t.Errorf("%s: faults %q, want %q", test.name, faults, test.want)
		}
	}
	_, all := decode(edit("[2]", "["+strings.TrimSuffix(strings.Repeat(`"x",`, 100), ",")+"]"))
	if len(all) > maxFaults {
		t.Errorf("%d faults are named, want at most %d", len(all), maxFaults)
	}
}

// Checking exact numbers with large exponents took 30 ms each: half an hour for this answer.
func TestHugeExponentsAreNotComputed(t *testing.T) {
	huge := strings.Repeat("1e999999,", 50_000) + "1"
	text := strings.Replace(good, "[2]", "["+huge+"]", 1)
	if _, faults := decode(text); len(faults) == 0 {
		t.Error("numbers out of range were accepted")
	}
}

// Of a member that an answer repeats, only the last one is validated, so only that one is read.
func TestRepeatedMembersAreReadAsValidated(t *testing.T) {
	var given struct {
		Statements []struct {
			Text     string
			Messages []int
		}
	}
	faults := StatementsAppend.Decode(`{"statements":[{"messages":[7]}],"statements":[`+
		`{"section":"fact","text":"a","quote":"b"}]}`, &given)
	if faults != nil || len(given.Statements) != 1 || given.Statements[0].Text != "a" ||
		given.Statements[0].Messages != nil {
		t.Errorf("%+v, faults %q; want one statement without messages", given, faults)
	}
}

func TestCleanedLines(t *testing.T) {
	c := Cleaner{MaxText: 100, Redact: func(s string) string {
		return strings.ReplaceAll(s, "hunter2", "[removed]")
	}}
	got := c.Line("text", " Line one\n## next\u2028two \xff hunter2")
	if want := "Line one ## next two \uFFFD [removed]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = c.Line("copy", strings.Repeat("é", MaxExcess*100+1))
	if got != "" || len(c.Faults) != 1 {
		t.Errorf("%d bytes, faults %q; want a fault", len(got), c.Faults)
	}
}

func BenchmarkDecode(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(good)))
	for b.Loop() {
		if _, faults := decode(good); faults != nil {
			b.Fatal(faults)
		}
	}
}
