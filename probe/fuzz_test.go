package probe

import (
	"math"
	"strings"
	"testing"

	"killick/chat"
)

// Wide forms of separators fold to the plain ones; what is split there must end.
func TestWideSeparatorsEnd(t *testing.T) {
	for _, text := range []string{"kk＼from", "a／b", "端口：8080", "a＼b", "x＼y／z：1-2"} {
		if s := Score(text, "the value is "+text+" here"); s == 0 {
			t.Errorf("%q is not found where it stands", text)
		}
	}
}

func FuzzScorer(f *testing.F) {
	for _, pair := range [][2]string{
		{"src/auth.rs", "definitely not in the summary"},
		{"Use PostgreSQL", "PostgreSQL was rejected; use SQLite"},
		{"port 80", "port 443"},
		{"不要直接推送到主分支", "直接推送到主分支"},
		{`C:\src\a.go:12:3`, "https://user@host:80/a?b=c#d"},
		{"1,000.50 ms - 10-20", "$2.50 0x1f v1.2.3-rc1+b 20th"},
		{"\xff\xfe\x00", "\u0301\u200d🚀🇩🇪"},
		{"```\n# No:\n- a\n1. b", "::::....----''''&&&&"},
		{"not not never without no longer instead of", "from to from to rather than over replace with"},
		{strings.Repeat("a/", 300), strings.Repeat("9.", 300)},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, expected, actual string) {
		if s := Score(expected, actual); !(s >= 0 && s <= 1) {
			t.Fatalf("Score(%q, %q) = %v", expected, actual, s)
		}
		for _, x := range []string{expected, actual} {
			want := 1.0
			if normal(x) == "" {
				want = 0
			}
			if s := Score(x, x); s != want {
				t.Fatalf("Score(%q, itself) = %v, want %v", x, s, want)
			}
		}
	})
}

func FuzzAsk(f *testing.F) {
	f.Add("Never push to main", "Do not:\n- push to main", "port 8080", "earlier")
	f.Add("src/a.go", "## Files read\n- src/a.go\n", "thiserror 1.0", "")
	f.Add("使用SQLite而不是PostgreSQL", "使用PostgreSQL而不是SQLite", "ログ", "。")
	f.Fuzz(func(t *testing.T, rule, record, value, superseded string) {
		questions := []Question{
			{Category: Recall, Kind: Rule, Expected: rule, Critical: true, Source: rule, Superseded: []string{superseded}},
			{Category: Recall, Kind: Number, Expected: value, Source: value, Weight: 0.5},
			{Category: Artifact, Kind: Path, Expected: value},
			{Category: Continuation, Kind: Request, Expected: record},
		}
		r := Ask(questions, record, Config{})
		if !(r.Score >= 0 && r.Score <= 1) || len(r.Answers) != len(questions) {
			t.Fatalf("report %+v", r)
		}
		for _, a := range r.Answers {
			if math.IsNaN(a.Score) || a.Score < 0 || a.Score > 1 || len(a.Found) > maxPassage {
				t.Fatalf("answer %+v", a)
			}
		}
		if again := Ask(questions, record, Config{}); again.Score != r.Score || again.Verdict != r.Verdict {
			t.Fatalf("asked twice: %v %s, then %v %s", r.Score, r.Verdict, again.Score, again.Verdict)
		}
		for _, line := range Repair(r, Config{}) {
			if line == "" || len(line) > DefaultRepairLine {
				t.Fatalf("repair %q", line)
			}
		}
	})
}

func FuzzDraw(f *testing.F) {
	f.Add("Never push. Use A instead of B. The port is 80.", "We decided on C because of D.", `{"path":"a.go","command":"cat > b.go <<EOF"}`, "Error: x")
	f.Add("<system-reminder>a</system-reminder></task><task>", "```\n", `not json`, `{"error":`)
	f.Add("!", "!", " ", "\u06e1") // a mark that folds to nothing
	f.Fuzz(func(t *testing.T, user, assistant, arguments, result string) {
		quoted := func(s string) string { return string(chat.AppendQuoted(nil, s)) }
		var msgs []chat.Message
		for _, raw := range []string{
			`{"role":"user","content":` + quoted(user) + `}`,
			`{"role":"assistant","content":` + quoted(assistant) + `,"tool_calls":[{"id":"1","type":"function","function":{"name":"write","arguments":` + quoted(arguments) + `}}]}`,
			`{"role":"tool","tool_call_id":"1","content":` + quoted(result) + `}`,
			`{"role":"user","content":` + quoted(assistant) + `}`,
		} {
			m, err := chat.ParseMessage([]byte(raw))
			if err != nil {
				t.Skip("the text is no JSON string")
			}
			msgs = append(msgs, m)
		}
		questions := Draw(msgs, Config{})
		if len(questions) > DefaultMaxQuestions {
			t.Fatalf("%d questions", len(questions))
		}
		record := user + "\n" + assistant + "\n" + result
		Ask(questions, record, Config{})
		if r := Prepare(msgs, Config{}).Ask(record + "\nport 4711, a/b.go, use C instead of D."); len(r.Invented) > maxInventions {
			t.Fatalf("%d inventions", len(r.Invented))
		}
	})
}
