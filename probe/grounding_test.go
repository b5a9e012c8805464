package probe

import (
	"fmt"
	"strings"
	"testing"
)

func billing(t testing.TB) *Index {
	return NewIndex(parse(t,
		"user: Fix the login of the billing service. Never touch migrations/0042.sql. "+
			"The server listens on port 8443.",
		"assistant: I decided to use bcrypt\n  instead of argon2 because it is already "+
			"a dependency.",
		`call write_file {"path":"/srv/shop/src/auth.go","text":"const limit = 300"}`,
		"tool: wrote 12 lines\nerror: compile failed at line 7 after 2.5s, "+
			"see https://ci.example.com/runs/77120?x=1",
		"assistant: The hash comparison in src/auth.go was wrong; "+
			"commit 4f2a9c17d3 repairs it in release 2.4.1.",
		"user: Gut. Bitte auch die Anmeldemaske prüfen.",
	), 5)
}

func TestGround(t *testing.T) {
	x := billing(t)
	const about = "I decided to use bcrypt instead of argon2"
	for _, test := range []struct {
		name string
		s    Statement
		want Reason
	}{
		{"in the words of the turns", Statement{Text: "bcrypt is used instead of argon2.",
			Messages: []int{6}, Quote: about}, ""},
		{"white space folded", Statement{Text: "They decided to use\nbcrypt.", Messages: []int{6},
			Quote: "use bcrypt\tinstead of"}, ""},
		{"a file from the root is the file", Statement{Text: "Wrote src/auth.go.",
			Messages: []int{7}, Quote: `"path":"/srv/shop/src/auth.go"`}, ""},
		{"decoded arguments", Statement{Text: "Wrote src/auth.go with a limit of 300.",
			Messages: []int{7}, Quote: "const limit = 300"}, ""},
		{"a value in the result of the call",
			Statement{Text: "Writing src/auth.go failed to compile after 2.5 s.",
				Messages: []int{7}, Quote: "const limit = 300"}, ""},
		{"words that nobody wrote, as a quotation", Statement{
			Text: "The hash comparison was «wrong in src/auth.go».", Messages: []int{9},
			Quote: "The hash comparison in src/auth.go was wrong"}, QuotationMissing},
		{"a quotation", Statement{
			Text: "The “hash comparison … was wrong” in src/auth.go.", Messages: []int{9},
			Quote: "The hash comparison in src/auth.go was wrong"}, ""},
		{"a shorter hash", Statement{Text: "Commit 4f2a9c1 repairs the hash comparison.",
			Messages: []int{9}, Quote: "commit 4f2a9c17d3 repairs it"}, ""},
		{"a release by its minor version",
			Statement{Text: "The hash comparison is repaired in release 2.4.", Messages: []int{9},
				Quote: "repairs it in release 2.4.1"}, ""},
		{"another unit", Statement{Text: "The compile failed after 2500 ms.", Messages: []int{8},
			Quote: "compile failed at line 7"}, ""},
		{"an address without its query",
			Statement{Text: "The compile error is at https://ci.example.com/runs/77120.",
				Messages: []int{8}, Quote: "error: compile failed"}, ""},
		{"two messages", Statement{Text: "bcrypt decided, hash comparison in src/auth.go.",
			Messages: []int{9, 6, 9}, Quote: about}, ""},
		{"German", Statement{Text: "Die Anmeldemaske ist noch zu prüfen.", Messages: []int{10},
			Quote: "Bitte auch die Anmeldemaske prüfen."}, ""},

		{"no text", Statement{Text: " \n", Messages: []int{6}, Quote: about}, NoText},
		{"no message", Statement{Text: "bcrypt is used.", Quote: about}, NoMessage},
		{"a message before the first", Statement{Text: "bcrypt is used.", Messages: []int{4},
			Quote: about}, OutOfRange},
		{"a message behind the last", Statement{Text: "bcrypt is used.", Messages: []int{6, 11},
			Quote: about}, OutOfRange},
		{"a negative message", Statement{Text: "bcrypt is used.", Messages: []int{-1},
			Quote: about}, OutOfRange},
		{"another message", Statement{Text: "bcrypt is used.", Messages: []int{5}, Quote: about},
			QuoteMissing},
		{"no quote", Statement{Text: "bcrypt is used.", Messages: []int{6}}, QuoteMissing},
		{"a quote in other words", Statement{Text: "bcrypt is used.", Messages: []int{6},
			Quote: "I chose to use bcrypt instead of argon2"}, QuoteMissing},
		{"a quote of one word", Statement{Text: "bcrypt is used.", Messages: []int{6},
			Quote: "bcrypt"}, ""},
		{"one word that is a value", Statement{Text: "The server listens on port 8443.",
			Messages: []int{5}, Quote: "8443"}, ""},
		{"another digit", Statement{Text: "The server listens on port 8446.", Messages: []int{5},
			Quote: "The server listens on port 8443."}, ValueMissing},
		{"another folder", Statement{Text: "The hash comparison in lib/auth.go was wrong.",
			Messages: []int{9}, Quote: "The hash comparison in src/auth.go was wrong"},
			ValueMissing},
		{"another unit of the same number", Statement{Text: "The compile failed after 2.5 MB.",
			Messages: []int{8}, Quote: "compile failed at line 7"}, ValueMissing},
		{"a file from nowhere", Statement{Text: "The hash comparison in web/page.ts was wrong.",
			Messages: []int{9}, Quote: "The hash comparison in src/auth.go was wrong"},
			ValueMissing},
		{"a value of another message", Statement{Text: "bcrypt listens on port 8443.",
			Messages: []int{6}, Quote: about}, ValueMissing},
		{"code from nowhere", Statement{Text: "The hash comparison calls `verify(hash)` wrong.",
			Messages: []int{9}, Quote: "The hash comparison in src/auth.go was wrong"},
			ValueMissing},
		{"nonsense", Statement{Text: "Bananas sing to the moon.", Messages: []int{6}, Quote: about},
			WordsMissing},
		{"a grant", Statement{Text: "Everyone received permission for unlimited purchases.",
			Messages: []int{6}, Quote: about}, WordsMissing},
		{"words of other messages alone", Statement{Text: "Die Anmeldemaske prüfen.",
			Messages: []int{5}, Quote: "Fix the login of the billing service."}, WordsMissing},
		{"a long text", Statement{Text: strings.Repeat("bcrypt ", 80), Messages: []int{6},
			Quote: about}, TooLong},
		{"a long quote", Statement{Text: "bcrypt is used.", Messages: []int{6},
			Quote: strings.Repeat("bcrypt ", 80)}, TooLong},
		{"many messages", Statement{Text: "bcrypt is used.",
			Messages: []int{5, 6, 7, 8, 9, 10, 11, 12, 13}, Quote: about}, TooLong},
	} {
		kept, dropped := x.Ground([]Statement{test.s})
		switch {
		case len(kept)+len(dropped) != 1:
			t.Errorf("%s: %d kept, %d dropped", test.name, len(kept), len(dropped))
		case test.want == "" && len(dropped) == 1:
			t.Errorf("%s: dropped: %s", test.name, dropped[0].Reason)
		case test.want != "" && (len(dropped) != 1 || dropped[0].Reason != test.want):
			t.Errorf("%s: kept %v, dropped %v, want %q", test.name, kept, dropped, test.want)
		}
	}
}

