package summary

import (
	"slices"
	"strings"
	"testing"
)

// A command on another host, or in another folder, is another call: neither does its success make
// up for a failure, nor is it shown as the same.
func TestCommandsOfSeveralPlacesAreNotTheSame(t *testing.T) {
	sum := summarized(t, talk(
		user("Restart nginx on all of them."),
		call("run_command", `{"command":"restart nginx","target":"web1","timeout":9}`, ""),
		call("run_command", `{"command":"restart nginx","target":"web2"}`,
			"Exit code: 1\nOutput:\n"),
		call("exec_command", `{"cmd":"restart nginx","host":"web3","justification":"asked"}`,
			"Exit code: 1\nOutput:\nno such unit"),
		call("exec_command", `{"cmd":"restart nginx","host":"web4","justification":"too"}`,
			"Exit code: 0\nOutput:\nrestarted"),
		call("exec_command", `{"cmd":"npm test","workdir":"/srv/shop","yield_time_ms":100}`,
			"Exit code: 1\nOutput:\n1 failing"),
		call("exec_command", `{"cmd":"npm test","workdir":"/srv/mail"}`,
			"Exit code: 0\nOutput:\n7 passing"),
		call("exec_command", `{"cmd":"npm test","workdir":"/srv/mail","yield_time_ms":200}`,
			"Exit code: 0\nOutput:\n8 passing"),
		call("exec_command", `{"cmd":"npm ci","workdir":"/srv/mail"}`,
			"Exit code: 0\nOutput:\n3 packages"),
		assistant("Not all of it went well."),
	))
	record := sum.Render(wide)
	for title, want := range map[string][]string{
		TitleOpen: {
			"- 10 exec_command(npm test, in /srv/shop) → exit code 1; it returned: 1 failing",
			"- 6 exec_command(restart nginx, host=web3) → exit code 1; it returned: no such unit",
		},
		TitleCommands: {
			"- 16 exec_command(npm ci) → exit code 0; it returned: 3 packages",
			"- 14 exec_command(npm test, in /srv/mail) → exit code 0, made 2 times; " +
				"it returned: 8 passing",
			"- 8 exec_command(restart nginx, host=web4) → exit code 0; it returned: restarted",
			"- 4 run_command(restart nginx, target=web2)",
			"- 2 run_command(restart nginx, target=web1)",
		},
	} {
		if got := linesUnder(record, title); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", title, got, want)
		}
	}
}

// Of the values of a result, those of an object that is all of it are listed.
func TestValuesAreThoseOfTheWholeResult(t *testing.T) {
	for result, want := range map[string]string{
		`{"ok":true,"rows":3}`:          "- 2 get(id=7) → ok: true; rows: 3",
		"{\"ok\":true}\n{\"ok\":false}": `- 2 get(id=7) → {"ok":true} {"ok":false}`,
		"{\"ok\":true}\nWarning: it was not committed": `- 2 get(id=7) → ` +
			`{"ok":true} Warning: it was not committed`,
		`{"ok":true,"rows":[1,2`: `- 2 get(id=7) → {"ok":true,"rows":[1,2`,
	} {
		record := summarized(t, talk(user("Look."), call("get", `{"id":7}`, result))).Render(wide)
		if got := linesUnder(record, TitleData); !slices.Equal(got, []string{want}) {
			t.Errorf("%s\n%q\nwant\n%q", result, got, want)
		}
	}
}

// What Codex's shell returned in earlier versions is JSON around the output.
func TestTheOutputOfAShellIsInItsObject(t *testing.T) {
	const object = `{"output":"building\n2 warnings\n","metadata":{"exit_code":0}}`
	for args, want := range map[string]string{
		`{"command":["make","all"]}`: "- 2 shell(make all) → exit code 0; " +
			"it returned: building 2 warnings",
		// it may be what was to be shown
		`{"command":["cat","x.json"]}`: "- 2 shell(cat x.json) → " + object,
	} {
		record := summarized(t, talk(user("Build."), call("shell", args, object))).Render(wide)
		if got := linesUnder(record, TitleCommands); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// However little room there is, how a call ended is not cut: without its first word, "not let run"
// would say the opposite.
func TestHowACallEndedIsNotCut(t *testing.T) {
	const refusal = "The user doesn't want to proceed with this tool use. The tool use was " +
		"rejected. To tell you how to proceed, the user said:\n"
	sum := summarized(t, talk(
		user("Commit it."),
		call("Bash", `{"command":"git add handlers.go && git commit -m 'fix(hooks): handle the `+
			`end of a session as its start, with the same errors and the same log lines'"}`,
			refusal+"Separate the kinds of hooks first, and do not commit before I have seen it."),
	))
	for n := 120; n < 400; n += 7 {
		open := sum.open("", 1<<20, sum.inSeveral())
		entry := open.shortened(n)
		if !strings.Contains(entry, ") → not let run; the user said: ") {
			t.Errorf("%d bytes: %s", n, entry)
		}
		if n > 130 && len(entry) > n {
			t.Errorf("%d bytes, want at most %d: %s", len(entry), n, entry)
		}
	}
}

// What a person typed while the assistant was working is quoted, though it stands in the result of
// a call, and is no part of what the call returned.
func TestWordsInResultsAreQuoted(t *testing.T) {
	const said = "\n\n<system-reminder>\nThe user sent a new message while you were working:\n" +
		"use NATS, not Kafka\n\nThis is how Claude Code surfaces messages the user sends " +
		"mid-turn — within the running turn.\n</system-reminder>"
	record := summarized(t, talk(
		user("Choose a broker."),
		call("Bash", `{"command":"make brokers"}`, "Exit code 0\nkafka\nnats"+said),
		assistant("NATS it is."), user("Good, and its port?"),
	)).Render(wide)
	for title, want := range map[string][]string{
		TitleWords: {"- 5 user: Good, and its port?", "  after 4 assistant: NATS it is.",
			"- 3 in a tool's result, as the user's: use NATS, not Kafka",
			"- 1 user: Choose a broker."},
		TitleCommands: {"- 2 Bash(make brokers) → exit code 0; it returned: kafka nats"},
	} {
		if got := linesUnder(record, title); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", title, got, want)
		}
	}
}

// A value that only looks like that of another argument is not left out as a repetition.
func TestValuesLikeArgumentsAreShown(t *testing.T) {
	record := summarized(t, talk(user("Decline it."), call("respond",
		`{"event":"e16","notify":true,"hours":3,"room":12}`,
		`{"ok":true,"event_id":"e16","room":12,"left":3}`))).Render(wide)
	want := []string{"- 2 respond(event=e16, notify=true, hours=3, room=12) → ok: true; left: 3"}
	if got := linesUnder(record, TitleData); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where paths are written without their folder, so are those of the last call and of failed ones.
func TestPathsOfAllSectionsAreRelative(t *testing.T) {
	read := func(name, result string) []string {
		return call("Read", `{"file_path":"`+longDir+`/`+name+`"}`, result)
	}
	record := summarized(t, talk(began, read("a.go", "a line"), read("b.go", "a line"),
		read("gone.go", "<tool_use_error>File does not exist.</tool_use_error>"),
		read("c.go", "a line"))).Render(wide)
	if !strings.Contains(record, "\nPaths in "+longDir+"/ are written without it.\n") ||
		strings.Count(record, longDir) > 1 {
		t.Error(record)
	}
	for title, want := range map[string]string{TitleState: "- last call: 8 Read(c.go)",
		TitleOpen: "- 6 Read(gone.go) → reported an error; it returned: File does not exist."} {
		if got := linesUnder(record, title); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
	}
}
