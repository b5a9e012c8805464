package groundcheck

import (
	"testing"

	"killick/internal/groundcheck/quoted"
)

// A command on another host or in another folder is another call, and a record must say which it
// means.
func TestPlacesOfCommands(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "run_command", `{"command":"restart","target":"web1","timeout":9}`), // 1
		result("a", ""),
		calls("", "b", "run_command", `{"command":"restart","target":"web2","timeout":1}`), // 3
		result("b", "Exit code: 1\\nOutput:\\n"),
		calls("", "c", "exec_command", `{"cmd":"npm test","workdir":"/srv/a"}`), // 5
		result("c", "Exit code: 1\\nOutput:\\nfailed"),
		calls("", "d", "exec_command", `{"cmd":"npm test","workdir":"/srv/b"}`), // 7
		result("d", "Exit code: 0\\nOutput:\\npassed"),
		calls("", "e", "get", `{"id":1}`), // 9
		result("e", `{\"ok\":true}\n{\"ok\":false}`),
		calls("", "f", "browser_click", `{"ref":"e3"}`), // 11
		result("f", `### Page\nsaved`),
		calls("", "g", "browser_click", `{"ref":"e3"}`), // 13
		result("g", `### Error\nTimeout`),
		calls("", "h", "browser_click", `{"ref":"e3"}`), // 15
		result("h", `### Page\nsaved`),
	)
	for _, test := range []struct {
		title, entry, rule string // the rule fires; "" if none does
	}{
		{commandsTitle, "1 run_command(restart, target=web1)", ""},
		{commandsTitle, "1 run_command(restart, target=web2)", ruleCall},
		{commandsTitle, "1 run_command(restart)", ruleCall},
		{commandsTitle, "1 run_command(restart, target=web1), made 2 times, 1 failed", ruleTimes},
		{openTitle, "5 exec_command(npm test, in /srv/a) → exit code 1; it returned: failed", ""},
		{openTitle, "5 exec_command(npm test) → exit code 1; it returned: failed", ""},
		{openTitle, "5 exec_command(npm test, in /srv/b) → exit code 1; it returned: failed",
			ruleCall},
		{commandsTitle, "7 exec_command(npm test) → exit code 0, made 2 times, 1 failed; last " +
			"line: passed", ruleTimes},
		{dataTitle, "15 browser_click(e3), made 3 times, 1 failed (last: 13)", ""},
		{dataTitle, "15 browser_click(e3), made 3 times, 1 failed (last: 11)", ruleTimes},
		{dataTitle, "15 browser_click(e3), made 3 times, 1 failed", ruleTimes},
		{dataTitle, "9 get(1) → ok: true", ruleValue},
		{dataTitle, `9 get(1) → {"ok":true} {"ok":false}`, ""},
	} {
		wantOutcome(t, conv, test.title, 16, test.entry, test.rule)
	}
}

