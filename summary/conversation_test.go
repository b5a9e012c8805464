package summary

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/rawjson"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// say returns a message of a role.
func say(role view.Role, text string) string {
	return `{"role":"` + string(role) + `","content":` +
		string(rawjson.AppendQuoted(nil, text)) + `}`
}

func user(text string) string { return say(view.User, text) }

func assistant(text string) string { return say(view.Assistant, text) }

// call returns a call with its arguments as JSON, and its result.
func call(name, args, result string) []string {
	return []string{
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",` +
			`"function":{"name":` + string(rawjson.AppendQuoted(nil, name)) +
			`,"arguments":` + string(rawjson.AppendQuoted(nil, args)) + `}}]}`,
		`{"role":"tool","tool_call_id":"c","content":` + string(rawjson.AppendQuoted(nil, result)) +
			`}`,
	}
}

// run returns a command with its exit code and output.
func run(command, exit, printed string) []string {
	return call("Bash", `{"command":`+string(rawjson.AppendQuoted(nil, command))+`}`,
		"Exit code "+exit+"\n"+printed)
}

// talk joins messages to a conversation.
func talk(parts ...any) (msgs []string) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			msgs = append(msgs, p)
		case []string:
			msgs = append(msgs, p...)
		}
	}
	return msgs
}

// sourceOf returns a conversation to be summarized.
func sourceOf(t testing.TB, msgs []string) *quotes.Source {
	t.Helper()
	req, err := chat.Parse([]byte(`{"model":"m","messages":[` + strings.Join(msgs, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return &quotes.Source{Transcript: transcript.ReadAll(req.Messages())}
}

// summarized folds a conversation at the given messages and at its end, as the compactor does.
func summarized(t testing.TB, msgs []string, folds ...int) *Summary {
	t.Helper()
	src := sourceOf(t, msgs)
	sum, from := Summary{}, 0
	for _, to := range append(folds, len(msgs)) {
		var calls []transcript.Call
		for _, c := range src.CallsBefore(to) {
			if c.Caller >= from {
				calls = append(calls, c)
			}
		}
		newer := Read(src, calls, from, to, &sum)
		for i := from; i < to && sum.Task == 0 && newer.Task == 0; i++ {
			if src.Message(i).Speaker == speech.Person {
				newer.Task = i + 1
			}
		}
		sum = Merge(sum, newer)
		from = to
	}
	sum.FillWords(src, 0, len(msgs), nil)
	return &sum
}

// wide is room for everything.
var wide = Room{Summary: 12_000, All: 16_000}

// linesUnder returns the lines below a heading of a record, nil if it has none.
func linesUnder(record, title string) (lines []string) {
	_, rest, ok := strings.Cut(record, "\n## "+title+"\n")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
}
