package probe

import (
	"errors"
	"testing"

	"killick/compaction"
)

func TestAccept(t *testing.T) {
	x := billing(t)
	for _, test := range []struct {
		name     string
		q        Question
		reason   Reason
		message  int
		critical bool
	}{
		{"a value a person gave", Question{Category: Recall, Text: "Which port does it listen on?",
			Expected: "8443", Message: 5}, "", 5, true},
		{"located", Question{Category: Recall, Text: "Which port does it listen on?",
			Expected: "port 8443"}, "", 5, true},
		{"words", Question{Category: Decision, Text: "Which hash is used?",
			Expected: "bcrypt instead of argon2", Message: 6}, "", 6, false},
		{"letter case", Question{Category: Recall, Text: "What is to be fixed?",
			Expected: "The Login of the billing service", Message: 5}, "", 5, true},
		{"of a call's result", Question{Category: Artifact, Text: "Which file was written?",
			Expected: "src/auth.go", Message: 8}, "", 8, false},
		{"in another message", Question{Category: Recall, Text: "Which port does it listen on?",
			Expected: "8443", Message: 6}, AnswerAbsent, 0, false},
		{"nowhere", Question{Category: Recall, Text: "Which port does it listen on?",
			Expected: "9999"}, AnswerAbsent, 0, false},
		{"a part of a word", Question{Category: Decision, Text: "Which hash is used?",
			Expected: "crypt", Message: 6}, AnswerAbsent, 0, false},
		{"no such message", Question{Category: Recall, Text: "Which port does it listen on?",
			Expected: "8443", Message: 99}, OutOfRange, 0, false},
		{"holds its answer", Question{Category: Recall, Text: "Is the port 8443 or not?",
			Expected: "8443", Message: 5}, AnswerGiven, 0, false},
		{"holds its answer in another form", Question{Category: Artifact,
			Text:     "Which of /srv/shop/src/auth.go and src/db.go was written?",
			Expected: "src/auth.go", Message: 8}, AnswerGiven, 0, false},
		{"names the folder of its answer", Question{Category: Artifact,
			Text: "Which file in src/ was written?", Expected: "src/auth.go", Message: 8}, "", 8,
			false},
		{"names the file to ask for its path", Question{Category: Artifact,
			Text: "Under which path is auth.go?", Expected: "src/auth.go", Message: 8}, "", 8,
			false},
		{"no answer", Question{Category: Recall, Text: "Which port is it?", Expected: "…?",
			Message: 5}, NoAnswer, 0, false},
		{"unknown", Question{Category: Recall, Text: "Which port is it?", Expected: "unknown",
			Message: 5}, NoAnswer, 0, false},
		{"no question", Question{Category: Recall, Text: "?", Expected: "8443", Message: 5}, NoText,
			0, false},
		{"no category", Question{Category: "trivia", Text: "Which port is it?", Expected: "8443",
			Message: 5}, NoCategory, 0, false},
	} {
		kept, rejected := x.Accept([]Question{test.q, test.q})
		switch {
		case test.reason != "":
			if len(rejected) != 2 || rejected[0].Reason != test.reason {
				t.Errorf("%s: kept %v, rejected %v, want %q",
					test.name, kept, rejected, test.reason)
			}
		case len(kept) != 1 || kept[0].Message != test.message ||
			kept[0].Critical != test.critical || rejected[0].Reason != Repeated:
			t.Errorf("%s: kept %+v, rejected %v, want one of message %d, critical %v",
				test.name, kept, rejected, test.message, test.critical)
		}
	}
}