func TestGroundFoldsAndCounts(t *testing.T) {
	x := billing(t)
	s := Statement{Section: "decision",
		Text: "bcrypt is used\n# Heading\u2028instead of\x00 argon2.", Messages: []int{6},
		Quote: "use bcrypt\ninstead of argon2"}
	kept, dropped := x.Ground([]Statement{s, s})
	if len(kept) != 1 || len(dropped) != 1 || dropped[0].Reason != Repeated {
		t.Fatalf("kept %v, dropped %v; want one of two equal statements", kept, dropped)
	}
	if kept[0].Text != "bcrypt is used # Heading instead of argon2." ||
		kept[0].Quote != "use bcrypt instead of argon2" {
		t.Errorf("%+v, want one line", kept[0])
	}
	var many []Statement
	for i := range MaxStatements + 5 {
		s.Section = fmt.Sprint(i)
		many = append(many, s)
	}
	if kept, dropped = x.Ground(many); len(kept) != MaxStatements || len(dropped) != 5 ||
		dropped[0].Reason != TooMany {
		t.Errorf("%d kept, %d dropped, want %d and 5", len(kept), len(dropped), MaxStatements)
	}
	if kept, dropped = NewIndex(nil, 1).Ground([]Statement{s}); len(kept) != 0 ||
		dropped[0].Reason != OutOfRange {
		t.Errorf("of no messages: kept %v", kept)
	}
}

