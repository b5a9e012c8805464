package fakeupstream

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"killick/internal/fakeserver"
	"killick/view"
)

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
	return string(fakeserver.EncodeJSON(map[string]any{"statements": all}))
}

// malformed answers in one of MalformedForms, never in the form asked for.
func (s *Scripted) malformed(a asked, req *view.Request) Reply {
	form := s.Variant
	if form == "" {
		form = MalformedForms[s.Seed%uint64(len(MalformedForms))]
	}
	var members map[string]any
	if err := json.Unmarshal([]byte((&Scripted{}).faithful(a)), &members); err != nil {
		panic(err) // it is our own
	}
	switch form {
	case "truncated":
		whole := fakeserver.EncodeJSON(members)
		return Reply{Content: string(whole[:len(whole)*2/3]), FinishReason: "length"}
	case "empty":
		return Reply{FinishReason: "stop"}
	case "null":
		return Reply{Content: "null"}
	case "array":
		return Reply{Content: `["statements", "questions", "answers"]`}
	case "text":
		return Reply{Content: "We have been working for a while now, and quite a few things were " +
			"done along the way, more or less as planned."}
	case "call":
		return Reply{ToolCalls: []ToolCall{{Name: firstTool(req), Arguments: "{}"}}}
	case "blank":
		return Reply{Content: "{}"}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member := members[name]
		switch form {
		case "mistyped":
			members[name] = []any{member, 1}
		case "lacking":
			delete(members, name)
			return Reply{Content: string(fakeserver.EncodeJSON(members))}
		case "extra":
			members["administrator"] = true
		case "copied":
			members[name] = grown(member)
		}
	}
	return Reply{Content: string(fakeserver.EncodeJSON(members))}
}

// grown makes every text of a value as long as no entry may be.
func grown(v any) any {
	switch v := v.(type) {
	case string:
		return strings.Repeat(v+" and so on and so forth, ", 1+9000/(len(v)+25))
	case []any:
		for i := range v {
			v[i] = grown(v[i])
		}
	case map[string]any:
		for key := range v {
			if key != "category" && key != "section" && key != "verdict" && key != "grade" {
				v[key] = grown(v[key])
			}
		}
	}
	return v
}

func firstTool(req *view.Request) string {
	for tool := range req.Field("tools").Elements() {
		return tool.Get("function").Get("name").Text()
	}
	return "look_up"
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
