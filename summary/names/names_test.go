package names

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/packed"
)

// index returns the lines of the index of a conversation.
func index(t *testing.T, tokens int, msgs []string) []string {
	t.Helper()
	s := sourceOf(t, msgs)
	calls := s.CallsBefore(len(msgs))
	names := new(Reader).Read(s, nil, calls, 0, len(msgs), tokens).List(nil, tokens)
	text := strings.TrimPrefix(Text(names, "/home/me/app", 4000), Heading)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func TestIndex(t *testing.T) {
	const long = "go test -count=1 -run TestEverything/of_the_parser ./internal/parser/" +
		"deep_folder/parser_test.go"
	for name, c := range map[string]struct {
		msgs []string
		want []string
	}{
		"calls on one file": {slices.Concat(
			call("Read", `{"file_path":"/home/me/app/cmd/main.go"}`, "func parseAll()"),
			call("Read", `{"file_path":"/home/me/app/util.go"}`, "func readLine()"),
			call("Read", `{"file_path":"/home/me/app/cmd/main.go","offset":9}`, "func writeAll()"),
		), []string{"- cmd/main.go (5, 1): writeAll parseAll", "- util.go (3): readLine"}},
		"names beyond ASCII": {slices.Concat(
			call("Read", `{"file_path":"/home/me/app/отчёты/итог.bsl"}`,
				"Функция РассчитатьИтог(Строки, налог_1) // см. проект/Налоги.bsl"),
			[]string{`{"role":"assistant","content":"zähleEinträge ist in Überblick.java"}`},
		), []string{"- 3 said: zähleEinträge Überblick.java",
			"- отчёты/итог.bsl (1): РассчитатьИтог проект/Налоги.bsl налог_1"}},
		"statuses of a todo list are no names": {slices.Concat(call("TodoWrite",
			`{"todos":[{"content":"test parseAll","status":"in_progress"}]}`,
			`[{"content":"test parseAll","status":"in_progress"}]`),
			call("TaskUpdate", `{"taskId":"3","status":"in_progress"}`, "Updated task #3 status"),
		), []string{"- 1 TodoWrite(todos.0.content=test parseAll, […])"}},
		"names that are parts of others": {slices.Concat(
			call("Read", `{"file_path":"a.go"}`, "result.NewBranch\nNewBranch\nresult.OldBranch"),
		), []string{"- a.go (1): result.NewBranch result.OldBranch"}},
		"a long command": {slices.Concat(run(long, "0", "ran parseAll of 7 files")),
			[]string{"- 1 Bash(go test -count=1 -run TestEverything/of_the_parser […]): " +
				"./internal/parser/deep_folder/parser_test.go parseAll"}},
		"a long word first": {slices.Concat(call("exec_command",
			`{"cmd":"/opt/toolchains/aarch64-unknown-linux-musl/bin/compile_everything_at_once x"}`,
			"ran parseAll")), []string{"- 1 exec_command(/opt/toolchains/aarch64-unknown-linux-" +
			"musl/bin/compile_everything_at_once […]): parseAll"}},
		"a search in a folder": {slices.Concat(call("Grep",
			`{"output_mode":"content","path":"cmd","pattern":"parse.*"}`,
			"func parseAll()")), []string{"- 1 Grep(parse.*, cmd): parseAll"}},
		"several arguments": {slices.Concat(call("Task",
			`{"description":"Look for all callers","prompt":"Who calls what, and where?"}`,
			"readLine is called by parseAll")),
			[]string{"- 1 Task(description=Look for all […]): parseAll readLine"}},
		"lines of a file that commands print": {slices.Concat(
			run("sed -n '1,40p' cmd/main.go", "0", "func parseAll()"),
			call("Read", `{"file_path":"/home/me/app/cmd/main.go"}`, "func writeAll()"),
			run("cat cmd/main.go | head -5 && make", "0", "func readLine()"),
		), []string{"- 5 Bash(cat cmd/main.go | head -5 && make): readLine",
			"- cmd/main.go (3, 1): writeAll parseAll"}},
		"lines of a file in the folder that a command enters": {slices.Concat(
			run("cd /srv/app && cat conf/a.go", "0", "parseAll"),
			call("run_shell_command", `{"command":"cat a.go","dir_path":"conf"}`, "writeAll"),
		), []string{"- conf/a.go (3): writeAll", "- /srv/app/conf/a.go (1): parseAll"}},
		"lines of a file elsewhere": {slices.Concat(
			call("mcp__ssh__run_command", `{"host":"n3","command":"cat /etc/a.go"}`, "parseAll"),
			call("Read", `{"file_path":"/etc/a.go"}`, "writeAll"),
		), []string{"- /etc/a.go (3): writeAll",
			"- 1 mcp__ssh__run_command(cat /etc/a.go, host=n3): parseAll"}},
		"a series that nobody wrote": {slices.Concat(
			run("tail pay.log", "0", "seq=88101 seq=88102 seq=88103 seq=88104 seq=88105 seq=88106 "+
				"seq=88107 seq=88108 seq=88109 seq=88110 seq=88111 parseAll"),
			assistant("Number 88111 is wrong."),
		), []string{"- pay.log (1): parseAll 88111"}},
		"ids that nobody wrote": {slices.Concat(
			run("tail pay.log", "0", "e88101 e88102 e88103 e88104 e88105 e88106 e88107 e88108 "+
				"e88109 e88110 e88111 parseAll"),
			assistant("Number e88111 is wrong."),
		), []string{"- pay.log (1): e88111 parseAll e88101 e88102 e88103 e88104 e88105 e88106 " +
			"e88107 e88108"}},
		"a series that a person pasted": {slices.Concat(
			user("/api/1 /api/2 /api/3 /api/4 /api/5 /api/6 /api/7 /api/8 /api/9 /api/10 /api/11 "+
				"parseAll"),
			assistant("It is /api/11."),
		), []string{"- 2 said: /api/11", "- 1 said: parseAll /api/1 /api/2 /api/3 /api/4 " +
			"/api/5 /api/6 /api/7 /api/8"}},
		"a series that only the assistant wrote": {slices.Concat(
			assistant("/api/1 /api/2 /api/3 /api/4 /api/5 /api/6 /api/7 /api/8 /api/9 /api/10 "+
				"parseAll"),
			assistant("/api/11"),
		), []string{"- 2 said: /api/11", "- 1 said: parseAll /api/1 /api/2 /api/3 /api/4 " +
			"/api/5 /api/6 /api/7 /api/8"}},
		"names that its label shows": {slices.Concat(
			call("Grep", `{"pattern":"parse_all","path":"cmd"}`, ""),
			call("set_state", `{"id":"3","state":"in_progress"}`, "ok"),
		), []string{"- 3 set_state(id=3, state=in_progress)", "- 1 Grep(parse_all, cmd)"}},
		"members of what a call returned": {slices.Concat(
			call("get_order", `{"id":"K7-221"}`, `{"line_items": [{"sku_code": "sofa_bed"}], `+
				`"card_4411": {"card_id": "card_4411"}}`),
			call("Read", `{"file_path":"theme.json"}`, `{"mdLink": "dark_blue"}`),
		), []string{"- theme.json (3): mdLink dark_blue", "- 1 get_order(K7-221): sofa_bed " +
			"card_4411"}},
		"options of a call": {slices.Concat(
			call("Grep", `{"pattern":"parseAll","output_mode":"files_with_matches"}`, "a.go"),
			call("exec_command", `{"cmd":"make lint","sandbox_permissions":"require_escalated"}`,
				"ran readLine"),
		), []string{"- 3 exec_command(make lint): readLine", "- 1 Grep(parseAll): a.go"}},
		"words": {slices.Concat(user("Look at parseAll."), assistant("It calls readLine.")),
			[]string{"- 2 said: readLine", "- 1 said: parseAll"}},
		"sentences without a space between them": {slices.Concat(
			user("Look at this call.We need errors.New here.Let me see, au café.Nous y sommes."),
			assistant("Use `slices.Sort` or:\n```\ntime.Now()\n```\nNot os.Stat.Then fix it.So."),
			run("grep -n errors a.go", "0", "1: errors.New"),
		), []string{"- 3 Bash(grep -n errors a.go): errors.New", "- 2 said: time.Now slices.Sort"}},
	} {
		if got := index(t, 200, c.msgs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The names of a series that are listed beside count: a later record does not go on with it.
func TestASeriesIsListedOnce(t *testing.T) {
	s := sourceOf(t, run("tail pay.log", "0", "e88101 e88102 e88103 e88104 e88105 e88106 e88107 "+
		"e88108 e88109 e88110 e88111 parseAll readLine"))
	table := new(Reader).Read(s, nil, s.CallsBefore(2), 0, 2, 200)
	earlier := []string{"e88101", "e88102", "e88103", "e88104", "e88105", "e88106", "e88107",
		"e88108", "parseAll"}
	var got []string
	for _, n := range table.List(nil, 200, earlier) {
		got = append(got, n.Word)
	}
	if !slices.Equal(got, []string{"pay.log", "readLine"}) {
		t.Errorf("%q, want pay.log and readLine", got)
	}
}

// If there is no room for all names, those that are more likely to be written again are listed.
func TestNamesWorthListing(t *testing.T) {
	for name, msgs := range map[string][]string{
		"the user named it": slices.Concat(user("Fix parseWanted."),
			call("Read", `{"file_path":"a.go"}`, "parseWanted parseOthers")),
		"the assistant used it": slices.Concat(assistant("I see parseWanted."),
			call("Read", `{"file_path":"a.go"}`, "parseWanted parseOthers")),
		"it was shown last": slices.Concat(call("Read", `{"file_path":"a.go"}`, "parseOthers"),
			assistant("Go on."), assistant("And on."), assistant("And on."),
			call("Read", `{"file_path":"b.go"}`, "parseWanted")),
		"it is no number": slices.Concat(
			call("Read", `{"file_path":"a.go"}`, "48151623 parseWanted")),
	} {
		s := sourceOf(t, msgs)
		table := new(Reader).Read(s, nil, s.CallsBefore(len(msgs)), 0, len(msgs), 100)
		rank := func(word string) int {
			return slices.IndexFunc(table.Names, func(n nameUse) bool { return n.Word == word })
		}
		other := max(rank("parseOthers"), rank("48151623"))
		if wanted := rank("parseWanted"); wanted < 0 || wanted > other {
			t.Errorf("%s: it has rank %d, the other %d", name, wanted, other)
		}
	}
}

// An agent that works through a list that a call returned needs the names of what is left: once it
// wrote two of them, before or after the folded turns, all are listed. Other ids are a series.
func TestListsThatAreWorkedThroughAreListed(t *testing.T) {
	rows := make([]string, 20)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"deal_%d","amount":%d}`, 100+i, 5000+i)
	}
	list := call("list_deals", `{"owner":"Kim"}`, `{"data":[`+strings.Join(rows, ",")+`]}`)
	update := func(id string) []string { return call("update_deal", `{"id":"`+id+`"}`, "ok") }
	for name, c := range map[string]struct {
		msgs  []string
		later []string
		want  int
	}{
		"none is written":  {list, nil, maxNumbered},
		"one is":           {slices.Concat(list, update("deal_100")), nil, 1 + maxNumbered},
		"two are":          {slices.Concat(list, update("deal_100"), update("deal_101")), nil, 20},
		"one later":        {slices.Concat(list, update("deal_100")), []string{"deal_104"}, 20},
		"another is later": {slices.Concat(list, update("deal_100")), []string{"x1"}, 9},
	} {
		src := sourceOf(t, c.msgs)
		n := len(c.msgs)
		table := new(Reader).Read(src, nil, src.CallsBefore(n), 0, n, 1000)
		var w packed.Writer
		table.Encode(&w)
		for _, table := range []*Table{table, Decode(w)} {
			got := 0
			for _, n := range table.List(func() []string { return c.later }, 1000) {
				if strings.HasPrefix(n.Word, "deal_") {
					got++
				}
			}
			if got != c.want {
				t.Errorf("%s: %d ids are listed, want %d", name, got, c.want)
			}
		}
	}
}

// What a failed call returned is no content of the file that it names, and the agent's own words
// for a refusal name nothing.
func TestNamesOfFailedCalls(t *testing.T) {
	src := sourceOf(t, slices.Concat(
		user("Look."),
		call("Read", `{"file_path":"/srv/app/parser.go"}`,
			"<tool_use_error>File does not exist. Did you mean parse_old.go?</tool_use_error>"),
		call("Edit", `{"file_path":"/srv/app/lexer.go","old_string":"aB","new_string":"cD"}`,
			"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. "+
				"if it was a file edit, the new_string was NOT written to the file). To tell you "+
				"how to proceed, the user said:\nUse lex_all instead."),
	))
	table := new(Reader).Read(src, nil, src.CallsBefore(5), 0, 5, 1000)
	got := map[string]string{}
	for _, n := range table.List(nil, 1000) {
		got[n.Word] = n.Of + " " + n.Path
	}
	if of := got["parse_old.go"]; of != "Read(/srv/app/parser.go) " {
		t.Errorf("parse_old.go is of %q: %v", of, got)
	}
	for word, want := range map[string]bool{"lex_all": true, "new_string": false,
		"tool_use_error": false} {
		if _, listed := got[word]; listed != want {
			t.Errorf("%s is listed: %t, want %t", word, listed, want)
		}
	}
}

// The agent's own words for a sub-agent that goes on name nothing but its id.
func TestNamesOfSubAgentsThatGoOn(t *testing.T) {
	src := sourceOf(t, slices.Concat(user("Look."), call("Task",
		`{"description":"Ask","prompt":"Which?"}`,
		"Async agent launched successfully.\nagentId: a75f2e9 (internal ID - do not mention to "+
			"user. Use SendMessage to continue.)\n"+
			"The agent is working.\noutput_file: /tmp/tasks/a75f2e9.output")))
	var got []string
	table := new(Reader).Read(src, nil, src.CallsBefore(3), 0, 3, 1000)
	for _, n := range table.List(nil, 1000) {
		got = append(got, n.Word)
	}
	if want := []string{"a75f2e9"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
