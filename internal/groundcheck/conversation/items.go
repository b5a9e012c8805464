package conversation

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// itemsIn reads such a result, nil if it is another.
func itemsIn(text string) (items []resultItem) {
	if strings.HasPrefix(text, `{"query":`) {
		text = "[" + text + "]"
	}
	if !strings.HasPrefix(text, `[{"query":`) || json.Unmarshal([]byte(text), &items) != nil {
		return nil
	}
	for _, i := range items {
		if i.Query == nil || i.Success == nil || i.Result == nil {
			return nil
		}
	}
	return items
}

// text returns what the thing brought about.
func (i resultItem) text() (text string) {
	if json.Unmarshal(i.Result, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(i.Result, &parts) // a result of another form has no text
	for _, p := range parts {
		text += p.Text + "\n"
	}
	return text
}

// tasks returns the calls that stand for one of several files that a call reads, or for one of
// several commands that it runs; nil if its result does not state how each ended.
func (c *Call) tasks() (list []*Call) {
	if c.Tool != "read_files" && c.Tool != "run_commands" {
		return nil
	}
	items := itemsIn(strings.TrimSpace(c.Result.Text()))
	var named map[string][]json.RawMessage
	var given []json.RawMessage
	if json.Unmarshal([]byte(c.raw), &named) == nil && len(named) == 1 {
		for _, given = range named {
		}
	} else if json.Unmarshal([]byte(c.raw), &given) != nil {
		return nil
	}
	if n := len(items); n != len(given) || n < 2 || n > 100 {
		return nil
	}
	before, _, _ := strings.Cut(c.raw, "[")
	after := c.raw[strings.LastIndex(c.raw, "]"):]
	for i, one := range given {
		k := &Call{Caller: c.Caller, ID: c.ID + "\x00" + strconv.Itoa(i), Tool: c.Tool,
			raw: before + "[" + string(one) + after, Result: c.Result, Item: &items[i]}
		k.Args = readArguments(k.raw)
		asked := *k.Item.Query
		if k.Runs() && k.Command() != strings.TrimSpace(asked) ||
			!k.Runs() && !slices.ContainsFunc(k.Args, func(a Argument) bool {
				return a.Word && (asked == a.Text || strings.HasPrefix(asked, a.Text+":"))
			}) {
			return nil
		}
		list = append(list, k)
	}
	return list
}

// endedItems reads how a call ended by its parts: of commands one failure counts, of other things
// only the failure of all.
func (c *Call) endedItems(items []resultItem) (o Outcome) {
	failed := 0
	for _, i := range items {
		if *i.Success {
			continue
		}
		failed++
		first, _, _ := strings.Cut(i.text(), "\n")
		if code, ok := stated(exitBefore, first); ok {
			o.Exit, o.Stated = code, true
		}
	}
	runs := c.Command() != ""
	o.Failed = failed > 0 && (runs || failed == len(items))
	if !o.Failed || !runs {
		o.Exit, o.Stated = 0, false
	}
	return o
}

// itemsOutput returns what the parts printed, those that failed last.
func itemsOutput(items []resultItem) string {
	var b strings.Builder
	var ordered []resultItem
	for _, success := range []bool{true, false} {
		for _, i := range items {
			if *i.Success == success {
				ordered = append(ordered, i)
			}
		}
	}
	for _, i := range ordered {
		text := i.text()
		if first, rest, _ := strings.Cut(text, "\n"); exitBefore.MatchString(first) {
			text = rest
		}
		if strings.TrimSpace(text) == "" {
			text = i.Error
		}
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	return b.String()
}

var memberLine = regexp.MustCompile(
	`^(?:Exit Code|Signal|Background PIDs|Process Group PGID): `)

// listedOutput returns the lines of the member "Output" where a result lists members, nil if it
// does not.
func listedOutput(lines []string) []string {
	if !strings.HasPrefix(lines[0], "Command: ") && !strings.HasPrefix(lines[0], "Output: ") {
		return nil
	}
	for i, l := range lines {
		first, is := strings.CutPrefix(l, "Output: ")
		if !is {
			continue
		}
		end := len(lines)
		for end > i+1 && memberLine.MatchString(lines[end-1]) {
			end--
		}
		if end > i+1 && i > 0 && strings.HasPrefix(lines[end-1], "Error: ") {
			end-- // a list that begins with the command always has this member
		}
		return append([]string{first}, lines[i+1:end]...)
	}
	return nil
}