// Of a command that went on in a session, a record states how it went on.
func TestSessionsAreFollowed(t *testing.T) {
	const frame = `Chunk ID: 1\nWall time: 1 seconds\nProcess `
	conv := read(t,
		system,
		calls("", "a", "exec_command", `{"cmd":"npm test"}`), // 1
		result("a", frame+`running with session ID 7\nOutput:\n`),
		calls("", "b", "exec_command", `{"cmd":"npm start"}`), // 3
		result("b", frame+`running with session ID 8\nOutput:\nstarts`),
		calls("", "c", "write_stdin", `{"session_id":7,"chars":"","yield_time_ms":1}`), // 5
		result("c", frame+`exited with code 1\nOutput:\nfailed`),
		calls("", "d", "write_stdin", `{"session_id":8,"chars":"q"}`), // 7
		result("d", frame+`exited with code 0\nOutput:\n`),
		calls("", "e", "exec_command", `{"cmd":"npm run dev"}`), // 9
		result("e", frame+`running with session ID 9\nOutput:\nserving`),
		calls("", "f", "write_stdin", `{"session_id":9,"chars":"\u0003"}`), // 11
		result("f", frame+`exited with code 130\nOutput:\n^C`),
	)
	for _, test := range []struct {
		title, entry, rule string
		last               int
	}{
		{commandsTitle, "9 exec_command(npm run dev) → stopped; last line: serving", "", 12},
		{commandsTitle, "9 exec_command(npm run dev) → exit code 130; last line: serving",
			ruleStatus, 12},
		{commandsTitle, "9 exec_command(npm run dev) → still running then, ID 9; last line: " +
			"serving", "", 10},
		{commandsTitle, `11 write_stdin(session_id=9, chars="\u0003") → ^C`, "", 12},
		{commandsTitle, `11 write_stdin(session_id=9, chars="\u0004") → ^C`, ruleCall, 12},
	} {
		c := under(conv, test.title, test.last)
		c.outcome(test.entry)
		wantRule(t, c.report, test.entry, test.rule)
	}
	for _, test := range []struct{ title, entry, rule string }{
		{openTitle, "1-5 exec_command(npm test) → exit code 1; last line: failed", ""},
		{openTitle, "1-7 exec_command(npm test) → exit code 1; last line: failed", ruleCall},
		{openTitle, "3-5 exec_command(npm start) → exit code 1; last line: failed", ruleCall},
		{openTitle, "5 write_stdin(session_id=7) → exit code 1; last line: failed", ruleCall},
		{commandsTitle, "1 exec_command(npm test)", ruleLatest},
		{commandsTitle, "3 exec_command(npm start) → still running then, ID 8; " +
			"last line: starts", ""},
		{commandsTitle, "3 exec_command(npm start) → still running then, ID 7; " +
			"last line: starts", ruleStatus},
		{commandsTitle, "3 exec_command(npm start); last line: starts", ruleStatus},
		{commandsTitle, "7 write_stdin(session_id=8, chars=q) → exit code 0", ""},
		{commandsTitle, "3-7 exec_command(npm start) → exit code 0", ruleCall},
	} {
		wantOutcome(t, conv, test.title, 8, test.entry, test.rule)
	}
}

// So it is of a command in the background of Claude Code.
func TestTasksAreFollowed(t *testing.T) {
	const frame = `<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n` +
		`<task_type>local_bash</task_type>\n\n<status>`
	conv := read(t,
		system,
		calls("", "a", "Bash", `{"command":"npm test","run_in_background":true}`), // 1
		result("a", `Command running in background with ID: b7. Output is in: /tmp/b7`),
		calls("", "b", "TaskOutput", `{"task_id":"b7"}`), // 3
		result("b", frame+`running</status>`),
		calls("", "c", "TaskOutput", `{"task_id":"b7"}`), // 5
		result("c", frame+`completed</status>\n\n<exit_code>1</exit_code>\n\n`+
			`<output>\nfailed\n</output>`),
	)
	for _, test := range []struct {
		title, entry, rule string
		last               int
	}{
		{openTitle, "1-5 Bash(npm test) → exit code 1; last line: failed", "", 6},
		{openTitle, "1-5 Bash(npm test) → exit code 1; last line: passed", ruleLastLine, 6},
		{commandsTitle, "1-3 Bash(npm test) → still running then, ID b7", ruleLatest, 6},
		{commandsTitle, "1-3 Bash(npm test) → still running then, ID b7", "", 4},
		{commandsTitle, "1-3 Bash(npm test)", ruleStatus, 4},
		{commandsTitle, "1 Bash(npm test); it returned: Command running in background with ID: " +
			"b7. Output is in: /tmp/b7", "", 2},
	} {
		wantOutcome(t, conv, test.title, test.last, test.entry, test.rule)
	}
}

