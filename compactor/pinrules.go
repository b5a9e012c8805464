package compactor

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"killick/chat"
	"killick/summary"
	"killick/transcript"
)

// What an operator pins survives every compaction word for word. A pattern holds the
// words that persons typed; with "tool:" before a name it holds the outputs of that
// tool, with "role:" before a role what that role said. Documents and blocks of the
// client in a person's message are nobody's words.
const longestPin = 500 // bytes of one pattern

// pinRule says which messages are pinned.
type pinRule struct {
	role    transcript.Speaker // whose messages
	tool    string             // outputs of tools of this name or pattern, if role is a tool's
	text    *regexp.Regexp     // that this matches
	literal string             // that hold this
}

// pinRules are an operator's pins.
type pinRules []pinRule

// CheckPin reports what is wrong with a pattern of Policy.Pin.
func CheckPin(pattern string) error {
	_, err := newPinRule(pattern)
	return err
}

func newPinRule(pattern string) (pinRule, error) {
	if strings.TrimSpace(pattern) == "" {
		return pinRule{}, errors.New("is empty; write a text, re: with an expression, or tool: with a name")
	}
	if len(pattern) > longestPin {
		return pinRule{}, fmt.Errorf("has %d bytes, at most %d are allowed", len(pattern), longestPin)
	}
	if name, ok := strings.CutPrefix(pattern, "tool:"); ok {
		if _, err := path.Match(name, ""); err != nil || name == "" {
			return pinRule{}, errors.New("names no tool; write tool:get_policy or tool:mcp_*")
		}
		return pinRule{role: transcript.Tool, tool: name}, nil
	}
	role := transcript.Person
	if rest, ok := strings.CutPrefix(pattern, "role:"); ok {
		name, text, _ := strings.Cut(rest, ":")
		switch role = transcript.Speaker(name); role {
		case transcript.Person, transcript.Assistant, transcript.Tool:
		default:
			return pinRule{}, errors.New("names no role; write role:user:, role:assistant: or role:tool: and then a text or re: with an expression")
		}
		if pattern = text; strings.TrimSpace(pattern) == "" {
			return pinRule{}, errors.New("names a role and no text; write role:assistant:TEXT or role:tool:re:EXPRESSION")
		}
	}
	if expression, ok := strings.CutPrefix(pattern, "re:"); ok {
		text, err := regexp.Compile(expression)
		if err != nil || expression == "" {
			return pinRule{}, errors.New("is no regular expression (RE2); try re:^IMPORTANT: or the text alone")
		}
		return pinRule{role: role, text: text}, nil
	}
	return pinRule{role: role, literal: pattern}, nil
}

// newPinRules leaves out what CheckPin would refuse.
func newPinRules(patterns []string) (rules pinRules) {
	for _, pattern := range patterns {
		if rule, err := newPinRule(pattern); err == nil {
			rules = append(rules, rule)
		}
	}
	return rules
}

// ofPerson reports whether words that a person typed are pinned.
func (r pinRules) ofPerson(words string) bool {
	for i := range r {
		if r[i].role == transcript.Person && r[i].matches(words) {
			return true
		}
	}
	return false
}

// ofOutput reports whether the output of a tool is pinned.
func (r pinRules) ofOutput(m *chat.Message, tool string) bool {
	for i := range r {
		if r[i].role != transcript.Tool {
			continue
		}
		if r[i].tool != "" {
			if tool != "" && matchesTool(r[i].tool, tool) {
				return true
			}
		} else if r[i].matches(m.Text()) {
			return true
		}
	}
	return false
}

// ofAssistant reports whether what the assistant said is pinned.
func (r pinRules) ofAssistant(m *chat.Message) bool {
	for i := range r {
		if r[i].role == transcript.Assistant && r[i].matches(m.Text()) {
			return true
		}
	}
	return false
}

func (r *pinRule) matches(text string) bool {
	return r.text != nil && r.text.MatchString(text) || r.literal != "" && strings.Contains(text, r.literal)
}

func matchesTool(pattern, tool string) bool {
	ok, err := path.Match(pattern, tool)
	return ok && err == nil || pattern == tool
}

// quotesOf returns what the operator's pins hold of the messages [from, to) beside
// persons' own, to be quoted by a record behind those that stand in it already. With
// errPins they take more than there is room for.
func (k *keeper) quotesOf(from, to int, known []summary.Pinned) ([]summary.Pinned, error) {
	pinned := slices.Clone(known)
	if len(k.policy.pins) == 0 {
		return pinned, nil
	}
	for i := from; i < to; i++ {
		m, of := &k.t.Messages[i], ""
		switch role := m.Role(); {
		case role == chat.Assistant && k.policy.pins.ofAssistant(m):
			of = string(transcript.Assistant)
		case role.Result():
			name := ""
			if c := k.t.Answered(i); c >= 0 {
				name, of = k.t.Calls[c].Name, summary.Describe(&k.t.Calls[c], 100)
			}
			if !k.policy.pins.ofOutput(m, name) {
				continue
			}
			of = cmp.Or(of, string(transcript.Tool))
		}
		text := m.Text()
		if of == "" || slices.ContainsFunc(pinned, func(p summary.Pinned) bool { return p.Text == text }) {
			continue
		}
		pinned = append(pinned, summary.Pinned{At: i + 1, Of: of, Text: k.policy.redactPins().of(text)})
	}
	bytes := 0
	for i := range pinned {
		bytes += shownBytes(pinned[i].Text)
	}
	if len(pinned) > mostPinned || bytes > k.policy.SummaryChars/2 {
		return nil, errPins
	}
	return pinned, nil
}

// shownBytes is the most that a record takes to show a pinned text: each of its lines
// stands behind a mark, all of them below a heading.
func shownBytes(text string) int {
	const heading, mark = 200, 4
	n := heading + mark + len(text)
	for _, r := range text {
		if r < ' ' || r == 0x85 || r == 0x2028 || r == 0x2029 {
			n += mark
		}
	}
	return n
}
