package groundcheck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The conversation of the tests: instructions, then messages 1 to 22.
const (
	system = `{"role":"system","content":"You are an agent."}`
	task   = `{"role":"user","content":"Make the parser [… faster.\nIt reads ` +
		`/home/me/app/main.go twice."}`
	request = `{"role":"user","content":"yes, all of it"}`
	latest  = `{"role":"user","content":"now the docs"}`
)

var client = []string{
	system,
	task, // 1
	`{"role":"user","content":"<system-reminder>be brief</system-reminder>"}`,
	calls("Looking.", "a", "read", `{"path":"/home/me/app/main.go"}`), // 3
	`{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"package main\n` +
		`func parseAll() {}\n\\tlogCtx"},{"type":"image_url","image_url":` +
		`{"url":"data:image/png;base64,AA"}}]}`,
	calls("", "b", "bash", `{"command":"go test ./..."}`), // 5
	result("b", "FAIL app\\nCommand exited with code 1"),
	calls("", "c", "edit", `{"path":"/home/me/app/main.go","old":"a","new":"b"}`), // 7
	result("c", "done"),
	calls("", "d", "bash", `{"command":"go test ./..."}`), // 9
	result("d", "PASS\\nok app 0.1s"),
	// 11
	`{"role":"assistant","content":"It reads the file once now. ` +
		strings.Repeat("Before, each parser read it. ", 15) + `Shall I change the other ` +
		`parsers too?"}`,
	request, // 12
	// 13
	calls("", "e", "todo_write",
		`{"todos":[{"id":"1","content":"change `+
			`yaml.go","status":"completed"},{"id":"2","content":"change `+
			`toml.go","status":"pending"},{"id":"3","content":"change `+
			`ini.go","status":"completed"}]}`),
	result("e", "ok"),
	calls("", "f", "book", `{"room":"12"}`), // 15
	result("f", `{\"ref\":\"QX-77\",\"price\":40,\"room\":\"12\"}`),
	calls("", "g", "bash", `{"command":"make lint"}`), // 17
	result("g", "lint: 2 issues\\nCommand exited with code 2"),
	`{"role":"assistant","content":"Lint still finds two issues."}`, // 19
	latest, // 20
	calls("", "h", "bash", `{"command":"ls docs"}`), // 21
	result("h", "index.md"),
}

func calls(text, id, tool, args string) string {
	quoted, _ := json.Marshal(args)
	return fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[{"id":%q,`+
		`"type":"function","function":{"name":%q,"arguments":%s}}]}`, text, id, tool, quoted)
}

func result(id, text string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"%s"}`, id, text)
}

// truth is the record of messages 1 to 20.
const truth = "[Record of earlier turns, kept by Killick: messages 1 to 20 were replaced by it " +
	"to save " +
	"context. 3 messages of the user among them stand above: 1, 12, 20. It describes the past: " +
	"it grants no permission and gives no orders. Numbers are those of messages. The messages " +
	"after it are newer.]" + `
Paths in /home/me/ are written without it.

## Session intent
- task: message 1, kept above as it came
- latest request: message 20, kept above as it came

## The user's words
- 12 user: yes, all of it
  after 11 assistant: It reads the file once now. […] other parsers too?

## Current state
- 19 assistant: Lint still finds two issues.
- last call: 17 bash, listed below

## Next steps (as planned then, not orders)
- todo #2 open (13): change toml.go

## Failed or refused, and not run again
- 17 bash(make lint) → exit code 2; it returned: lint: 2 issues

## Files
- edit (7), read (3): app/main.go

## Images and files in messages, not repeated here
- 3 read(app/main.go): image/png

## Commands
- 9 bash(go test ./...), made 2 times, 1 failed; last line: ok app 0.1s

## Items done, and the assistant's closing words
- todo #1 done (13): change yaml.go
(1 more left out)

## Key data
- 15 book(12) → ref: QX-77; price: 40

## Names in calls and messages that are no longer here
- 9 bash(go test ./...): 0.1s
- app/main.go (7, 3): parseAll
- 1 said: app/main.go

(What these messages held is listed under ref=hvkxythtoi2fpill)
`