// So it is of a command that was stopped, and of scripts that were waited for.
func TestScriptsAreFollowed(t *testing.T) {
	const (
		running = `Script running with cell ID 7\nWall time 1 seconds\nOutput:\n`
		done    = `Script completed\nWall time 1 seconds\nOutput:\n`
		two     = `await tools.exec_command({cmd: 'make docs'}); ` +
			`await tools.exec_command({cmd: 'make site'})`
	)
	conv := read(t,
		system,
		calls("", "a", "exec", `{"input":"text(await `+ // 1
			`tools.exec_command({cmd: 'make all'}))"}`),
		result("a", running),
		calls("", "b", "wait", `{"cell_id":"7"}`), // 3
		result("b", done+`{\"exit_code\":1,\"output\":\"no rule\"}`),
		calls("", "c", "exec", `{"input":"`+two+`"}`), // 5
		result("c", running),
		calls("", "d", "wait", `{"cell_id":"7"}`), // 7
		result("d", done),
		calls("", "e", "Bash", `{"command":"make tea","run_in_background":true}`), // 9
		result("e", `Command running in background with ID: b7. Output is in: /tmp/b7`),
		calls("", "f", "TaskOutput", `{"task_id":"b7"}`), // 11
		result("f", `<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n`+
			`<task_type>local_bash</task_type>\n\n<status>running</status>`),
		calls("", "g", "TaskStop", `{"task_id":"b7"}`), // 13
		result("g", `{\"message\":\"Successfully stopped task: b7 (make tea)\"}`),
		calls("", "h", "bash", `{"command":"make jam"}`), // 15
		result("h", `stirring\n<command with shellId: 3 is still running after 30 seconds. Wait>`),
		calls("", "i", "read_bash", `{"shellId":"3"}`), // 17
		result("i", `jam\n<shellId: 3 completed with exit code 0>`),
		calls("", "j", "Bash", `{"command":"make ham","run_in_background":true}`), // 19
		result("j", `Command running in background with ID: bash_1`),
		calls("", "k", "KillShell", `{"shell_id":"bash_1"}`), // 21
		result("k", `{\"message\":\"Successfully killed shell: bash_1 (make ham)\",`+
			`\"shell_id\":\"bash_1\"}`),
	)
	for _, test := range []struct {
		title, entry, rule string
		last               int
	}{
		{openTitle, "1-3 exec_command(make all) → exit code 1; last line: no rule", "", 14},
		{openTitle, "1-3 exec_command(make all) → exit code 2; last line: no rule", ruleStatus, 14},
		{openTitle, "1-7 exec_command(make all) → exit code 1; last line: no rule", ruleCall, 14},
		{commandsTitle, "1 exec_command(make all) → still running then, ID cell 7", "", 2},
		{commandsTitle, "1 exec_command(make all) → still running then, ID cell 8", ruleStatus, 2},
		{commandsTitle, "1 exec_command(make all) → still running then, ID 7", ruleStatus, 2},
		{commandsTitle, "1 exec_command(make all)", ruleStatus, 2},
		{commandsTitle, "5-7 exec_command(make site)", "", 14},
		{commandsTitle, "1-7 exec_command(make site)", ruleCall, 14},
		{commandsTitle, "9-11 Bash(make tea) → still running then, ID b7", ruleStatus, 14},
		{commandsTitle, "9-11 Bash(make tea) → still running then, ID b7", "", 12},
		{commandsTitle, "9-11 Bash(make tea) → stopped", "", 14},
		{commandsTitle, "9-11 Bash(make tea) → stopped", ruleStatus, 12},
		{commandsTitle, "9-11 Bash(make tea)", ruleStatus, 14},
		{commandsTitle, "15-17 bash(make jam) → exit code 0; last line: jam", "", 18},
		{commandsTitle, "19 Bash(make ham) → stopped", "", 22},
		{commandsTitle, "19 Bash(make ham)", ruleStatus, 22},
		{commandsTitle, "15-17 bash(make jam) → exit code 0; last line: ham", ruleLastLine, 18},
	} {
		wantOutcome(t, conv, test.title, test.last, test.entry, test.rule)
	}
}

