package names

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/packed"
	"killick/summary/quotes"
	"killick/transcript"
)

// callsIn returns the calls that messages [from, to) make.
func callsIn(s *quotes.Source, from, to int) (calls []transcript.Call) {
	for _, c := range s.CallsBefore(len(s.Messages)) {
		if from <= c.Caller && c.Caller < to {
			calls = append(calls, c)
		}
	}
	return calls
}

// Turns that are read one after another make the table of all of them, so the index of a record
// does not depend on how often turns were folded before. A Reader keeps nothing of earlier turns.
func TestReadingInPartsIsReadingOnce(t *testing.T) {
	msgs := slices.Concat(user("Fix parseAll in cmd/main.go, not readLine."),
		call("Read", `{"file_path":"cmd/main.go"}`, "func parseAll() { readLine(88101) }"),
		assistant("I see parseAll and writeAll."),
		call("Read", `{"file_path":"util/line.go"}`,
			"readLine writeAll parseAll_two parseAll_one 88102"),
		run("go test ./util", "1", "line.go:7: readLine and parseAll failed"),
		user("And readLine, with tabWidth?"), assistant("In util/line.go."),
		call("Edit", `{"file_path":"cmd/main.go","old_string":"parseAll","new_string":"parseOne"}`,
			"done with cmd/main.go"))
	s := sourceOf(t, msgs)
	s.Place = func(i int) int { return 100 * i }
	const room = 10_000
	once := new(Reader).Read(s, nil, callsIn(s, 0, len(msgs)), 0, len(msgs), room)
	for cut := range len(msgs) {
		for next := range cut {
			if strings.Contains(msgs[cut], `"tool"`) || strings.Contains(msgs[next], `"tool"`) {
				continue // between a call and its result
			}
			var r Reader
			var table *Table
			for _, part := range [][2]int{{0, next}, {next, cut}, {cut, len(msgs)}} {
				known, before := table, packed.Writer(nil)
				if known != nil {
					known.Encode(&before)
				}
				table = r.Read(s, known, callsIn(s, part[0], part[1]), part[0], part[1], room)
				var after packed.Writer
				if known != nil {
					known.Encode(&after)
				}
				if !slices.Equal(after, before) {
					t.Errorf("cut at %d and %d: an earlier table has changed", next, cut)
				}
			}
			if !reflect.DeepEqual(table, once) {
				t.Errorf("cut at %d and %d:\n%+v, want\n%+v", next, cut, table, once)
			}
		}
	}
	few := new(Reader).Read(s, nil, callsIn(s, 0, 4), 0, 4, 3*leastNameCost)
	if len(few.Names) != 3 {
		t.Errorf("%d names are kept, want 3", len(few.Names))
	}
}

// A result that is not among the turns names nothing yet, and neither does a call without one.
func TestNamesOfLaterResults(t *testing.T) {
	msgs := slices.Concat(user("Look."), call("Read", `{"file_path":"a_file.go"}`, "parseAll"))
	for to, want := range map[int]string{1: "", 2: "a_file.go", 3: "a_file.go parseAll"} {
		for n := to; n <= len(msgs); n++ { // messages that there are
			s := sourceOf(t, msgs[:n])
			var got []string
			table := new(Reader).Read(s, nil, callsIn(s, 0, to), 0, to, 100)
			for _, name := range table.List(nil, 100) {
				got = append(got, name.Word)
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("of %d of %d messages: %q, want %q", to, n, got, want)
			}
		}
	}
}

// A list takes no more than its room, and all of it.
func TestListsFit(t *testing.T) {
	s := sourceOf(t, call("Read", `{"file_path":"a_file.go"}`, "parseAll readLine write_them"))
	table := new(Reader).Read(s, nil, callsIn(s, 0, 2), 0, 2, 100)
	used := 0
	for i := range table.Names {
		before := used
		used += listingCost(table.Names[i].Word)
		for tokens := before; tokens <= used; tokens++ {
			want := i
			if tokens == used {
				want++
			}
			if got := len(table.List(nil, tokens)); got != want {
				t.Errorf("in %d tokens: %d names, want %d", tokens, got, want)
			}
		}
	}
}

// What the user and the assistant wrote, what calls worked on and what outputs showed is counted
// apart, with where it was last.
func TestUsesAreCounted(t *testing.T) {
	s := sourceOf(t, slices.Concat(user("parseAll"), assistant("readLine, parseAll"),
		call("Read", `{"file_path":"a_file.go"}`, "parseAll write_them parseAll")))
	s.Place = func(i int) int { return 100 * i }
	table := new(Reader).Read(s, nil, callsIn(s, 0, 4), 0, 4, 100)
	want := map[string]nameUse{
		"parseAll":   {Call: 0, Mentioned: 2, Asked: 1, Shown: 2, Seen: 300, Used: 100},
		"readLine":   {Call: -1, Mentioned: 2, Seen: 100, Used: 100},
		"a_file.go":  {Call: 0, Worked: 1, Seen: 200, Used: 200},
		"write_them": {Call: 0, Shown: 1, Seen: 300, Used: -1},
	}
	for _, n := range table.Names {
		word := n.Word
		if n.Word, n.Kind = "", 0; n != want[word] {
			t.Errorf("%s: %+v, want %+v", word, n, want[word])
		}
	}
	if len(table.Names) != len(want) {
		t.Errorf("%d names, want %d", len(table.Names), len(want))
	}
}

