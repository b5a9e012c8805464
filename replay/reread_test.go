package replay

import (
	"reflect"
	"slices"
	"testing"

	"killick/chat"
)

func TestQuotes(t *testing.T) {
	m, err := chat.ParseMessage([]byte(call("1",
		`{"file_path":"/home/ann/project/src/main.go","old_string":"  a line of twenty-four ch\n `+
			`short \n","new_string":"a line of twenty-four ch\nanother line, which is long `+
			`enough","edits":[{"oldText":"  a nested line of enough characters"}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	want := []quote{
		{line: "/home/ann/project/src/main.go", name: true},
		{line: "a line of twenty-four ch", edit: true},
		{line: "another line, which is long enough"},
		{line: "a nested line of enough characters", edit: true},
	}
	if got := quotesOf(&m); !slices.Equal(got, want) {
		t.Errorf("quotes %+v, want %+v", got, want)
	}
	m, err = chat.ParseMessage([]byte(call("1", "no JSON but a line of enough characters\n{")))
	if err != nil {
		t.Fatal(err)
	}
	if got := quotesOf(&m); len(got) != 1 ||
		got[0].line != "no JSON but a line of enough characters" {
		t.Errorf("quotes of arguments that are no JSON: %+v", got)
	}
}

const (
	lineA = "func first(a, b int) (sum int) {"
	lineB = "func second(c, d int) (sum int) {"
	lineC = "// third: a comment that is long enough"
)

// edits returns a conversation in which a file is read and then edited repeatedly. The tokens of
// its raw requests are:
//
//	 1: 28 + 30000                        = 30028  the first call: reads the file
//	 3: + 10 + 1000 (read: A, B)          = 31038  quotes A: below 32k
//	 5: + 10 + 2000                       = 33048  quotes A
//	 7: + 10 + 5000 (read: C)             = 38058  quotes B as an edit, C beside it
//	 9: + 10 + 9000                       = 47068  quotes A
//	11: + 10 + 2000                       = 49078  quotes B: held until 33048 + 15000
//	13: + 10 + 10                         = 49098  quotes a path only
func edits(t *testing.T) *Study {
	return study(t, say{},
		msg("user", "30000 do it"),
		call("1", `{"path":"src/a.go"}`),
		result("1", "1000 \n     1→"+lineA+"\n     2→"+lineB+"\nsrc/deep/folder/name/file.go"),
		call("2", `{"old_string":"\t`+lineA+`"}`), result("2", "2000 done"),
		call("3", `{"old_string":"`+lineA+`","new_string":"nothing that was ever said before"}`),
		result("3", "5000 "+lineC),
		call("4", `{"old_string":"`+lineB+`","new_string":"`+lineC+`"}`), result("4", "9000 done"),
		call("5", `{"command":"grep '`+lineA+`\n`+lineA+`"}`), result("5", "2000 done"),
		call("6", `{"old_string":"`+lineB+`"}`), result("6", "10 done"),
		call("7", `{"path":"src/deep/folder/name/file.go"}`),
	)
}

// From the second request on, the file's content and all calls that quote it are removed from what
// is forwarded.
func TestRereadsByHand(t *testing.T) {
	hide := replacing(2, lineA, "", lineB, "", lineC, "", "src/deep/folder/name/file.go", "")
	f := measure(t, edits(t), hide)
	want := Rereads{
		Past: Quotes{
			// At 33,048 A is missing: the file's 1,000 tokens are fetched and held until 48,048. At
			// 38,058 C is missing: 5,000, held until 53,058. At 47,068 A is held. At 49,078 B is
			// missing again: 1,000.
			All:       Kept{4, 1},
			Edits:     Kept{3, 1}, // at 38,058 the edit's own line is held
			Others:    Kept{2, 1}, // C; at 47,068 A in a command
			WithNames: Kept{5, 2}, // the path at the end: what was fetched contains it
			Fetched:   1000 + 5000 + 1000,
		},
		Below: Quotes{All: Kept{1, 0}, Edits: Kept{1, 0}, WithNames: Kept{1, 0}, Fetched: 1000},
	}
	// The third call quotes A and has a new line, which is not a quote.
	if !reflect.DeepEqual(f.Rereads, want) {
		t.Errorf("re-reads\n%+v, want\n%+v", f.Rereads, want)
	}
	// Each re-read sends the request once more, cached, and the sources, not cached, for an answer
	// of the median length.
	b := f.Bills[0]
	cost := 0.1*(31038+33048+38058+49078) + 8000 + 4*10*tenth.Output
	if !near(b.Rereads, cost) {
		t.Errorf("re-reads cost %v, want %v", b.Rereads, cost)
	}
	if !near(b.Share(), (b.Sent.Total()+b.Rereads)/b.Raw.Total()) {
		t.Errorf("share %v of %+v", b.Share(), b)
	}
}

// The agent still has the lines that it wrote itself.
func TestOwnQuotesAreNotRereads(t *testing.T) {
	hide := replacing(4, `→`+lineA, "", `→`+lineB, "")
	f := measure(t, edits(t), hide)
	// A is in the second call. B is missing at 38,058; later it is in the fourth.
	if got, want := f.Rereads.Past.All, (Kept{4, 3}); got != want {
		t.Errorf("quoting turns %+v, want %+v", got, want)
	}
	if f.Rereads.Past.Fetched != 1000 {
		t.Errorf("%d tokens fetched, want 1000", f.Rereads.Past.Fetched)
	}
}

func TestNoRereadsIfNothingIsMissing(t *testing.T) {
	f := measure(t, edits(t), Nothing())
	if f.Rereads.Past.All != (Kept{4, 4}) || f.Rereads.Below.All != (Kept{1, 1}) ||
		f.Bills[0].Rereads != 0 {
		t.Errorf("re-reads %+v, cost %v", f.Rereads, f.Bills[0].Rereads)
	}
}