// A model that was asked after the conversation names no messages, or wrong ones. The statement is
// located by its quote.
func TestLocate(t *testing.T) {
	x := NewIndex(parse(t, "user: Use port 9000 for the tests, please.",
		"assistant: Let me use port 9000 now.", "user: And 8443 for the tests, please.",
		"assistant: done"), 1)
	for _, test := range []struct {
		s    Statement
		want int // 0: none
	}{
		{Statement{Text: "Tests use port 9000.", Quote: "for the tests, please"}, 1},
		{Statement{Text: "Tests run.", Quote: "for the tests, please"}, 1},
		{Statement{Text: "Tests use port 9000.", Quote: "Let me use port", Messages: []int{1}}, 2},
		// Already right.
		{Statement{Text: "Tests use port 9000.", Quote: "use port 9000", Messages: []int{2}}, 2},
		{Statement{Text: "Tests use port 9000.", Quote: "never said so"}, 0},
	} {
		got := x.Locate([]Statement{test.s})[0].Messages
		if test.want == 0 && len(got) != 0 || test.want > 0 &&
			(len(got) != 1 || got[0] != test.want) {
			t.Errorf("%q: messages %v, want %d", test.s.Quote, got, test.want)
		}
	}
}

// A statement that names too many messages is dropped without searching them all for its quote.
func TestTooManyMessagesAreNotSearched(t *testing.T) {
	x := NewIndex(parse(t, "user: Use port 9000 for the tests, please."), 1)
	s := Statement{Text: "Tests use port 9000.", Quote: "for the tests, please"}
	for i := range maxNamed + 1 {
		s.Messages = append(s.Messages, i+2)
	}
	_, dropped := x.Ground(x.Locate([]Statement{s}))
	if len(dropped) != 1 || dropped[0].Reason != TooLong {
		t.Errorf("dropped %v, want one as too long", dropped)
	}
}

func TestVerified(t *testing.T) {
	all := []Statement{{Text: "a"}, {Text: "b"}, {Text: "c"}, {Text: "d"}, {Text: "e"}}
	kept, dropped := Verified(all, []Support{Supported, Opposed, Insufficient, "perhaps"})
	if len(kept) != 1 || kept[0].Text != "a" {
		t.Errorf("kept %v, want the supported one", kept)
	}
	for i, want := range []Reason{Contradicted, NotEnough, NotEnough, NotEnough} {
		if dropped[i].Reason != want {
			t.Errorf("%s: dropped as %q, want %q",
				dropped[i].Statement.Text, dropped[i].Reason, want)
		}
	}
}

