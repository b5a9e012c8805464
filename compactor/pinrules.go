package compactor

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"killick/chat"
)

// What an operator pins survives every compaction word for word: it is neither
// masked nor shortened on arrival, and where its turn is folded, the record tells
// it.
const (
	mostPinned = 50  // messages that records keep for the operator's pins, the newest first
	longestPin = 500 // bytes of one pattern
)

// pinRule says which messages are pinned.
type pinRule struct {
	tool    string         // outputs of tools of this name or pattern
	text    *regexp.Regexp // messages that this matches
	literal string         // messages that hold this
}

// pinRules are an operator's pins.
type pinRules []pinRule

// CheckPin tells what is wrong with a pattern of Policy.Pin.
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
		return pinRule{tool: name}, nil
	}
	if expression, ok := strings.CutPrefix(pattern, "re:"); ok {
		text, err := regexp.Compile(expression)
		if err != nil || expression == "" {
			return pinRule{}, errors.New("is no regular expression (RE2); try re:^IMPORTANT: or the text alone")
		}
		return pinRule{text: text}, nil
	}
	return pinRule{literal: pattern}, nil
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

// hold tells whether a message is pinned; tool is whose output it is, "" if
// nobody's.
func (r pinRules) hold(m *chat.Message, tool string) bool {
	if len(r) == 0 || m.Role().Instructs() {
		return false // instructions are kept in any case
	}
	text, read := "", false
	for i := range r {
		rule := &r[i]
		if rule.tool != "" {
			if tool != "" && matchesTool(rule.tool, tool) {
				return true
			}
			continue
		}
		if !read {
			text, read = m.Text(), true
		}
		if rule.text != nil && rule.text.MatchString(text) || rule.literal != "" && strings.Contains(text, rule.literal) {
			return true
		}
	}
	return false
}

func matchesTool(pattern, tool string) bool {
	ok, err := path.Match(pattern, tool)
	return ok && err == nil || pattern == tool
}

// keepPinned adds the messages that the operator's pins hold to those that the
// record keeps. What is told already is not told twice; of too many the oldest
// leave.
func (p *Pins) keepPinned(msgs []chat.Message, mk pinner) {
	if len(mk.rules) == 0 {
		return
	}
	p.Kept = append([]Pin(nil), p.Kept...)
	for i := range msgs {
		m, tool, of := &msgs[i], "", string(msgs[i].Role())
		if c := mk.call(i); c != nil {
			tool, of = c.name, c.describe(100)
		}
		if mk.rules.hold(m, tool) && !isRecord(m.Text()) {
			pin := mk.pin(m)
			pin.Of = of
			p.Kept = append(without(p.Kept, func(k Pin) bool { return string(k.Body) == string(pin.Body) }), pin)
		}
	}
	tokens, from := 0, len(p.Kept)
	for from > 0 && len(p.Kept)-from < mostPinned {
		if tokens += mk.count(p.Kept[from-1].text()); tokens > 4*mk.maxTokens {
			break
		}
		from--
	}
	p.Kept = p.Kept[from:]
}

// appendKept appends what the operator pinned, each with what it is of.
func (p *Pins) appendKept(text []byte) []byte {
	for i := range p.Kept {
		k := &p.Kept[i]
		told := false
		for _, pin := range []*Pin{&p.Opening, &p.Task, &p.Before, &p.Latest, &p.Note} {
			told = told || string(pin.Body) == string(k.Body)
		}
		if told || k.empty() {
			continue
		}
		text = chat.AppendEscaped(text, "\nPinned, of "+k.Of+":")
		text = k.appendBlock(text, "pinned")
	}
	return text
}
