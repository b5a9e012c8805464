package summary

import (
	"slices"
	"strings"
	"testing"
)

var began = user("Mend the oven of the bakery in the harbour, please.")

const longDir = "/home/ann/projects/bakery"

// sectionCase is a conversation, and what its record has under a title.
type sectionCase struct {
	name  string
	msgs  []string
	title string
	want  []string // its lines; nil: it has no heading
}

func checkSections(t *testing.T, cases []sectionCase) {
	t.Helper()
	for _, c := range cases {
		record := summarized(t, c.msgs).Render(wide)
		if got := linesUnder(record, c.title); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n\t%q\nwant\n\t%q", c.name, got, c.want)
		}
	}
}

// TestSections compares the lines of each section with the conversation.
func TestSections(t *testing.T) {
	read := func(path string) []string { return call("Read", `{"file_path":"`+path+`"}`, "a line") }
	edit := func(path, result string) []string {
		return call("Edit", `{"file_path":"`+path+`","old_string":"a","new_string":"b"}`, result)
	}
	page := strings.Repeat("long text ", 15) + "long […]"
	checkSections(t, []sectionCase{
		{"files: how often which tool named them",
			talk(began, read("a.go"), edit("a.go", "ok"), edit("a.go", "ok"), read("b.go"),
				read("a.go")), TitleFiles,
			[]string{"- Read 2× (last 10), Edit 2× (last 6): a.go", "- Read (8): b.go"}},
		{"files: a call that failed did nothing",
			talk(began, edit("a.go", "<tool_use_error>no such text</tool_use_error>")),
			TitleFiles, nil},
		{"files: patches say what they do",
			talk(began,
				call("apply_patch",
					`{"input":"*** Begin Patch\n*** Add File: n.go\n+x\n*** Update File: `+
						`u.go\n@@\n-a\n+b\n*** Delete File: d.go\n*** End `+
						`Patch"}`, "Done")), TitleFiles,
			[]string{"- patch add (2): n.go", "- patch update (2): u.go",
				"- patch delete (2): d.go"}},
		{"files: editors that say what they do",
			talk(began, call("str_replace_editor", `{"command":"view","path":"a.go"}`, "a line"),
				call("str_replace_editor", `{"command":"view","path":"b.go"}`, "a line"),
				call("str_replace_editor", `{"command":"str_replace","path":"a.go",`+
					`"old_str":"a","new_str":"b"}`, "ok")), TitleFiles,
			[]string{"- str_replace_editor str_replace (6), str_replace_editor view (2): a.go",
				"- str_replace_editor view (4): b.go"}},
		{"files: patches say what moved where",
			talk(began, call("apply_patch", `{"input":"*** Begin Patch\n*** Update File: m.go\n`+
				`*** Move to: n.go\n@@\n-a\n+b\n*** End Patch"}`, "Done")), TitleFiles,
			[]string{"- patch move from (2): m.go", "- patch move to (2): n.go"}},
		{"files: commands say what they did",
			talk(began, edit("d.go", "ok"), run("rm d.go", "0", ""),
				run("git mv m.go n.go", "0", ""),
				run("cat > w.go <<'EOF'\nx\nEOF", "0", ""), run("sed -i s/a/b/ w.go", "0", ""),
				run("rm f.go", "1", ""), run("go test && rm g*.go", "0", "")), TitleFiles,
			[]string{"- Bash edit (10), Bash write (8): w.go", "- Bash move from (6): m.go",
				"- Bash move to (6): n.go", "- Bash delete (4), Edit (2): d.go"}},
		{"files: what a command moved, and then edited",
			talk(began, run("mv m.go n.go && sed -i s/a/b/ n.go", "0", ""),
				run("sed -i s/a/b/ o.go && rm o.go", "0", "")), TitleFiles,
			[]string{"- Bash delete (4): o.go", "- Bash move from (2): m.go",
				"- Bash move to (2): n.go"}},
		{"files: an edit that was taken back",
			talk(began, edit("a.go", "ok"), run("git checkout -- a.go", "0", "")), TitleFiles,
			[]string{"- Bash restore (4), Edit (2): a.go"}},
		{"files: of tools that nobody knows",
			talk(began,
				call("schreibe_datei", `{"pfad":"src/ofen.go","inhalt":"package ofen\n"}`,
					"geschrieben"), call("lies_datei", `{"pfad":"src/ofen.go"}`, "package ofen")),
			TitleFiles,
			[]string{"- lies_datei (4), schreibe_datei (2): src/ofen.go"}},
		{"files: not those of a host or a container",
			talk(began, call("mcp__ssh__run_command", `{"host":"n3","command":"rm /var/a.go"}`, ""),
				call("pods_read_file", `{"pod":"till","path":"/var/b.yaml"}`, "a: 1\nb: 2"),
				call("mcp__ssh__run_command", `{"host":"n3","command":"cat /var/c.go"}`, "c")),
			TitleFiles, nil},
		{"files: relative to their folder",
			talk(began, edit(longDir+"/oven/a.go", "ok"), edit(longDir+"/oven/b.go", "ok"),
				edit(longDir+"/till/c.go", "ok"), read("/etc/hosts")), TitleFiles,
			[]string{"- Edit (6): till/c.go", "- Edit (4): oven/b.go", "- Edit (2): oven/a.go",
				"- Read (8): /etc/hosts"}},
		{"files: one that calls name in two ways",
			talk(began, edit("oven/a.go", "ok"), read("./oven/a.go")), TitleFiles,
			[]string{"- Read (4), Edit (2): oven/a.go"}},
		{"files: the base name is never cut",
			talk(began, edit("/x/"+strings.Repeat("folder/", 37)+"the_name_of_the_file.go", "ok")),
			TitleFiles,
			[]string{"- Edit (2): …" + strings.Repeat("/folder", 30) + "/the_name_of_the_file.go"}},
		{"commands: how they ended",
			talk(began, run("make", "0", strings.Repeat("built\n", 40)+"all good"),
				run("make test", "2", "one\nFAIL oven")), TitleCommands,
			[]string{"- 2 Bash(make) → exit code 0; last line: all good"}},
		{"commands: a line behind every output may say something",
			talk(began, run("make", "0", "PASS"), run("make all", "0", "PASS"),
				run("make test", "0", "PASS")), TitleCommands,
			[]string{"- 6 Bash(make test) → exit code 0; it returned: PASS",
				"- 4 Bash(make all) → exit code 0; it returned: PASS",
				"- 2 Bash(make) → exit code 0; it returned: PASS"}},
		{"commands: several in one call",
			talk(began, call("run_commands", `{"commands":["make","make test"]}`,
				`[{"query":"make","result":"built","success":true},{"query":"make test",`+
					`"result":"[Command exited with code 0]\nok","success":true}]`)),
			TitleCommands, []string{"- 2 run_commands(make) → built",
				"- 2 run_commands(make test) → ok"}},
		{"open: one of several commands in one call",
			talk(began, call("run_commands", `{"commands":["make","make test"]}`,
				`[{"query":"make","result":"built","success":true},{"query":"make test",`+
					`"result":"[Command exited with code 2]\nFAIL","success":false}]`)),
			TitleOpen, []string{"- 2 run_commands(make test) → exit code 2; it returned: FAIL"}},
		{"files: those of several that were read",
			talk(began, call("read_files", `{"files":[{"path":"a.go"},{"path":"b.go"}]}`,
				`[{"query":"a.go","result":"1 | a","success":true},`+
					`{"query":"b.go","result":"","error":"none","success":false}]`)),
			TitleFiles, []string{"- read_files (2): a.go"}},
		{"open: what failed last",
			talk(began, run("make", "0", "built\nall good"),
				run("make test", "2", "one\nFAIL oven")), TitleOpen,
			[]string{"- 4 Bash(make test) → exit code 2; it returned: one FAIL oven"}},
		{"commands: the same whole call, failing then passing",
			talk(began, run("make test", "2", "FAIL"), run("make test", "0", "ok")), TitleCommands,
			[]string{"- 4 Bash(make test) → exit code 0, made 2 times, 1 failed; it returned: ok"}},
		{"open: another edit of the file",
			talk(began, edit("a.go", "String to replace not found in file.\nString: b"),
				edit("b.go", "String to replace not found in file.\nString: b"),
				call("Edit", `{"file_path":"a.go","old_string":"a","new_string":"c"}`, "ok"),
				call("Write", `{"file_path":"b.go","content":"c"}`, "ok")), TitleOpen,
			[]string{"- 4 Edit(b.go) → reported an error; it returned: String to replace not " +
				"found in file. String: b", "- 2 Edit(a.go) → reported an error, later Edit of " +
				"this file (6); it returned: String to replace not found in file. String: b"}},
		{"open: another patch of the file",
			talk(began, call("apply_patch", `{"input":"*** Begin Patch\n*** Update File: m.go\n`+
				`@@\n-a\n+b\n*** End Patch"}`, "apply_patch verification failed: no such lines"),
				call("apply_patch", `{"input":"*** Begin Patch\n*** Update File: m.go\n`+
					`@@\n-c\n+b\n*** End Patch"}`, "Success. Updated the following files:\n"+
					"M m.go\n")), TitleOpen,
			[]string{"- 2 apply_patch(m.go) → reported an error, later apply_patch of this file " +
				"(4); it returned: apply_patch verification failed: no such lines"}},
		{"open: and then it is not open",
			talk(began, run("make test", "2", "FAIL"), run("make test", "0", "ok")),
			TitleOpen, nil},
		{"open: another call with the same first words resolves nothing",
			talk(began, run("npx playwright test --project=firefox", "1", "1 failed"),
				run("npx playwright test --project=webkit", "0", "3 passed")), TitleOpen,
			[]string{"- 2 Bash(npx playwright test --project=firefox) → exit code 1; it " +
				"returned: 1 failed"}},
		{"open: passing then failing",
			talk(began, run("make test", "0", "ok"), run("make test", "2", "FAIL")), TitleOpen,
			[]string{"- 4 Bash(make test) → exit code 2, made 2 times, 1 failed; it returned: " +
				"FAIL"}},
		{"open: of a tool that went well before, too, no number of calls",
			talk(began, edit("a.go", "ok"), edit("a.go", "Error: none"),
				edit("a.go", "Error: none")), TitleOpen,
			[]string{"- 6 Edit(a.go) → reported an error; it returned: Error: none"}},
		{"open: of an error that is long, its beginning",
			talk(began, edit("a.go", "Error: out of turns\n"+
				strings.Repeat("- step\n", 60)+"- last step")), TitleOpen,
			[]string{"- 2 Edit(a.go) → reported an error; it returned: Error: out of turns" +
				strings.Repeat(" - step", 19) + " - […]"}},
		{"commands: a last line without words says nothing",
			talk(began, run("make", "0", strings.Repeat("building ", 20)+"\n}"),
				run("make x", "0", "╵")),
			TitleCommands, []string{"- 4 Bash(make x) → exit code 0",
				"- 2 Bash(make) → exit code 0"}},
		{"commands: not what a person refused",
			talk(began,
				call("Bash", `{"command":"rm -rf /"}`,
					"The user doesn't want to proceed with this tool use. The tool use was "+
						"rejected")), TitleCommands, nil},
		{"open: what a person refused",
			talk(began,
				call("Bash", `{"command":"rm -rf /"}`,
					"The user doesn't want to proceed with this tool use. The tool use was "+
						"rejected")), TitleOpen,
			[]string{"- 2 Bash(rm -rf /) → not let run"}},
		{"data: values of all kinds, and marks for long ones",
			talk(began, call("lookup", `{"id":"0042"}`, `{"id":"0042","allergies":["penicillin"],`+
				`"fasting":false,"notes":["`+strings.Repeat("long ", 40)+`"],"next":null}`)),
			TitleData,
			[]string{`- 2 lookup(0042) → allergies: ["penicillin"]; fasting: false; notes: […]`}},
		{"data: what a tool that nobody knows did to a file",
			talk(began, call("update_sheet", `{"file":"till.xlsx","range":"C12","values":["950"]}`,
				`{"updatedCells":1}`), call("read_sheet", `{"file":"till.xlsx"}`, "a sheet")),
			TitleData, []string{
				"- 2 update_sheet(file=till.xlsx, range=C12, values.0=950) → updatedCells: 1"}},
		{"data: what is shown whole comes first",
			talk(began, call("order", `{"sku":"A-1"}`, `{"order_id":"ord_77"}`),
				call("page", `{"id":1}`, strings.Repeat("long text ", 40)),
				call("page", `{"id":2}`, strings.Repeat("long text ", 40))), TitleData,
			[]string{"- 2 order(A-1) → order_id: ord_77", "- 6 page(id=2) → " + page,
				"- 4 page(id=1) → " + page}},
		{"data: of long results the last of each tool first",
			talk(began, call("issue", `{"id":7}`, strings.Repeat("long text ", 40)),
				call("page", `{"id":1}`, strings.Repeat("long text ", 40)),
				call("page", `{"id":2}`, strings.Repeat("long text ", 40))), TitleData,
			[]string{"- 6 page(id=2) → " + page, "- 2 issue(id=7) → " + page,
				"- 4 page(id=1) → " + page}},
		{"open: what a person said about it",
			talk(began,
				call("Bash", `{"command":"make ship"}`,
					"The user doesn't want to proceed with this tool use. The tool use was "+
						"rejected. To tell you how to proceed, the user said:\nFirst\nthe tests.")),
			TitleOpen,
			[]string{"- 2 Bash(make ship) → not let run; the user said: First the tests."}},
		{"commands: refused, then run",
			talk(began,
				call("Bash", `{"command":"make ship"}`,
					"The user doesn't want to proceed with this tool use. The tool use was "+
						"rejected"), run("make ship", "0", "shipped")), TitleCommands,
			[]string{"- 4 Bash(make ship) → exit code 0, made 2 times; it returned: shipped"}},
		{"open: what is printed is no status",
			talk(began, call("Bash", `{"command":"cat log"}`, "Error: failed: exit code 7\nFAIL")),
			TitleOpen, nil},
		{"next: the agent's list",
			talk(began,
				call("TodoWrite",
					`{"todos":[{"content":"Heat `+
						`it","status":"completed"},{"content":"Bake","status":"in_progress"},`+
						`{"content":"Sell","status":"pending"}]}`, "ok")), TitleNext,
			[]string{"- todo in progress (2): Bake", "- todo open (2): Sell"}},
		{"completed: what is done of it",
			talk(began,
				call("TodoWrite",
					`{"todos":[{"content":"Heat `+
						`it","status":"completed"},{"content":"Bake","status":"in_progress"}]}`,
					"ok")), TitleDone,
			[]string{"- todo done (2): Heat it"}},
		{"next: nothing is listed", talk(began, assistant("It is done.")), TitleNext,
			nil},
		{"completed: closing words of each request",
			talk(began, assistant("The oven is mended."),
				user("Now the door of the bakery, and the window beside it."),
				assistant("The door is mended, too.")), TitleDone,
			[]string{"- 2 assistant: The oven is mended."}},
		{"completed: not what stands beside a terse message",
			talk(began, assistant("The oven is mended."), user("ok"),
				assistant("And now? "+strings.Repeat("There is more to do. ", 30)), user("no"),
				assistant("Then I am done.")), TitleDone, nil},
		{"state: the last words and the last call",
			talk(began, assistant("The oven is mended."), run("make", "0", "ok")), TitleState,
			[]string{"- 2 assistant: The oven is mended.", "- last call: 3 Bash(make)"}},
		{"state: what was looked for, and where",
			talk(began, assistant("I look for it."),
				call("grep_search", `{"pattern":"bake","path":"src"}`, "none")), TitleState,
			[]string{"- 2 assistant: I look for it.",
				"- last call: 3 grep_search(bake, src)"}},
		{"state: nothing was said", talk(began), TitleState,
			[]string{"- the assistant has said and called nothing in these turns"}},
		{"words: a mark in place of documents among them",
			talk(began, assistant("Yes."), user("<documents>\n<document>one</document>\n"+
				"</documents>\nDoes the second one [<document>two</document>\n<document>three"+
				"</document>] say so, too?"), assistant("It does not.")), TitleWords,
			[]string{"- 3 user: […] Does the second one [ […] ] say so, too?",
				"  after 2 assistant: Yes.",
				"- 1 user: Mend the oven of the bakery in the harbour, please."}},
		{"words: terse ones with what precedes them",
			talk(began, assistant("Shall I 1) clean it or 2) heat it?"), user("1"),
				assistant("And after how many days may it be returned?"),
				user("Ja, nach 30 Tagen")), TitleWords,
			[]string{"- 5 user: Ja, nach 30 Tagen",
				"  after 4 assistant: And after how many days may it be returned?",
				"- 3 user: 1", "  after 2 assistant: Shall I 1) clean it or 2) heat it?",
				"- 1 user: Mend the oven of the bakery in the harbour, please."}},
		{"data: values that calls returned",
			talk(began,
				call("book_flight", `{"from":"HAM","seats":2}`,
					`{"reservation_id":"QX7Z2K","price":189.5,"from":"HAM","legs":[{"n":1}],`+
						`"status":"booked"}`)), TitleData,
			[]string{"- 2 book_flight(from=HAM, seats=2) → reservation_id: QX7Z2K; price: 189.5; " +
				`legs: [{"n":1}]; status: booked`}},
		{"data: the first and the last of many values",
			talk(began, call("cancel", `{"id":"QX7"}`, `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,`+
				`"g":7,"h":8,"id":"QX7","status":"cancelled"}`)), TitleData,
			[]string{"- 2 cancel(QX7) → a: 1; b: 2; c: 3; d: 4; […]; f: 6; g: 7; h: 8; " +
				"status: cancelled"}},
		{"commands: of one in the background what the agent said",
			talk(began, call("Bash", `{"command":"make serve","run_in_background":true}`,
				"Command running in background with ID: b7.\nOutput: /tmp/b7.output"),
				call("Bash", `{"command":"make all","run_in_background":false}`, "built")),
			TitleCommands,
			[]string{"- 4 Bash(make all) → built",
				"- 2 Bash(make serve); it returned: Command running in background with ID: b7. " +
					"Output: /tmp/b7.output"}},
		{"data: a short answer as it is",
			talk(began, call("get_answer", `{"of":"life"}`, "forty-two")), TitleData,
			[]string{"- 2 get_answer(life) → forty-two"}},
		{"data: of a long text its beginning",
			talk(began, call("Inspect", `{"of":"oven"}`, "Done. It was the fuse.\n"+
				strings.Repeat("and so on ", 100)+"Which fuse shall I buy?")), TitleData,
			[]string{"- 2 Inspect(oven) → Done. It was the fuse." +
				strings.Repeat(" and so on", 13) + " […]"}},
		{"data: of a report both ends",
			talk(began, call("Task", `{"of":"oven"}`, "Done. It was the fuse.\n"+
				strings.Repeat("and so on ", 200)+"Which fuse shall I buy?")), TitleData,
			[]string{"- 2 Task(oven) → Done. It was the fuse." +
				strings.Repeat(" and so on", 77) + " […] so on" +
				strings.Repeat(" and so on", 37) + " Which fuse shall I buy?"}},
		{"data: of several arguments less than of one",
			talk(began, call("ask", `{"q":"`+strings.Repeat("why? ", 40)+`","to":"Ann"}`, "Since."),
				call("ask", `{"q":"`+strings.Repeat("why? ", 40)+`"}`, "No.")), TitleData,
			[]string{"- 4 ask(" + strings.Repeat("why? ", 39) + "why?) → No.",
				"- 2 ask(q=why?" + strings.Repeat(" why?", 13) + " […]" +
					strings.Repeat(" why?", 7) + ", to=Ann) → Since."}},
		{"data: an object without a short value is a text",
			talk(began, call("web_search", `{"q":"oven"}`, `{"results":[`+
				strings.Repeat(`{"title":"ovens"}, `, 20)+`{}]}`)), TitleData,
			[]string{`- 2 web_search(oven) → {"results":[` +
				strings.Repeat(`{"title":"ovens"}, `, 7) + `[…]`}},
		{"intent: the task and the latest request",
			talk(began, assistant("Yes."),
				user("Now the door of the bakery, and the window beside it.")), TitleIntent,
			[]string{"- task: message 1", "- latest request: message 3"}},
		{"intent: nobody asked", talk(assistant("Hello.")), TitleIntent,
			[]string{"- no message of a person stands in these turns"}},
	})
}