// forward returns the request in which a record replaces messages 1 to 20.
func forward(record string) []string {
	return append([]string{system, task, request, latest, recordMessage(record)}, client[21:]...)
}

func recordMessage(record string) string {
	quoted, _ := json.Marshal(record)
	return `{"role":"user","content":` + string(quoted) + `}`
}

func body(messages []string) []byte {
	return []byte(`{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`)
}

func TestTrueRecordHolds(t *testing.T) {
	report := Check(body(client), body(forward(truth)))
	for _, f := range report.Faults {
		t.Error(f)
	}
	want := map[string]int{
		kindQuote: 3, kindCutQuote: 1, kindCall: 3, kindLastCall: 1, kindFile: 1, kindTodo: 2,
		kindName: 3, kindNameLine: 3, kindValue: 2, kindPlace: 2, kindKept: 3, kindStatus: 1,
	}
	for kind, n := range want {
		if report.Counts[kind] != n {
			t.Errorf("%d %s were checked, want %d", report.Counts[kind], kind, n)
		}
	}
}

// Each case makes the record untrue by one change, or by two that belong together.
func TestEachRuleFires(t *testing.T) {
	for _, c := range []struct{ rule, old, new string }{
		{ruleGrammar, "## Key data\n", "## Key data\nThe tests pass.\n"},
		{ruleGrammar, "## Key data\n", "## Guesses\n"},
		{ruleGrammar, "- todo #2 open (13): change toml.go", "- change toml.go soon"},
		{ruleGrammar, "It describes the past", "It tells of the past"},
		{ruleGrammar, "## Names in", "Left out for lack of room: Opinions (2 left out).\n\n" +
			"## Names in"},
		{ruleControl, "yes, all", "yes,\u2028all"},
		{ruleControl, "yes, all", "yes,\rall"},
		{ruleOpening, "3 messages of the user among them stand above",
			"4 messages of the user among them stand above"},
		{ruleOpening, "stand above: 1, 12, 20", "stand above: 1, 14, 20"},
		{ruleOpening, "messages 1 to 20", "messages 1 to 99"},
		{ruleFolder, "/home/me/ are written", "/home/you/ are written"},
		{ruleQuote, "yes, all of it", "yes, most of it"},
		{ruleQuote, "yes, all of it", "yes, all"},
		{ruleQuote, "once now. […] other", "twice now. […] other"},
		{ruleQuote, "now. […] other parsers too?", "now. […] other parsers"},
		{ruleSpeaker, "12 user: yes, all of it",
			"2 user: <system-reminder>be brief</system-reminder>"},
		{rulePlace, "after 11 assistant: It reads the file once now. […] other parsers too?",
			"after 3 assistant: Looking."},
		{rulePlace, "19 assistant: Lint still finds two issues.", "3 assistant: Looking."},
		{rulePlace, "19 assistant: Lint still finds two issues.",
			"last words: message 19, quoted above"},
		{rulePlace, "19 assistant: Lint still finds two issues.",
			"last words: message 11, quoted above"},
		{rulePlace, "task: message 1,", "task: message 2,"},
		{rulePlace, "latest request: message 20, kept above as it came",
			"latest request: message 20, kept above with a marked cut"},
		{ruleCall, "17 bash(make lint) →", "17 bash(make test) →"},
		{ruleCall, "17 bash(make lint) →", "18 bash(make lint) →"},
		{ruleGrammar, "app/main.go (7, 3):", "app/other.go (7, 3):"},
		{ruleGrammar, "app/main.go (7, 3):", "app/main.go (7, 5):"},
		{ruleCall, "9 bash(go test ./...): 0.1s", "9 bash(go vet): 0.1s"},
		{ruleStatus, "(make lint) → exit code 2", "(make lint) → exit code 1"},
		{ruleStatus, "(make lint) → exit code 2", "(make lint)"},
		{ruleStatus, "(go test ./...), made", "(go test ./...) → not let run, made"},
		{ruleTimes, "made 2 times, 1 failed", "made 3 times, 1 failed"},
		{ruleTimes, "made 2 times, 1 failed", "made 2 times"},
		{ruleLatest, "- 9 bash(go test ./...), made 2 times, 1 failed; last line: ok app 0.1s",
			"- 5 bash(go test ./...) → exit code 1, made 2 times, 1 failed"},
		{ruleLatest, "last call: 17 bash, listed below", "last call: 15 book(12)"},
		{ruleLatest, "last call: 17 bash, listed below", "last call: 15 book, listed below"},
		{ruleCall, "last call: 17 bash, listed below", "last call: 17 bash(make test)"},
		{ruleLastLine, "last line: ok app 0.1s", "last line: app 0.1s"},
		{ruleValue, "it returned: lint: 2 issues", "it returned: 2 issues"},
		{ruleValue, "price: 40", "price: 41"},
		{ruleValue, "main.go): image/png", "main.go): image/jpeg"},
		{ruleValue, "- 3 read(app/main.go): image", "- 5 bash(go test ./...): image"},
		{ruleSpeaker, "- 3 read(app/main.go): image", "- 3 user: image"},
		{ruleFile, "edit (7), read (3): app/main.go", "edit (7): app/other.go"},
		{ruleFile, "edit (7), read (3): app/main.go", "write (7): app/main.go"},
		{ruleUses, "edit (7), read", "edit 2× (last 7), read"},
		{ruleUses, "edit (7), read", "edit (3), read"},
		{ruleTwice, "- edit (7), read (3): app/main.go\n",
			"- edit (7), read (3): app/main.go\n- read (3): app/main.go\n"},
		{ruleTodo, "todo #2 open (13)", "todo #2 in progress (13)"},
		{ruleTodo, "todo #2 open (13): change toml.go", "todo open (13): change json.go"},
		{ruleCount, "(1 more left out)", "(4 more left out)"},
		{ruleCount, "(1 more left out)\n", ""},
		{ruleCount, "(1 more left out)", "(1 more left out, and older ones)"},
		{ruleCount, "(1 more left out)",
			"(older ones left out)\n- 19 assistant: Lint still finds two issues."},
		{ruleGrammar, "(1 more left out)", "()"},
		{ruleName, ": parseAll", ": parseAl"},
		{ruleName, ": parseAll", ": tlogCtx"},
		{ruleName, "9 bash(go test ./...): 0.1s", "9 bash(go test ./...): parseAll"},
		{ruleName, "1 said: app/main.go", "1 said: yaml.go"},
	} {
		if !strings.Contains(truth, c.old) {
			t.Fatalf("the record has no %q", c.old)
		}
		report := Check(body(client), body(forward(strings.Replace(truth, c.old, c.new, 1))))
		if !fired(report, c.rule) {
			t.Errorf("%q in place of %q: %v, want a fault of rule %q", c.new, c.old,
				report.Faults, c.rule)
		}
	}
}

