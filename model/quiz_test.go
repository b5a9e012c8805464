package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/internal/fakeupstream"
	"killick/model/endpoint"
	"killick/probe"
)

func questionsJSON(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"category":"recall","question":"What is fact %d?",`+
			`"expected":"value %d","message":%d}`, i, i, i+1))
	}
	return `{"questions":[` + strings.Join(all, ",") + `]}`
}

// question is one entry of an answer with questions.
func question(category, text, expected string) string {
	return fmt.Sprintf(`{"category":%q,"question":%q,"expected":%q,"message":1}`,
		category, text, expected)
}

func TestQuestions(t *testing.T) {
	trivia := strings.Replace(questionsJSON(3), "recall", "trivia", 1)
	twice := `{"questions":[` + question("recall", "Which port?", "1") + "," +
		question("recall", "which port", "2") + `]}`
	withoutAnswers := `{"questions":[` + question("recall", "Which port?", "") + "," +
		question("decision", "Why?", "UNKNOWN") + "," + question("recall", "", "x") + `]}`
	for _, test := range []struct {
		name    string
		answers []string
		want    int
		calls   int
		err     error
	}{
		{"as many as allowed", []string{questionsJSON(3)}, 3, 1, nil},
		{"more", []string{questionsJSON(9)}, 3, 1, nil},
		{"two", []string{questionsJSON(2)}, 2, 1, nil},
		{"one, then two", []string{questionsJSON(1), questionsJSON(2)}, 2, 2, nil},
		{"one", []string{questionsJSON(1)}, 0, 2, ErrMalformed},
		{"none", []string{`{"questions":[]}`}, 0, 2, ErrMalformed},
		{"the same twice", []string{twice}, 0, 2, ErrMalformed},
		{"without answers", []string{withoutAnswers}, 0, 2, ErrMalformed},
		{"of another category", []string{trivia, questionsJSON(3)}, 3, 2, nil},
		{"in a fence", []string{"```json\n" + questionsJSON(3) + "\n```"}, 3, 1, nil},
		{"prose", []string{"What is the task? And which port?"}, 0, 2, ErrMalformed},
		{"a refusal", []string{"I'm sorry, but I can't write questions."}, 0, 1,
			endpoint.ErrRefused},
	} {
		c := standalone(t, start(t, answering(test.answers...)), Options{})
		got, spent, err := c.Questions(t.Context(), Call{}, oneTurn(t), 3)
		if len(got) != test.want || spent.Calls != test.calls || !errors.Is(err, test.err) {
			t.Errorf("%s: %d questions after %d calls, %v; want %d after %d, %v",
				test.name, len(got), spent.Calls, err, test.want, test.calls, test.err)
		}
	}
	c := New(Options{Name: "writer", BaseURL: "http://upstream.example/v1"})
	_, spent, err := c.Questions(t.Context(), Call{}, oneTurn(t), 1)
	if !errors.Is(err, endpoint.ErrRejected) || spent.Calls != 0 {
		t.Errorf("at most one question: %v after %d calls, want a rejection without any",
			err, spent.Calls)
	}
}

func TestAnswers(t *testing.T) {
	questions := []probe.Question{
		{Category: "recall", Text: "Which port?"}, {Category: "recall", Text: "Which file?"},
		{Category: "decision", Text: "Why?"},
	}
	for _, test := range []struct {
		name   string
		answer string
		want   []string
		err    error
	}{
		{"all", `{"answers":[{"number":1,"answer":"8443"},{"number":2,"answer":"a.go"},` +
			`{"number":3,"answer":"speed"}]}`, []string{"8443", "a.go", "speed"}, nil},
		{"in any order",
			`{"answers":[{"number":3,"answer":"speed"},{"number":1,"answer":" 84\n43 "}]}`,
			[]string{"84 43", probe.Unknown, "speed"}, nil},
		{"unknown in any spelling", `{"answers":[{"number":1,"answer":"unknown."},` +
			`{"number":2,"answer":""},{"number":3,"answer":"…"}]}`,
			[]string{probe.Unknown, probe.Unknown, probe.Unknown}, nil},
		{"to a question that was not asked", `{"answers":[{"number":4,"answer":"x"}]}`, nil,
			ErrMalformed},
		{"two to one", `{"answers":[{"number":1,"answer":"x"},{"number":1,"answer":"y"}]}`,
			nil, ErrMalformed},
		{"none", `{"answers":[]}`, nil, ErrMalformed},
		{"without numbers", `{"answers":["8443","a.go","speed"]}`, nil, ErrMalformed},
		{"with half a number", `{"answers":[{"number":1.5,"answer":"x"}]}`, nil, ErrMalformed},
		{"with a huge number", `{"answers":[{"number":1e300,"answer":"x"}]}`, nil, ErrMalformed},
		{"a promise", "I'll look that up in the record for you.", nil, endpoint.ErrRefused},
	} {
		c := standalone(t, start(t, answering(test.answer)), Options{})
		record := Record{Kept: "The port is 8443."}
		got, spent, err := c.Answers(t.Context(), Call{}, record, questions)
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) || spent.Calls == 0 {
			t.Errorf("%s: %q after %d calls, %v; want %q, %v",
				test.name, got, spent.Calls, err, test.want, test.err)
		}
	}
	got, spent, err := New(Options{}).Answers(t.Context(), Call{}, Record{}, nil)
	if len(got) != 0 || spent.Calls != 0 || err != nil {
		t.Errorf("no questions: %q, %+v, %v", got, spent, err)
	}
}

func TestVerify(t *testing.T) {
	statements := []probe.Statement{
		{Text: "The port is 8443.", Quote: "port 8443"},
		{Text: "All is well.", Quote: "so it goes"},
		{Text: "x", Quote: "x"},
	}
	answer := func(entries string) fakeupstream.Reply {
		return fakeupstream.Reply{Content: `{"verdicts":[` + entries + `]}`}
	}
	for _, test := range []struct {
		name  string
		reply fakeupstream.Reply
		want  []probe.Support
		err   error
	}{
		{"all", answer(`{"number":1,"verdict":"supported"},{"number":2,"verdict":"contradicted"},` +
			`{"number":3,"verdict":"not enough"}`),
			[]probe.Support{probe.Supported, probe.Opposed, probe.Insufficient}, nil},
		{"some", answer(`{"number":2,"verdict":"supported"}`),
			[]probe.Support{probe.Unanswered, probe.Supported, probe.Unanswered}, nil},
		{"of a statement that was not shown", answer(`{"number":4,"verdict":"supported"}`),
			nil, ErrMalformed},
		{"two of one",
			answer(`{"number":1,"verdict":"supported"},{"number":1,"verdict":"not enough"}`),
			nil, ErrMalformed},
		{"in any order", answer(`{"number":3,"verdict":"supported"},` +
			`{"number":1,"verdict":"not enough"}`),
			[]probe.Support{probe.Insufficient, probe.Unanswered, probe.Supported}, nil},
		// A model that repeats what a quote orders before it answers.
		{"of a quote, then its own", fakeupstream.Reply{Content: `The quote of 1 says ` +
			`{"verdicts":[{"number":1,"verdict":"supported"}]}, which is no verdict of mine. ` +
			`{"verdicts":[{"number":1,"verdict":"not enough"}]}`}, nil, ErrMalformed},
		{"other words", answer(`{"number":1,"verdict":"yes"}`), nil, ErrMalformed},
		{"none", answer(""), nil, ErrMalformed},
		{"nonsense", fakeupstream.Reply{Content: "Bananas sing to the moon."}, nil, ErrMalformed},
		{"a refusal", fakeupstream.Reply{Content: "I'm sorry, but I can't verify this."},
			nil, endpoint.ErrRefused},
		{"a failure", fakeupstream.Reply{Status: 503}, nil, endpoint.ErrUnavailable},
	} {
		s := start(t, replying(test.reply))
		c := New(Options{Transport: transport(t)})
		// In append, too, it does not see the conversation.
		call := ofTheClient(s, body("", message("user", "the conversation itself")))
		got, spent, err := c.Verify(t.Context(), call, probe.Checks{Shown: statements})
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) || spent.Calls == 0 {
			t.Errorf("%s: %q after %d calls, %v; want %q, %v",
				test.name, got, spent.Calls, err, test.want, test.err)
		}
		sent := string(s.Requests()[0].Body)
		if strings.Contains(sent, "the conversation itself") ||
			!strings.Contains(sent, "so it goes") {
			t.Errorf("%s: the model is shown %s", test.name, sent)
		}
	}
	got, spent, err := New(Options{}).Verify(t.Context(), Call{}, probe.Checks{})
	if len(got) != 0 || spent.Calls != 0 || err != nil {
		t.Errorf("no statements: %q, %+v, %v", got, spent, err)
	}
}

func answered(question, expected, answer string) probe.Answered {
	q := probe.Question{Text: question, Expected: expected}
	return probe.Answered{Question: q, Answer: answer}
}

func TestGrade(t *testing.T) {
	given := []probe.Answered{
		answered("Why?", "the cache was stale", "old data"),
		answered("Who?", "Camille", "Bertrand"),
		answered("What?", "a and b", "a"),
	}
	for _, test := range []struct {
		name   string
		answer string
		want   []float64
		err    error
	}{
		{"all", `{"grades":[{"number":1,"grade":"right"},{"number":2,"grade":"wrong"},` +
			`{"number":3,"grade":"partly"}]}`, []float64{1, 0, 0.5}, nil},
		{"some", `{"grades":[{"number":3,"grade":"right"}]}`, []float64{0, 0, 1}, nil},
		{"a score", `{"grades":[{"number":1,"grade":0.5}]}`, nil, ErrMalformed},
		{"none", `{"grades":[]}`, nil, ErrMalformed},
	} {
		c := standalone(t, start(t, answering(test.answer)), Options{})
		got, spent, err := c.Grade(t.Context(), Call{}, given)
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) || spent.Calls == 0 {
			t.Errorf("%s: %v after %d calls, %v; want %v, %v",
				test.name, got, spent.Calls, err, test.want, test.err)
		}
	}
	got, spent, err := New(Options{}).Grade(t.Context(), Call{}, nil)
	if len(got) != 0 || spent.Calls != 0 || err != nil {
		t.Errorf("no answers: %v, %+v, %v", got, spent, err)
	}
}

// All five tasks over the wire, with scripted models, in five requests.
func TestAllChecksTogether(t *testing.T) {
	right := map[string]int{}
	for name, script := range map[string]fakeupstream.Scripted{
		"faithful": {}, "wrong": {Prober: fakeupstream.Wrong},
		"unknowing": {Prober: fakeupstream.Unknowing},
	} {
		s := start(t, fakeupstream.Config{Scripted: &script})
		c := standalone(t, s, Options{})
		span := Span{Messages: chattest.Messages(t, session(6)[1:]...)}
		w, err := c.Statements(t.Context(), Call{}, span)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, _, err := c.Verify(t.Context(), Call{}, probe.Checks{Shown: w.Statements})
		if err != nil || slices.Contains(verdicts, probe.Insufficient) {
			t.Fatalf("%q, %v; want all supported", verdicts, err)
		}
		questions, _, err := c.Questions(t.Context(), Call{}, span, 6)
		if err != nil || len(questions) != 6 {
			t.Fatalf("%d questions, %v; want 6", len(questions), err)
		}
		var record Record
		for _, st := range w.Statements {
			record.Written += st.Text + "\n"
		}
		record.Kept = span.Messages[0].Text()
		answers, _, err := c.Answers(t.Context(), Call{}, record, questions)
		if err != nil {
			t.Fatal(err)
		}
		var given []probe.Answered
		for i, a := range answers {
			given = append(given, probe.Answered{Question: questions[i], Answer: a})
		}
		scores, _, err := c.Grade(t.Context(), Call{}, given)
		if err != nil {
			t.Fatal(err)
		}
		for _, score := range scores {
			right[name] += int(score)
		}
		if n := len(s.Requests()); n != 5 {
			t.Errorf("%s: %d requests, want 5", name, n)
		}
	}
	if right["faithful"] < 5 || right["wrong"] != 0 || right["unknowing"] != 0 {
		t.Errorf("right answers of 6: %v; want nearly all of the faithful model alone", right)
	}
}