func TestScoreAnswer(t *testing.T) {
	for _, test := range []struct {
		expected, answer string
		score            float64
		method           Method
	}{
		{"8443", "8443", 1, ByWords},
		{"8443", "The port is 8443.", 1, ByValues},
		{"8443", "8446", 0, ByValues},
		{"8443", "8443 or 8446", 0.5, ByValues},
		{"8443", "no idea", 0, ByValues},
		{"port 8443", "8,443", 1, ByValues},
		{"5 minutes", "300 s", 1, ByValues},
		{"300 ms", "300 s", 0, ByValues},
		{"src/auth.go", "/srv/shop/src/auth.go", 1, ByValues},
		{"src/auth.go", "auth.go", 1, ByValues},
		{"src/auth.go", "lib/auth.go", 0, ByValues},
		{"src/auth.go", "src/", 0, ByValues},
		{"src/auth.go", "src/auth.go in src/", 1, ByValues},
		{"https://ci.example.com/runs/77120", "https://ci.example.com", 0, ByValues},
		{"a.go and b.go", "b.go", 0.5, ByValues},
		{"v1.2.3", "version 1.2.3", 1, ByValues},
		{"4f2a9c17d3", "commit 4f2a9c1", 1, ByValues},
		{"https://ci.example.com/runs/77120", "ci.example.com/runs/77120", 1, ByValues},
		{"never push to main", "Never push to main.", 1, ByWords},
		{"push to main", "never push to main", 0, Ungraded}, // "never" reverses it
		{"push to main", "main", 0, Ungraded},
		{"push to main", `It says: "push to main".`, 1, ByWords},
		{"bcrypt", "argon2, bcrypt, scrypt", 0, Ungraded}, // lists every option
		{"bcrypt", "Bcrypt. Scrypt.", 0, Ungraded},
		{"bcrypt", "The hash: **bcrypt**.", 1, ByWords},
		{"联表查询", "「联表查询」", 1, ByWords},
		{"联表查询", "答案是：联表查询。", 1, ByWords},
		{"联表查询", "不用联表查询", 0, Ungraded},
		{"the old cache was stale", "data came out of date", 0, Ungraded},
		{"never change port 8443 without asking the team", "always change port 8443 without asking",
			0, Ungraded},
		{"never change port 8443 without asking the team", "never change port 9000", 0, ByValues},
		{"bcrypt", "UNKNOWN", 0, ByUnknown},
		{"bcrypt", " unknown. ", 0, ByUnknown},
		{"bcrypt", "", 0, ByUnknown},
	} {
		got := scoreAnswer(Question{Expected: test.expected}, test.answer)
		if got.Score != test.score || got.Method != test.method {
			t.Errorf("%q for %q: %v by %s, want %v by %s",
				test.answer, test.expected, got.Score, got.Method, test.score, test.method)
		}
	}
}

// Who only repeats the part of a value that the question names has not given the value.
func TestAnswersThatRepeatTheQuestion(t *testing.T) {
	for _, test := range []struct {
		question, expected, answer string
		score                      float64
	}{
		{"Under which path is auth.go?", "src/auth.go", "auth.go", 0},
		{"Under which path is auth.go?", "src/auth.go", "under auth.go", 0},
		{"Under which path is auth.go?", "src/auth.go", "src/auth.go", 1},
		{"Under which path is auth.go?", "src/auth.go", "auth.go is at src/auth.go", 1},
		{"Under which path is auth.go?", "src/auth.go", "/srv/shop/src/auth.go", 1},
		{"Under which path is auth.go?", "src/auth.go", "lib/auth.go", 0},
		{"What is the whole hash of 4f2a9c1?", "4f2a9c17d3", "4f2a9c1", 0},
		{"Which file was written?", "src/auth.go", "auth.go", 1},
		{"Which test fails in src/db.go?", "src/auth.go", "auth.go", 1},
		// To choose between names is an answer.
		{"Which was written, auth.go or db.go?", "src/auth.go", "auth.go", 1},
		{"Which was written, auth.go or db.go?", "src/auth.go", "db.go", 0},
	} {
		got := scoreAnswer(Question{Text: test.question, Expected: test.expected}, test.answer)
		if got.Score != test.score {
			t.Errorf("%s %q for %q: %v, want %v", test.question, test.answer, test.expected,
				got.Score, test.score)
		}
	}
}

