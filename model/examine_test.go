package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/internal/upstreamtest"
)

func questionsJSON(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"category":"recall","question":"What is fact %d?","expected":"value %d"}`, i, i))
	}
	return `{"questions":[` + strings.Join(all, ",") + `]}`
}

func TestQuestions(t *testing.T) {
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
		{"the same twice", []string{`{"questions":[{"category":"recall","question":"Which port?","expected":"1"},{"category":"recall","question":"which port","expected":"2"}]}`}, 0, 2, ErrMalformed},
		{"without answers", []string{`{"questions":[{"category":"recall","question":"Which port?","expected":""},{"category":"decision","question":"Why?","expected":"UNKNOWN"},{"category":"recall","question":"","expected":"x"}]}`}, 0, 2, ErrMalformed},
		{"of another category", []string{strings.Replace(questionsJSON(3), "recall", "trivia", 1), questionsJSON(3)}, 3, 2, nil},
		{"in a fence", []string{"```json\n" + questionsJSON(3) + "\n```"}, 3, 1, nil},
		{"prose", []string{"What is the task? And which port?"}, 0, 2, ErrMalformed},
		{"a refusal", []string{"I'm sorry, but I can't write questions."}, 0, 1, ErrRefused},
	} {
		var replies []upstreamtest.Reply
		for _, a := range test.answers {
			replies = append(replies, says(a))
		}
		s := start(t, upstreamtest.Config{Reply: answering(replies...)})
		c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
		got, spent, err := c.Questions(t.Context(), Call{}, oneTurn(t).Messages, 3)
		if len(got) != test.want || spent.Calls != test.calls || !errors.Is(err, test.err) {
			t.Errorf("%s: %d questions after %d calls, %v; want %d after %d, %v", test.name, len(got), spent.Calls, err, test.want, test.calls, test.err)
		}
	}
	c := New(Options{Name: "writer", BaseURL: "http://upstream.example/v1"})
	if _, spent, err := c.Questions(t.Context(), Call{}, oneTurn(t).Messages, 1); !errors.Is(err, ErrRejected) || spent.Calls != 0 {
		t.Errorf("at most one question: %v after %d calls, want a rejection without any", err, spent.Calls)
	}
}

func TestAnswers(t *testing.T) {
	questions := []Question{{"recall", "Which port?", "8443"}, {"recall", "Which file?", "a.go"}, {"decision", "Why?", "speed"}}
	for _, test := range []struct {
		name   string
		answer string
		want   []string
		err    error
	}{
		{"all", `{"answers":[{"number":1,"answer":"8443"},{"number":2,"answer":"a.go"},{"number":3,"answer":"speed"}]}`, []string{"8443", "a.go", "speed"}, nil},
		{"in any order", `{"answers":[{"number":3,"answer":"speed"},{"number":1,"answer":" 84\n43 "}]}`, []string{"84 43", Unknown, "speed"}, nil},
		{"unknown in any spelling", `{"answers":[{"number":1,"answer":"unknown."},{"number":2,"answer":""},{"number":3,"answer":"None"}]}`, []string{Unknown, Unknown, Unknown}, nil},
		{"to a question that was not asked", `{"answers":[{"number":4,"answer":"x"}]}`, nil, ErrMalformed},
		{"two to one", `{"answers":[{"number":1,"answer":"x"},{"number":1,"answer":"y"}]}`, nil, ErrMalformed},
		{"none", `{"answers":[]}`, nil, ErrMalformed},
		{"without numbers", `{"answers":["8443","a.go","speed"]}`, nil, ErrMalformed},
		{"with half a number", `{"answers":[{"number":1.5,"answer":"x"}]}`, nil, ErrMalformed},
		{"with a huge number", `{"answers":[{"number":1e300,"answer":"x"}]}`, nil, ErrMalformed},
		{"a promise", "I'll look that up in the record for you.", nil, ErrRefused},
	} {
		s := start(t, upstreamtest.Config{Reply: answering(says(test.answer))})
		c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
		got, spent, err := c.Answers(t.Context(), Call{}, "The port is 8443.", questions)
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) || spent.Calls == 0 {
			t.Errorf("%s: %q after %d calls, %v; want %q, %v", test.name, got, spent.Calls, err, test.want, test.err)
		}
	}
	if got, spent, err := New(Options{}).Answers(t.Context(), Call{}, "", nil); len(got) != 0 || spent.Calls != 0 || err != nil {
		t.Errorf("no questions: %q, %+v, %v", got, spent, err)
	}
}

// The scripted models tell a faithful record from others over the wire: what the
// questions and the answers of this package are for.
func TestExaminationTellsRecordsApart(t *testing.T) {
	s := start(t, upstreamtest.Config{})
	conversation := session(6)
	replaced := messages(t, conversation[1:]...)
	score := map[string]int{}
	for _, kind := range []string{"faithful", "contradicting", "forgetful"} {
		c := New(Options{BaseURL: s.URL(), Name: "scripted/" + kind, Transport: transport(t)})
		w, err := c.Summarize(t.Context(), Call{}, Span{Messages: replaced})
		if err != nil {
			t.Fatal(err)
		}
		questions, _, err := c.Questions(t.Context(), Call{}, replaced, 6)
		if err != nil || len(questions) != 6 {
			t.Fatalf("%d questions, %v; want 6", len(questions), err)
		}
		answers, _, err := c.Answers(t.Context(), Call{}, fmt.Sprint(w.Prose), questions)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if a == questions[i].Expected {
				score[kind]++
			}
		}
	}
	if score["faithful"] < 6 || score["contradicting"] > 4 || score["forgetful"] > 5 {
		t.Errorf("right answers of 6: %v; want all of the faithful record alone", score)
	}
}
