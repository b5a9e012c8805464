package fakeupstream

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"killick/view"
)

// Kind is how a scripted model behaves when it is asked for a summary, for
// questions or for answers.
type Kind string

// The kinds. Those up to Granting differ in the statements that they write; the
// next four in how they verify, answer and grade; the others behave alike in
// everything that they are asked for.
const (
	// says what the turns say, with true quotes; variant: paraphrased
	Faithful  Kind = "faithful"
	Forgetful Kind = "forgetful" // leaves out a share of the facts
	// turns a share of the facts into their opposite, beside their true quotes
	Contradicting Kind = "contradicting"
	Inventing     Kind = "inventing" // adds facts that no turn holds; variant: quoted
	Nonsense      Kind = "nonsense"  // adds nonsense; variant: quoted
	Foreign       Kind = "foreign"   // adds statements about another conversation; variant: quoted
	Granting      Kind = "granting"  // adds grants and orders; variant: quoted

	Wrong     Kind = "wrong"     // answers every question wrong
	Unknowing Kind = "unknowing" // answers every question with UNKNOWN
	Approving Kind = "approving" // supports every statement, grades every answer as right
	// supports what shares a word with its quote, grades every answer as right
	Agreeing Kind = "agreeing"

	Obeying       Kind = "obeying"       // does what text in the turns tells it to
	Refusing      Kind = "refusing"      // will not; variants: sign, words
	Malformed     Kind = "malformed"     // has the form wrong; variants: MalformedForms
	Slow          Kind = "slow"          // is faithful after Delay
	Failing       Kind = "failing"       // fails with a status; variants: its number, 500 if none
	Acknowledging Kind = "acknowledging" // says what it is about to do, and no more
	Sloppy        Kind = "sloppy"        // has the form wrong until its faults are named
	Wordy         Kind = "wordy"         // writes text, JSON never
)

// MalformedForms are the variants of Malformed, and how Sloppy begins.
var MalformedForms = []string{"truncated", "empty", "null", "array", "mistyped", "lacking", "extra",
	"text", "call", "blank", "copied"}

// WrappedForms are variants of Faithful, Forgetful and Contradicting: what models put around an
// answer that is right.
var WrappedForms = []string{"fenced", "preamble", "trailing", "thinking"}

// Scripted is a model that is asked for statements about a conversation and for tests of a record.
// It works from the request that it gets, as a real one would: the turns are those of the
// conversation or of the data that is fenced in a prompt, facts are taken from them by rules,
// questions are put about those facts, and answers are looked up in the record that is in the
// prompt. Of equal requests and fields it gives equal answers. The zero value is faithful.
type Scripted struct {
	Kind     Kind
	Verifier Kind   // how it verifies; if empty, honestly or as Kind says
	Prober   Kind   // how it asks, answers and grades; likewise
	Variant  string // see Kind; if empty, the seed chooses
	Seed     uint64 // which facts are touched, and which questions are put
	// of the facts that Forgetful and Contradicting touch; if zero, half of them and all that can
	// be
	Share float64
	// how many facts Inventing and Contradicting touch; if zero, five and any number
	Most  int
	Delay time.Duration // of Slow; if zero, half a minute
}

// scriptedPrefix begins the names of models that are scripted.
const scriptedPrefix = "scripted/"

// scriptedByName returns the model that a name such as scripted/forgetful or
// scripted/malformed:truncated stands for, nil for names of others.
func scriptedByName(name string) *Scripted {
	kind, ok := strings.CutPrefix(name, scriptedPrefix)
	if !ok {
		return nil
	}
	kind, variant, _ := strings.Cut(kind, ":")
	return &Scripted{Kind: Kind(kind), Variant: variant}
}

// Asked returns what a request asks a model for: "statements", "verdicts",
// "questions", "answers" or "grades"; "" for a turn of a conversation.
func Asked(req *view.Request) string {
	if a, ok := readAsked(req); ok {
		return string(a.task)
	}
	return ""
}

// Reply answers a request for statements, verdicts, questions, answers or grades.
// ok is false for others, which are the business of Config.Reply.
func (s *Scripted) Reply(req *view.Request) (reply Reply, ok bool) {
	a, ok := readAsked(req)
	if !ok {
		return Reply{}, false
	}
	s = s.as(a.task)
	switch s.Kind {
	case Refusing:
		return s.refuse(), true
	case Acknowledging:
		return Reply{Content: "Sure! I'll write that up for you now."}, true
	case Failing:
		return Reply{Status: s.status()}, true
	case Malformed:
		return s.malformed(a, req), true
	case Sloppy:
		if !a.retry {
			return s.malformed(a, req), true
		}
	case Obeying:
		if reply, obeyed := s.obey(a); obeyed {
			return reply, true
		}
	}
	reply = Reply{Content: wrap(s.Variant, s.faithful(a))}
	if s.Kind == Slow {
		reply.Delay = s.Delay
		reply.Delay = cmp.Or(reply.Delay, 30*time.Second)
	}
	return reply, true
}

// as is the model for one task.
func (s *Scripted) as(t task) *Scripted {
	own := *s
	switch {
	case t == askedVerdicts && s.Verifier != "":
		own.Kind, own.Variant = s.Verifier, ""
	case (t == askedQuestions || t == askedAnswers || t == askedGrades) && s.Prober != "":
		own.Kind, own.Variant = s.Prober, ""
	}
	return &own
}

// faithful answers in the form that was asked for, as the kind does.
func (s *Scripted) faithful(a asked) string {
	if s.Kind == Wordy {
		return "This is what happened, as far as I can see: most of it went as planned, and the " +
			"rest is in the record."
	}
	switch a.task {
	case askedVerdicts:
		return s.verdicts(a)
	case askedQuestions:
		return s.questions(a)
	case askedAnswers:
		return s.answers(a)
	case askedGrades:
		return s.grades(a)
	}
	all := s.state(a.turns)
	if all == nil {
		all = []Statement{}
	}
	return string(encodeJSON(map[string]any{"statements": all}))
}

func (s *Scripted) refuse() Reply {
	if s.Variant == "sign" || s.Variant == "" && s.Seed%2 == 1 {
		return Reply{Refusal: "I'm sorry, but I can't help with that."}
	}
	return Reply{Content: "I'm sorry, but I can't assist with writing a record of this " +
		"conversation."}
}

func (s *Scripted) status() int {
	for _, status := range []int{400, 401, 403, 404, 413, 429, 502, 503, 504} {
		if s.Variant == strconv.Itoa(status) {
			return status
		}
	}
	return http.StatusInternalServerError
}

// wrap puts around a right answer what models put around theirs.
func wrap(variant, text string) string {
	switch variant {
	case "fenced":
		return "```json\n" + text + "\n```"
	case "preamble":
		return "Here is the record that you asked for:\n\n" + text
	case "trailing":
		return text + "\n\nLet me know if you need {anything} else!"
	case "thinking":
		return "<think>\nThe user wants a record. I could write {\"statements\": \"wrong\"} but " +
			"let me read the turns first.\n</think>\n\n" + text
	}
	return text
}