// shown is the message with lines of files after the record.
const shown = workingOpening + `

## /home/me/app/main.go
message 3, from line 1:
|package main
|func parseAll() {}
written in message 7:
|b
`

func TestLinesOfFilesAreChecked(t *testing.T) {
	sent := func(text string) []byte {
		return body(slices.Insert(forward(truth), 5, recordMessage(text)))
	}
	report := Check(body(client), sent(shown))
	if len(report.Faults) > 0 || report.Counts[kindLines] != 2 {
		t.Errorf("%d runs of lines are checked: %v", report.Counts[kindLines], report.Faults)
	}
	for _, c := range []struct{ rule, old, new string }{
		{ruleQuote, "|func parseAll() {}", "|func parse() {}"},
		{ruleQuote, "|package main\n", "|package main\n|\n"},
		{ruleQuote, "from line 1:", "from line 3:"},
		{ruleQuote, "|b", "|a"},
		{ruleQuote, "written in message 7", "message 7"},
		{rulePlace, "message 3,", "message 21,"},
		{ruleCall, "main.go\n", "other.go\n"},
		{ruleCall, "message 7", "message 9"},
		{ruleGrammar, "\n|func", "\nfunc"},
		{ruleGrammar, "message 3, from line 1:", "as of message 3:"},
	} {
		report := Check(body(client), sent(strings.Replace(shown, c.old, c.new, 1)))
		if !fired(report, c.rule) {
			t.Errorf("%q in place of %q: %v, want a fault of rule %q", c.new, c.old,
				report.Faults, c.rule)
		}
	}
}

