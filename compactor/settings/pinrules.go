package settings

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"killick/transcript/speech"
	"killick/view"
)

// Pinned text is kept verbatim in every compaction. A pattern selects messages in which a person
// typed it. With the prefix "tool:" it selects the outputs of a tool by name, with "role:" the
// messages of a role. Documents and blocks that the client puts into a person's message do not
// count as typed.

// maxPinPattern is the longest pattern, in bytes.
const maxPinPattern = 500

// pinRule selects the messages that have the role and, if set, the tool, the match or the text.
type pinRule struct {
	role    speech.Speaker
	tool    string         // name or pattern of a tool, if role is Tool
	text    *regexp.Regexp // matches a part of the text
	literal string         // is a part of the text
}

// PinRules are an operator's pins.
type PinRules []pinRule

// CheckPin returns what is wrong with a pattern of Policy.Pin, nil if it is valid.
func CheckPin(pattern string) error {
	_, err := newPinRule(pattern)
	return err
}

// newPinRule parses a pattern.
func newPinRule(pattern string) (pinRule, error) {
	if strings.TrimSpace(pattern) == "" {
		return pinRule{}, errors.New(
			"is empty; write a text, re: with an expression, or tool: with a name")
	}
	if len(pattern) > maxPinPattern {
		return pinRule{}, fmt.Errorf("has %d bytes, at most %d are allowed",
			len(pattern), maxPinPattern)
	}
	if name, ok := strings.CutPrefix(pattern, "tool:"); ok {
		if _, err := path.Match(name, ""); err != nil || name == "" {
			return pinRule{}, errors.New("names no tool; write tool:get_policy or tool:mcp_*")
		}
		return pinRule{role: speech.Tool, tool: name}, nil
	}
	role := speech.Person
	if rest, ok := strings.CutPrefix(pattern, "role:"); ok {
		name, text, _ := strings.Cut(rest, ":")
		switch role = speech.Speaker(name); role {
		case speech.Person, speech.Assistant, speech.Tool:
		default:
			return pinRule{}, errors.New("names no role; write role:user:, role:assistant: or " +
				"role:tool: and then a text or re: with an expression")
		}
		if pattern = text; strings.TrimSpace(pattern) == "" {
			return pinRule{}, errors.New(
				"names a role and no text; write role:assistant:TEXT or role:tool:re:EXPRESSION")
		}
	}
	if expression, ok := strings.CutPrefix(pattern, "re:"); ok {
		text, err := regexp.Compile(expression)
		if err != nil || expression == "" {
			return pinRule{}, errors.New(
				"is no regular expression (RE2); try re:^IMPORTANT: or the text alone")
		}
		return pinRule{role: role, text: text}, nil
	}
	return pinRule{role: role, literal: pattern}, nil
}

// newPinRules parses patterns. It leaves out those that CheckPin rejects.
func newPinRules(patterns []string) (rules PinRules) {
	for _, pattern := range patterns {
		if rule, err := newPinRule(pattern); err == nil {
			rules = append(rules, rule)
		}
	}
	return rules
}

// OfPerson reports whether words that a person typed are pinned.
func (r PinRules) OfPerson(words string) bool {
	for i := range r {
		if r[i].role == speech.Person && r[i].holds(words) {
			return true
		}
	}
	return false
}

// OfOutput reports whether the output of a tool is pinned.
func (r PinRules) OfOutput(m *view.Message, tool string) bool {
	for i := range r {
		if r[i].role != speech.Tool {
			continue
		}
		if r[i].tool != "" {
			if tool != "" && matches(r[i].tool, tool) {
				return true
			}
		} else if r[i].holds(m.Text()) {
			return true
		}
	}
	return false
}

// OfAssistant reports whether a message of the assistant is pinned.
func (r PinRules) OfAssistant(m *view.Message) bool {
	for i := range r {
		if r[i].role == speech.Assistant && r[i].holds(m.Text()) {
			return true
		}
	}
	return false
}

// holds reports whether a text has what the rule selects.
func (r *pinRule) holds(text string) bool {
	return r.text != nil && r.text.MatchString(text) ||
		r.literal != "" && strings.Contains(text, r.literal)
}
