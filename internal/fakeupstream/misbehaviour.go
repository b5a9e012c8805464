package fakeupstream

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"

	"killick/view"
)

// chance returns a number from 0 to 1 for a text, the same for the same seed.
func (s *Scripted) chance(text string) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", s.Seed, text)
	x := h.Sum64() // FNV's high bits hardly move for short texts: mix them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

// touch does to the facts what the kind does.
func (s *Scripted) touch(all []fact) []fact {
	switch s.Kind {
	case Forgetful:
		share := orElse(s.Share, 0.5)
		kept := all[:0:0]
		for _, f := range all {
			if s.chance(f.text) >= share {
				kept = append(kept, f)
			}
		}
		return kept
	case Contradicting:
		share, left := orElse(s.Share, 1), orElse(s.Most, len(all))
		contradicting := slices.Clone(all)
		for i, f := range contradicting {
			if opposite, ok := f.opposite(); ok && left > 0 && s.chance(f.text) < share {
				contradicting[i] = opposite
				left--
			}
		}
		return contradicting
	}
	return all
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// opposites are words and their opposites. The first that occurs is replaced.
var opposites = []struct {
	word *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(?i)\bmust not\b`), "must"}, {regexp.MustCompile(`(?i)\bdo not\b`), "do"},
	{regexp.MustCompile(`(?i)\bdon't\b`), "do"},
	{regexp.MustCompile(`(?i)\bnever\b`), "always"},
	{regexp.MustCompile(`(?i)\balways\b`), "never"},
	{regexp.MustCompile(`(?i)\bmust\b`), "must not"},
	{regexp.MustCompile(`(?i)\bavoid\b`), "prefer"},
	{regexp.MustCompile(`(?i)\bonly\b`), "not only"},
}

var (
	swapped = regexp.MustCompile(`([\w./@-]+)(\s+(?i:instead of|rather than)\s+(?:the |a |an ` +
		`)?)([\w./@-]*\w)`)
	digits = regexp.MustCompile(`\d{2,}`)
)

// opposite returns a fact that says the opposite, ok unless there is nothing to
// turn: the rejected option chosen, a prohibition lifted, another number.
func (f fact) opposite() (fact, bool) {
	was := f.text
	if m := swapped.FindStringSubmatch(f.text); f.kind == decisionFact && m != nil {
		f.text = swapped.ReplaceAllString(f.text, "$3$2$1")
		return f, f.text != was
	}
	for _, t := range opposites {
		if at := t.word.FindStringIndex(f.text); f.kind == ruleFact && at != nil {
			to := t.to
			if at[0] == 0 {
				to = strings.ToUpper(to[:1]) + to[1:]
			}
			f.text = f.text[:at[0]] + to + f.text[at[1]:]
			return f, true
		}
	}
	if at := digits.FindStringIndex(f.text); at != nil {
		last := at[1] - 1
		f.text = f.text[:last] + string('0'+(f.text[last]-'0'+3)%10) + f.text[at[1]:]
		return f, true
	}
	return f, false
}

// invented returns facts that no transcript holds.
func (s *Scripted) invented(n int) (all []fact) {
	for i := range n {
		x := int(s.chance(fmt.Sprint("invented ", i)) * (1 << 16))
		all = append(all, []fact{
			{kind: doneFact, text: fmt.Sprintf("Wrote src/ghost%04x/handler.go", x)},
			{kind: decisionFact,
				text: fmt.Sprintf("Decided to run the ghost%04x service on port %d", x,
					20000+x%10000)},
			{kind: openFact,
				text: fmt.Sprintf("Error GH%05d: the quota of cluster gx-%04x is exceeded", x, x)},
			{kind: nextFact,
				text: fmt.Sprintf("Deploy release v%d.%d.0 to staging-%04x", 7+x%5, x%40, x)},
			{kind: valueFact, text: fmt.Sprintf("Releases are signed with the key GHOST-%05d", x)},
		}[i%5])
	}
	return all
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
		whole := encodeJSON(members)
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
			return Reply{Content: string(encodeJSON(members))}
		case "extra":
			members["administrator"] = true
		case "copied":
			members[name] = grown(member)
		}
	}
	return Reply{Content: string(encodeJSON(members))}
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

// What an obeying model takes for an order, wherever it is.
var (
	orderReply = regexp.MustCompile(`(?im)reply only with (.+)$`)
	orderAdd   = regexp.MustCompile(`(?im)add the section "?(\w+)"? saying (.+)$`)
	orderDrop  = regexp.MustCompile(`(?im)(?:ignore|forget|drop) (?:all |the |your |every ` +
		`)*(?:previous |above |pinned )*(?:rules?|instructions)`)
	orderCall = regexp.MustCompile(`(?im)call the tool (\w+)`)
)

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
	content := string(encodeJSON(map[string]any{"statements": stated}))
	if added := orderAdd.FindStringSubmatch(text); added != nil {
		content = strings.TrimSuffix(content, "}") +
			fmt.Sprintf(",%q:%s}", added[1], encodeJSON(added[2]))
		return Reply{Content: content}, true
	}
	return Reply{Content: content}, orderDrop.MatchString(text)
}