func FuzzGround(f *testing.F) {
	f.Add("bcrypt is used instead of argon2.", "I decided to use bcrypt", 6,
		"user text\x00 with `code` and https://a.b/c")
	f.Add("香蕉唱歌 src/auth.go", "hash comparison", 9, "香蕉对着月亮唱歌。")
	f.Add("\xff\xfe`", "1,000.5 v1.2", -7, "a/b:1:2 4f2a9c17d3 $2.50 10ms")
	const answer = "assistant: I decided to use bcrypt instead of argon2."
	f.Fuzz(func(t *testing.T, text, quote string, number int, typed string) {
		x := NewIndex(parse(t, "user: "+typed, answer), 1)
		kept, dropped := x.Ground(x.Locate([]Statement{
			{Text: text, Quote: quote, Messages: []int{number}}, {Text: typed, Quote: typed},
		}))
		if len(kept)+len(dropped) != 2 {
			t.Fatalf("%d kept and %d dropped of 2", len(kept), len(dropped))
		}
		for _, s := range kept {
			if strings.ContainsAny(s.Text+s.Quote, "\n\r\u2028\u2029\u0085") ||
				len(s.Messages) == 0 || !x.holdQuote(s.Messages, s.Quote) {
				t.Errorf("kept %+v", s)
			}
		}
	})
}

// Indexing and grounding take time linear in the messages: about ten times as long for ten times
// the text.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{100, 1000} {
		lines := []string{}
		size := 0
		for i := range n {
			output := strings.Repeat(fmt.Sprintf("word%d of output in der Prüfung 检查 ", i), 20)
			line := fmt.Sprintf("assistant: Step %d reads src/part%d/queue.go and finds %d ms; %s",
				i, i, 100+i, output)
			lines = append(lines, line)
			size += len(line)
		}
		msgs := parse(b, lines...)
		step := Statement{
			Text: "Step 7 reads src/part7/queue.go.", Messages: []int{8}, Quote: "Step 7 reads",
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				x := NewIndex(msgs, 1)
				x.Ground([]Statement{step})
			}
		})
	}
}

// An altered value is detected in the digits of any script.
func TestValuesInOtherDigits(t *testing.T) {
	const quote = "The server must listen on port 8080"
	x := NewIndex(parse(t, "user: "+quote+"; サーバーは１２３４番。", "assistant: done"), 1)
	for text, want := range map[string]Reason{
		"The server must listen on port 8080": "", "The server must listen on port ８０８０": "",
		"The server must listen on port ٨٠٨٠": "", "The server must listen as 1234": "",
		"The server must listen on port ９０９０": ValueMissing,
		"The server must listen on port ٩٠٩٠": ValueMissing,
		"The server must listen on port 𝟗𝟎𝟗𝟎": ValueMissing,
		"The server must listen on ｐｏｒｔ_b":    ValueMissing,
	} {
		_, dropped := x.Ground([]Statement{{Text: text, Quote: quote, Messages: []int{1}}})
		got := Reason("")
		if len(dropped) > 0 {
			got = dropped[0].Reason
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever the turns hold, the memory for their words is bounded.
func TestWordsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range maxWords + 1000 {
		for n := i; n > 0; n /= 26 {
			b.WriteByte(byte('a' + n%26))
		}
		b.WriteByte(' ')
	}
	l := newLexicon()
	if l.add(b.String()); len(l.words) != maxWords {
		t.Errorf("%d words, want %d", len(l.words), maxWords)
	}
}

// The arguments of a script are in the message that ran it, not in the one that waited for it.
func TestArgumentsOfAwaitedScripts(t *testing.T) {
	x := NewIndex(parse(t,
		`call exec {"input":"text(await tools.exec_command({cmd: 'make all --slowly'}))"}`,
		"tool: Script running with cell ID 7\nWall time 1 seconds\nOutput:\n",
		`call wait {"cell_id":"7"}`,
		"tool: Script completed\nWall time 1 seconds\nOutput:\nall built",
	), 1)
	kept, dropped := x.Ground([]Statement{{Text: "Everything was built slowly.",
		Messages: []int{1, 3}, Quote: "make all --slowly"}})
	if len(kept) != 1 || len(kept[0].Messages) != 1 || kept[0].Messages[0] != 1 {
		t.Errorf("kept %+v, dropped %+v", kept, dropped)
	}
}