// So it is of what qwen-code and Kimi Code let go on in the background.
func TestOthersInTheBackgroundAreFollowed(t *testing.T) {
	const kimi = `agent_id: a1\nactual_subagent_type: coder\nstatus: completed\n` +
		`stop_reason: completed\n\n[summary]\nThe one in room 7.\n\nresume_hint: Go on.`
	user := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	conv := read(t,
		system,
		calls("", "a", "run_shell_command", `{"command":"make","is_background":true}`), // 1
		result("a", `Background shell started.\nid: bg_7\npid: 7`),
		calls("", "b", "agent", `{"prompt":"Ask"}`), // 3
		result("b", `Background agent launched successfully.\ntask_id: asker-1 (internal ID.)`),
		calls("", "c", "Agent", `{"prompt":"Which?"}`), // 5
		result("c", `Wall time: 0.100 seconds\n`+kimi),
		calls("", "d", "Agent", `{"prompt":"When?"}`), // 7
		result("d", `Wall time: 0.100 seconds\ntask_id: agent-1\nstatus: running\nagent_id: a2`),
		user(`<task-notification>\n<task-id>bg_7</task-id>\n<kind>shell</kind>\n`+ // 9
			`<status>failed</status>\n<summary>Shell command \"make\" failed.</summary>\n`+
			`<command>make</command>\n<cwd>/w</cwd>\n<exit-code>2</exit-code>\n`+
			`</task-notification>`),
		user(`<task-notification>\n<task-id>asker-1</task-id>\n<tool-use-id>t</tool-use-id>\n`+
			`<status>cancelled</status>\n<summary>Agent \"Ask\" was cancelled.</summary>\n`+
			`<remaining>0</remaining>\n<all-terminal>true</all-terminal>\n`+
			`<result>So far.</result>\n</task-notification>`),
		user(`<notification id=\"task:agent-1:killed\" category=\"task\" type=\"task.killed\" `+
			`source_kind=\"background_task\" source_id=\"agent-1\" agent_id=\"a2\">\n`+
			`Title: Background agent killed\n</notification>`),
	)
	for _, test := range []struct {
		title, entry, rule string
		last               int
	}{
		{openTitle, "1-9 run_shell_command(make) → exit code 2", "", 11},
		{commandsTitle, "1 run_shell_command(make)", "", 8},
		{dataTitle, "3 agent(Ask) → still running then, ID asker-1", "", 8},
		{dataTitle, "3-10 agent(Ask) → stopped → So far.", "", 11},
		{dataTitle, "3-10 agent(Ask) → So far.", ruleStatus, 11},
		{dataTitle, "5 Agent(Which?) → The one in room 7.", "", 11},
		{dataTitle, "5 Agent(Which?) → The one in room 8.", ruleValue, 11},
		{dataTitle, "7 Agent(When?) → still running then, ID agent-1", "", 8},
		{dataTitle, "7-11 Agent(When?) → stopped", "", 11},
	} {
		c := under(conv, test.title, test.last)
		c.outcome(test.entry)
		wantRule(t, c.report, test.entry, test.rule)
	}
}

// A person may ask about a record: that message is not one.
func TestARecordOfThePersonIsNotOurs(t *testing.T) {
	asks := `{"role":"user","content":"Who wrote this?\n\n` + quoted.Opening +
		` messages 1 to 9 …]"}`
	messages := append([]string{system, asks}, client[2:]...)
	forwarded := append([]string{system, asks, request, latest, recordMessage(truth)},
		client[21:]...)
	for _, f := range Check(body(messages), body(forwarded)).Faults {
		if f.Rule != ruleName { // the record names what the task of the other tests said
			t.Error(f)
		}
	}
}

// Lines of files are shown without their ends, which are stated if they are those of Windows.
func TestEndsOfLines(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "read", `{"path":"a.cs"}`), // 1
		result("a", "using System;\\r\\nusing System.IO;\\r\\nclass A {}"),
		calls("", "b", "bash", `{"command":"cat b.go"}`), // 3
		result("b", "package b\\r\\nimport fmt\\r\\n"),
		calls("", "c", "read", `{"path":"c.go"}`), // 5
		result("c", "package c\\nimport fmt\\n"),
	)
	const crlf = ", lines ended in CR LF there:"
	for text, rule := range map[string]string{
		"a.cs\nmessage 1, from line 1" + crlf + "\n|using System;\n|using System.IO;": "",
		"a.cs\nmessage 1, from line 1:\n|using System;\n|using System.IO;":            ruleQuote,
		"b.go\nmessage 3, from line 1:\n|package b\n|import fmt":                      "",
		"c.go\nmessage 5, from line 1:\n|package c\n|import fmt":                      "",
		"c.go\nmessage 5, from line 1" + crlf + "\n|package c\n|import fmt":           ruleQuote,
	} {
		c := under(conv, "", 0)
		c.working(workingOpening+"\n\n## "+text+"\n", 1, 6)
		wantRule(t, c.report, text, rule)
	}
}

// What a client put after a result is not what the call returned. If it is what a person said, a
// record may quote it so.
func TestRemindersBehindResults(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "Bash", `{"command":"make"}`), // 1
		result("a", "Exit code 0\\nall is built\\n\\n<system-reminder>\\nThe user sent a new "+
			"message while you were working:\\nuse NATS\\n\\nThis is how Claude Code surfaces "+
			"messages.\\n</system-reminder>\\n\\n<system-reminder>\\nBe brief.\\n"+
			"</system-reminder>"),
	)
	for _, test := range []struct{ title, entry, rule string }{
		{commandsTitle, "1 Bash(make) → exit code 0; it returned: all is built", ""},
		{commandsTitle, "1 Bash(make) → exit code 0; last line: </system-reminder>", ruleLastLine},
		{wordsTitle, "2 in a tool's result, as the user's: use NATS", ""},
		{wordsTitle, "2 in a tool's result, as the user's: Be brief.", ruleQuote},
		{wordsTitle, "2 user: use NATS", ruleSpeaker},
	} {
		c := under(conv, test.title, 2)
		c.entry(test.entry)
		wantRule(t, c.report, test.entry, test.rule)
	}
}

