package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/transcript/partial"
	"killick/view"
)

// NewCall reads a call that message caller makes. If it runs a script that only makes one other
// call, it is read as that call.
func NewCall(made view.ToolCall, caller int) Call {
	name, raw := forwarded(made.Name, made.Text())
	c := readCall(name, raw, caller)
	c.readScript()
	c.ByProgram = made.ByProgram
	return c
}

// forwarded returns the call that a call of qwen-code's (0.24.4) "tool_call" forwards, which is all
// that it does: {"name": "…", "arguments": {…}} names another tool. Any other call is returned as
// it is.
func forwarded(name, raw string) (tool, arguments string) {
	if name != "tool_call" {
		return name, raw
	}
	object := rawjson.Value(strings.TrimSpace(raw))
	if !json.Valid(object) || object.Kind() != rawjson.Object {
		return name, raw
	}
	for member := range object.Members() {
		if text := member.Text(); text != "name" && text != "arguments" {
			return name, raw
		}
	}
	to, with := object.Get("name"), object.Get("arguments")
	if to.Kind() != rawjson.String || to.Text() == "" || with.Kind() != rawjson.Object {
		return name, raw
	}
	return to.Text(), string(with)
}

func readCall(name, raw string, caller int) Call {
	c := Call{Name: name, tool: toolName(name), Raw: raw, Caller: caller, Result: -1, Exit: -1}
	c.Args = readArguments(c.Raw)
	c.Command = c.command()
	if c.readEffect(); c.Effect == Runs {
		c.commanded = new(commanded)
	}
	return c
}

// answer records the result of the call, message i, whose text decode returns.
func (c *Call) answer(m *view.Message, i int, decode func() string) {
	c.Result = i
	if c.answerScript(m, i) {
		return
	}
	c.readStatus(m, decode)
	c.readEnd(m, decode)
	c.readItems(m)
	c.Stub = partial.IsStub(m)
}

// withHosted returns calls that the provider ran, with those of message i and the results that it
// has of earlier ones.
func withHosted(calls []Call, m *view.Message, i int) []Call {
	for _, made := range m.HostedCalls() {
		if made.Name == "" {
			last := len(calls) - 1
			for last >= 0 && (calls[last].hostedID != made.ID || calls[last].Result >= 0) {
				last--
			}
			if last >= 0 {
				calls[last].answerHosted(made.Result, i)
			}
			continue
		}
		c := newHosted(&made, i)
		if made.Result != nil {
			c.answerHosted(made.Result, i)
		}
		calls = append(calls, c)
	}
	return calls
}

// newHosted reads a call in message i. What it does with files, it does at the provider.
func newHosted(made *view.HostedCall, i int) Call {
	c := readCall(made.Name, (&view.ToolCall{Arguments: made.Arguments}).Text(), i)
	c.Hosted, c.hostedID, c.part = true, made.ID, -1
	c.Effect, c.Paths = Other, nil
	if made.Runs {
		c.Effect = Runs
	}
	return c
}

func (c *Call) answerHosted(r *view.HostedResult, i int) {
	c.Result, c.ran, c.Exit = i, r, r.Exit
	switch {
	case r.Failed:
		c.Status = Failed
	case r.Exit == 0:
		c.Status = OK
	}
}

// Hosted returns the calls in messages [from, to) that the provider ran, in order. A range that
// begins or ends within a group may lack results.
func (t *Transcript) Hosted(from, to int) (calls []Call) {
	for i := from; i < to; i++ {
		calls = withHosted(calls, &t.Messages[i], i)
	}
	return calls
}

// WithHosted returns calls made in messages [from, to), which are in order, with those that the
// provider ran. A turn ends with the client's calls, so those of the provider precede them.
func (t *Transcript) WithHosted(calls []Call, from, to int) []Call {
	hosted := t.Hosted(from, to)
	if len(hosted) == 0 {
		return calls
	}
	all := slices.Concat(hosted, calls)
	slices.SortStableFunc(all, func(a, b Call) int { return a.Caller - b.Caller })
	return all
}

// endBytes is how much of a long result is decoded at each end.
const endBytes = 2000

// headOf returns the beginning of the first text of a result.
func headOf(m *view.Message) string {
	for part := range m.Parts() {
		head, _ := rawjson.CutEscaped(part.Text.StringBody(), endBytes)
		return unescaped(head)
	}
	return ""
}

// ends returns the beginning and the end of a result, without decoding the text between them. The
// tail begins at the start of a line.
func ends(m *view.Message, decode func() string) (head, tail string) {
	body := m.Content().StringBody()
	if len(body) <= 2*endBytes {
		text := strings.TrimSpace(decode())
		return text, text
	}
	first, _ := rawjson.CutEscaped(body[:endBytes+12], endBytes)
	last := body[len(body)-endBytes:]
	// After a space, no escape sequence is incomplete.
	if i := bytes.IndexByte(last, ' '); i >= 0 {
		_, tail, _ = strings.Cut(unescaped(last[i:]), "\n")
	}
	return strings.TrimLeft(unescaped(first), " \t\r\n"), strings.TrimSpace(tail)
}

func unescaped(body []byte) string {
	return string(rawjson.AppendUnescaped(make([]byte, 0, len(body)), body, rawjson.ReplaceLone))
}

// between reads s as a number enclosed by two texts.
func between(s, before, after string) (n int, ok bool) {
	s, found := strings.CutPrefix(s, before)
	if !found {
		return 0, false
	}
	if s, found = strings.CutSuffix(s, after); !found {
		return 0, false
	}
	return number(s)
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil
}