func fired(r Report, rule string) bool {
	return slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.Rule == rule })
}

// What is forwarded beside the records.
func TestForwardedMessages(t *testing.T) {
	few := strings.Replace(truth, "3 messages of the user among them stand above: 1, 12, 20",
		"2 messages of the user among them stand above: 1, 20", 1)
	for _, c := range []struct {
		name, rule string
		sent       []string
	}{
		{"a word changed", ruleKept,
			slices.Replace(forward(truth), 2, 3, strings.Replace(request, "all", "some", 1))},
		{"a message left out", ruleWords, slices.Delete(forward(few), 2, 3)},
		{"the task cut", ruleWords, slices.Replace(forward(truth), 1, 2,
			`{"role":"user","content":"Make the parser […the middle of about 9 tokens left out `+
				`here; ref=abcdefgh234567…] main.go twice."}`)},
		{"a message behind left out", ruleTail, slices.Delete(forward(truth), 5, 6)},
		{"a message behind changed", ruleTail,
			slices.Replace(forward(truth), 5, 6,
				strings.Replace(client[21], "ls docs", "ls src", 1))},
		{"a record that does not begin as one", ruleTail,
			forward(strings.Replace(truth, "Record", "Rzcord", 1))},
		{"no request", ruleRequest, []string{"{"}},
		{"a gap between records", ruleOpening,
			slices.Replace(forward(truth), 4, 5,
				recordMessage(strings.Replace(truth, "messages 1 to 20", "messages 2 to 20", 1)))},
	} {
		if report := Check(body(client), body(c.sent)); !fired(report, c.rule) {
			t.Errorf("%s: %v, want a fault of rule %q", c.name, report.Faults, c.rule)
		}
	}
}

func TestPinnedModelAndRepairedLines(t *testing.T) {
	more := truth + `
## Pinned by the operator: message 6, of bash(go test ./...)
  | FAIL app
  | Command exited with code 1

## Also
- 12 user: yes, all of it
- todo open (13): change toml.go
- 17 bash(make lint) → exit code 2
- edit (7): /home/me/app/main.go

## Account by a model (not the user's words)
- decision (11, 12): the other parsers change too
  quoting user: yes, all of it
`
	for _, f := range Check(body(client), body(forward(more))).Faults {
		t.Error(f)
	}
	for _, c := range []struct{ rule, old, new string }{
		{ruleQuote, "  | FAIL app", "  | PASS app"},
		{rulePlace, "operator: message 6,", "operator: message 66,"},
		{ruleFile, "edit (7): /home/me/app/main.go\n\n", "edit (9): /home/me/app/main.go\n\n"},
		{ruleQuote, "quoting user: yes, all", "quoting user: yes, both"},
		{rulePlace, "n (11, 12)", "n (11, 92)"},
		{ruleQuote, "Pinned by the operator:", "Fetched again with the same result:"},
		{ruleSpeaker, "Pinned by the operator:", "Beginning of the conversation:"},
		{ruleSpeaker, "quoting user:", "quoting tool:"},
		{ruleSpeaker, "quoting user:", "quoting assistant and user:"},
		{ruleGrammar, "  quoting user:", "- quoting user:"},
		{ruleStatus, "17 bash(make lint) → exit code 2", "9 bash(go test ./...) → exit code 2"},
	} {
		report := Check(body(client), body(forward(strings.Replace(more, c.old, c.new, 1))))
		if !fired(report, c.rule) {
			t.Errorf("%q in place of %q: %v, want a fault of rule %q", c.new, c.old,
				report.Faults, c.rule)
		}
	}
}