// oh-my-pi has the model say in "i" what a call is for, and states the time after an output.
func TestOhMyPi(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "bash", `{"i":"Build","command":"make"}`), // 1
		result("a", "it fails\\n\\n\\nWall time: 0.03 seconds\\n\\nCommand exited with code 2"),
		calls("", "b", "bash", `{"i":"Build again","command":"make"}`), // 3
		result("b", "all is built\\n\\n\\nWall time: 1.50 seconds"),
	)
	for _, test := range []struct{ title, entry, rule string }{
		{commandsTitle, "3 bash(make), made 2 times, 1 failed → all is built", ""},
		{commandsTitle, "3 bash(make), made 2 times, 1 failed; last line: all is built",
			ruleLastLine},
		{commandsTitle, "3 bash(make); last line: Wall time: 1.50 seconds", ruleLastLine},
		{openTitle, "1 bash(make) → exit code 2; it returned: it fails", ruleLatest},
	} {
		wantOutcome(t, conv, test.title, 4, test.entry, test.rule)
	}
}

// Its edits are patches of a form of their own, and its commands go on as jobs.
func TestJobsAndEditsOfOhMyPi(t *testing.T) {
	const patch = `*** Begin Patch\n[a.go#9459]\nPUT 1.=1:\n+package a\n`
	conv := read(t,
		system,
		calls("", "a", "edit", `{"i":"Edit","input":"`+patch+`*** End Patch\n"}`), // 1
		result("a", "[a.go#44DD]\\n1:package a"),
		calls("", "b", "edit", `{"i":"Again","input":"`+patch+`*** End Patch\n"}`), // 3
		result("b", "Edit rejected for a.go: hash #9459 is not from this session."),
		calls("", "c", "bash", `{"i":"Build","command":"make"}`), // 5
		result("c", "Backgrounded as job bg_7; result will be delivered automatically."),
		`{"role":"user","content":"<system-notice>\nBackground job bg_7 has completed. Resume `+
			`your work using the result below.\nno rule\nWall time: 2.01 seconds\n\n`+
			`Command exited with code 2\n</system-notice>"}`, // 7
		calls("", "d", "bash", `{"i":"Serve","command":"make serve"}`), // 8
		result("d", "Backgrounded as job bg_8; result will be delivered automatically."),
		calls("", "e", "hub", `{"i":"Stop","op":"cancel","ids":["bg_8"]}`), // 10
		result("e", `## Cancelled (1)\n\n- Cancelled background job bg_8.`),
	)
	for _, test := range []struct{ title, entry, rule string }{
		{filesTitle, "edit (1): a.go", ""},
		{filesTitle, "edit (3): a.go", ruleUses},
		{filesTitle, "edit (1): b.go", ruleFile},
		{openTitle, "3 edit(a.go) → reported an error; it returned: Edit rejected for a.go: hash " +
			"#9459 is not from this session.", ""},
		{openTitle, "5-7 bash(make) → exit code 2", ""},
		{commandsTitle, "5 bash(make)", ruleLatest},
		{commandsTitle, "8 bash(make serve) → stopped", ""},
	} {
		c := under(conv, test.title, 11)
		c.entry(test.entry)
		wantRule(t, c.report, test.entry, test.rule)
	}
}

// Where a tool puts no space after the number of a line, a space there is the line's own.
func TestSpacesBehindNumbers(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "read", `{"path":"a.go"}`), // 1
		result("a", "1:if a {\\n2:  b()\\n3: c()\\n4:}"),
		calls("", "b", "read", `{"path":"b.go"}`), // 3
		result("b", "1: if a {\\n2:  b()\\n3: }"),
	)
	for text, rule := range map[string]string{
		"a.go\nmessage 1, from line 2:\n|  b()\n| c()":  "",
		"a.go\nmessage 1, from line 2:\n| b()\n|c()":    ruleQuote,
		"b.go\nmessage 3, from line 1:\n|if a {\n| b()": "",
	} {
		c := under(conv, "", 0)
		c.working(workingOpening+"\n\n## "+text+"\n", 1, 4)
		wantRule(t, c.report, text, rule)
	}
}