func TestGrade(t *testing.T) {
	q := func(c Category, expected string, critical bool) Question {
		return Question{Category: c, Text: "What is it?", Expected: expected, Critical: critical}
	}
	ports := []Question{q(Recall, "8443", false), q(Recall, "9000", false),
		q(Recall, "7000", false)}
	prose := []Question{q(Decision, "the queue of the old service", false),
		q(Recall, "8443", false)}
	given := []string{"what the old service had", "8443"}
	giving := func(scores ...float64) Grader {
		return func([]Answered) ([]float64, error) { return scores, nil }
	}
	failing := func([]Answered) ([]float64, error) { return nil, errors.New("no grader today") }
	const none, unprobed, pass = Unknown, compaction.Unprobed, compaction.Pass
	const soft, hard = compaction.SoftFail, compaction.HardFail
	for _, test := range []struct {
		name      string
		questions []Question
		answers   []string
		grader    Grader
		want      compaction.Verdict
		score     float64
		err       bool
	}{
		{"no question", nil, nil, nil, unprobed, 0, false},
		{"all right", ports, []string{"8443", "9000", "7000"}, nil, pass, 1, false},
		{"two of three", ports, []string{"8443", "9000", none}, nil, pass, 2. / 3, false},
		{"one and a half of three", ports, []string{"8443", "9000 or 9001", none}, nil,
			soft, 0.5, false},
		{"one of three", ports, []string{"8443", "1", "2"}, nil, hard, 1. / 3, false},
		{"all wrong", ports, []string{"1111", "2222", "3333"}, nil, hard, 0, false},
		{"all unknown", ports, []string{none, none, none}, nil, hard, 0, false},
		{"no answer", ports, nil, nil, hard, 0, false},
		{"a critical miss", []Question{q(Recall, "8443", true), ports[1], ports[2]},
			[]string{"8446", "9000", "7000"}, nil, hard, 2. / 3, false},
		{"prose, no grader", prose, given, nil, pass, 1, false},
		{"prose alone, no grader", prose[:1], given[:1], nil, unprobed, 0, false},
		{"prose, graded right", prose, given, giving(1), pass, 1, false},
		{"prose, graded wrong", prose, given, giving(0), soft, 1 / 2.2, false},
		{"a score out of range", prose, given, giving(7), pass, 1, false},
		{"too few grades", prose, given, giving(), unprobed, 1, true},
		{"a grader that fails", prose, given, failing, unprobed, 1, true},
		{"a grader that fails beside a critical miss",
			[]Question{prose[0], q(Recall, "8443", true)}, []string{given[0], "1"}, failing,
			hard, 0, true},
	} {
		r, err := Grade(test.questions, test.answers, test.grader, Thresholds{})
		if d := r.Score - test.score; r.Verdict != test.want || d > 1e-9 || d < -1e-9 ||
			(err != nil) != test.err {
			t.Errorf("%s: %s with %v, %v; want %s with %v",
				test.name, r.Verdict, r.Score, err, test.want, test.score)
		}
	}
	// If no answer is right, it is a hard fail, whatever the thresholds.
	lowest := Thresholds{Pass: 1e-12, SoftFail: 1e-12}
	if r, err := Grade(ports, nil, nil, lowest); err != nil || r.Verdict != compaction.HardFail {
		t.Errorf("all unknown without thresholds: %s, %v; want a hard fail", r.Verdict, err)
	}
}

// Questions about the written conversations: right answers pass, wrong ones fail
// hard, in every language.
func TestQuizOverWrittenConversations(t *testing.T) {
	asked := 0
	for _, w := range writtenConversations(t) {
		x := NewIndex(w.msgs, 1)
		var questions []Question
		for _, q := range w.Questions {
			questions = append(questions, Question{Category: Category(q.Category), Text: q.Question,
				Expected: q.Expected})
		}
		kept, rejected := x.Accept(questions)
		if len(rejected) > 0 {
			t.Fatalf("%s: rejected %v", w.Name, rejected)
		}
		asked += len(kept)
		var right, wrong []string
		for _, q := range w.Questions {
			right, wrong = append(right, q.Right[0]), append(wrong, q.Wrong[0])
		}
		// A perfect grader: an answer in other words is right if it is among the right ones.
		grader := func(all []Answered) (scores []float64, err error) {
			for _, a := range all {
				score := 0.0
				for _, q := range w.Questions {
					for _, r := range q.Right {
						if q.Question == a.Text && r == a.Answer {
							score = 1
						}
					}
				}
				scores = append(scores, score)
			}
			return scores, nil
		}
		r, err := Grade(kept, right, grader, Thresholds{})
		if err != nil || r.Verdict != compaction.Pass || r.Score != 1 {
			t.Errorf("%s: right answers: %+v, %v", w.Name, r, err)
		}
		r, err = Grade(kept, wrong, grader, Thresholds{})
		if err != nil || r.Verdict != compaction.HardFail || r.Score != 0 {
			t.Errorf("%s: wrong answers: %s with %v, %v", w.Name, r.Verdict, r.Score, err)
		}
		r, err = Grade(kept, nil, nil, Thresholds{})
		if err != nil || r.Verdict != compaction.HardFail {
			t.Errorf("%s: no answers: %s, %v", w.Name, r.Verdict, err)
		}
	}
	if asked < 20 {
		t.Errorf("%d questions, want at least 20", asked)
	}
}

func FuzzGrade(f *testing.F) {
	f.Add("src/auth.go", "auth.go")
	f.Add("1.234,56 €", "UNKNOWN")
	f.Add("联表查询", "不")
	f.Add("`", "\xff")
	f.Fuzz(func(t *testing.T, expected, answer string) {
		q := []Question{{Category: Recall, Text: "What is it?", Expected: expected}}
		r, err := Grade(q, []string{answer}, nil, Thresholds{})
		if err != nil || r.Score < 0 || r.Score > 1 ||
			r.Score == 0 && r.Verdict == compaction.Pass {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
