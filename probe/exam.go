package probe

import (
	"slices"

	"killick/chat"
)

// Exam examines records against the messages that they replace: with drawn questions, as Draw and Ask do, and besides with
// what only the messages can tell, whether a record names what stands nowhere in them or says the opposite of what was laid
// down in them. It is for one goroutine, and reads the messages again as it is asked.
type Exam struct {
	Questions []Question

	msgs   []chat.Message
	said   *transcript
	plan   []Question // how all its tasks stand
	checks []Question // how all its checks ended
	laid   *document  // what was laid down, made when it is first needed
	config Config
}

// Prepare draws the questions for a record of msgs.
func Prepare(msgs []chat.Message, cfg Config) *Exam {
	e := &Exam{msgs: msgs, said: readTranscript(msgs), config: cfg}
	e.Questions = e.said.draw(cfg.withDefaults())
	e.plan, e.checks = e.said.todos(maxPlan), e.said.checks(maxPlan)
	return e
}

// Ask judges rendered, the text of a record that is to replace the messages. Beside the questions, each invention keeps it
// from passing and three fail it hard; an altered name and a statement turned round veto as the contradiction of a rule
// does.
func (e *Exam) Ask(rendered string) Report {
	d := compile(rendered, true)
	r := Grade(d.answer(e.Questions, e.plan, subjects(e.checks)), e.config)
	r.Invented = mistaken(e.inventions(d), r.Answers)
	r.Turned = e.turned(d)
	r.Contradicted += len(r.Turned)
	switch {
	case len(r.Turned) > 0:
		r.Vetoed = true
		r.Verdict = HardFail
	case slices.ContainsFunc(r.Invented, func(i Invention) bool { return i.Altered }):
		r.Vetoed = true
		r.Verdict = HardFail
	case len(r.Invented) >= hardInventions:
		r.Verdict = HardFail
	case len(r.Invented) > 0 && r.Verdict == Pass:
		r.Verdict = SoftFail
	}
	return r
}

// mistaken marks invented paths as altered where a file that was written is not told of and one of its sort, that was not, is.
func mistaken(invented []Invention, answers []Answer) []Invention {
	lost := set{}
	for _, a := range answers {
		if a.Category == Artifact && a.Kind == Path && a.Score < DefaultHardFail {
			lost[lastPart(fold(a.Expected), '.')] = struct{}{}
		}
	}
	for i := range invented {
		v := &invented[i]
		v.Altered = v.Altered || v.Kind == Path && lost.has(lastPart(fold(v.Text), '.'))
	}
	return invented
}
