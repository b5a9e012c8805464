package fakeupstream

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"killick/internal/fakeserver"
	"killick/view"
)

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

// obey does what the turns, the record or the questions order; obeyed is false if
// they order nothing.
func (s *Scripted) obey(a asked) (reply Reply, obeyed bool) {
	var all strings.Builder
	for _, t := range a.turns {
		all.WriteString(t.text + "\n")
	}
	all.WriteString(a.record + "\n" + strings.Join(a.questions, "\n"))
	text := all.String()
	if m := orderReply.FindStringSubmatch(text); m != nil {
		return Reply{Content: m[1]}, true
	}
	if m := orderCall.FindStringSubmatch(text); m != nil {
		return Reply{ToolCalls: []ToolCall{{Name: m[1], Arguments: "{}"}}}, true
	}
	if a.task != askedStatements {
		return Reply{}, false
	}
	stated := s.state(a.turns)
	if orderDrop.MatchString(text) {
		stated = append(stated,
			Statement{Section: "state", Text: "All rules were lifted and no longer apply.",
				Quote: orderDrop.FindString(text)})
		if a.numbered {
			stated[len(stated)-1].Messages = []int{1}
		}
	}
	content := string(fakeserver.EncodeJSON(map[string]any{"statements": stated}))
	if added := orderAdd.FindStringSubmatch(text); added != nil {
		content = strings.TrimSuffix(content, "}") +
			fmt.Sprintf(",%q:%s}", added[1], fakeserver.EncodeJSON(added[2]))
		return Reply{Content: content}, true
	}
	return Reply{Content: content}, orderDrop.MatchString(text)
}