// What may be the end of a sentence and the beginning of another is read after all else, and may
// stand before it.
func TestEarlierMentionsChangeNoLaterPlace(t *testing.T) {
	s := sourceOf(t, slices.Concat(assistant("I see errors.New here."), user("Which?"),
		assistant("That is `errors.New` again.")))
	s.Place = func(i int) int { return 100 * i }
	table := new(Reader).Read(s, nil, nil, 0, 3, 100)
	if len(table.Names) != 1 || table.Names[0].Mentioned != 3 || table.Names[0].Used != 200 {
		t.Errorf("the names are %+v, want one, last mentioned in message 3", table.Names)
	}
}

// A name that replaces a part of it gives the room of that part back. Names of no series are listed
// however many of a series stand beside them.
func TestRoomOfPartsAndSeries(t *testing.T) {
	table := &Table{}
	add := func(words ...string) {
		for _, word := range words {
			table.Names = append(table.Names, nameUse{Word: word, Kind: 2, Used: -1})
			table.facts = append(table.facts, factsOf(word, 2))
		}
	}
	add("Len", "list.Len", "abc", "88101", "88102", "88103", "88104", "88105", "88106", "88107",
		"88108", "88109", "readLine")
	table.Calls = []callLine{{At: 1, Text: "Read"}}
	listed := func(tokens int) string {
		var words []string
		for _, n := range table.List(nil, tokens) {
			words = append(words, n.Word)
		}
		return strings.Join(words, " ")
	}
	if got := listed(listingCost("Len") + listingCost("list.Len")); got != "list.Len abc" {
		t.Errorf("in the room of two: %s, want list.Len and abc", got)
	}
	const want = "list.Len abc 88101 88102 88103 88104 88105 88106 88107 88108 readLine"
	if got := listed(1000); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Names that a name beside the list contains are not listed, nor are parts of one that is.
func TestPartsOfNamesAreNotListed(t *testing.T) {
	table := &Table{}
	for _, word := range []string{"cmd/util/list.Len", "list.Len", "util/list.Len", "cmd/util",
		"cmd/util/list", "Len", "read.Len", "til/list"} {
		table.Names = append(table.Names, nameUse{Word: word, Kind: 2, Call: -1, Used: -1})
		table.facts = append(table.facts, factsOf(word, 2))
	}
	for beside, want := range map[string]string{
		"":                  "cmd/util/list.Len read.Len til/list",
		"cmd/util/list.Len": "read.Len til/list",
		"read.Len":          "cmd/util/list.Len til/list",
	} {
		var got []string
		for _, n := range table.List(nil, 100, []string{beside}) {
			got = append(got, n.Word)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("beside %q: %s, want %s", beside, got, want)
		}
	}
}

// The names of one call are on one line, also if a message makes several calls. What does not fit
// is left out in whole lines.
func TestLinesOfCallsOfOneMessage(t *testing.T) {
	names := []Name{{Word: "one", Of: "Read", Path: "/w/b.go", At: 3},
		{Word: "two", Of: "Read", Path: "/w/a.go", At: 3}, {Word: "three", Of: "Bash(x)", At: 3},
		{Word: "four", Of: "Bash(y)", At: 3}, {Word: "five", Of: "Bash(x)", At: 3},
		{Word: "six", Of: "Read", Path: "/w/b.go", At: 3}, {Word: "seven", At: 1}}
	before := slices.Clone(names)
	const want = Heading + "- 3 Bash(x): three five\n- 3 Bash(y): four\n- a.go (3): two\n" +
		"- b.go (3): one six\n- 1 said: seven\n"
	if got := Text(names, "/w", len(want)); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if got, want := Text(names, "/w", len(want)-1), strings.TrimSuffix(want,
		"- 1 said: seven\n"); got != want {
		t.Errorf("in one byte less: got\n%s, want\n%s", got, want)
	}
	if got := Text(names, "/w", len(Heading)); got != "" {
		t.Errorf("without room: %q", got)
	}
	if !slices.Equal(names, before) {
		t.Error("the names have changed")
	}
}

// Of a call that sets todos, the names in what is to be done are listed, but not the statuses.
func TestNamesOfTodos(t *testing.T) {
	s := sourceOf(t, chattest.Exchange("TodoWrite",
		`{"todos":[{"content":"test parseAll","status":"in_progress"}]}`, "set read_line"))
	var got []string
	for _, n := range new(Reader).Read(s, nil, callsIn(s, 0, 2), 0, 2, 100).List(nil, 100) {
		got = append(got, n.Word)
	}
	if got := strings.Join(got, " "); got != "parseAll read_line" {
		t.Errorf("%s, want parseAll and read_line", got)
	}
}
