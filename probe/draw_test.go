package probe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
)

// drawn lists the answers of the questions of one kind.
func drawn(questions []Question, kind Kind) []string {
	var out []string
	for _, q := range questions {
		if q.Kind == kind {
			out = append(out, q.Expected)
		}
	}
	return out
}

func TestSpoken(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"fix the login", "fix the login"},
		{"  fix the login \n", "fix the login"},
		{"", ""},
		{"/mode", ""},
		{"/", ""},
		{"/clear\n\nadd a shebang", "add a shebang"},
		{"/add aider/args.py aider/main.py\n\nadd a --map-refresh switch", "add a --map-refresh switch"},
		{"/usr/bin/env fails", "/usr/bin/env fails"},
		{"[Request interrupted by user]", ""},
		{"[Request interrupted by user for tool use]", ""},
		{"<command-message>init</command-message>\n<command-name>/init</command-name>", ""},
		{"<command-name>/plan</command-name><command-args>why are the hooks slow</command-args>", "why are the hooks slow"},
		{"<local-command-stdout>Goodbye!</local-command-stdout>", ""},
		{"<bash-input>git pull</bash-input>", ""},
		{"<system-reminder>Always be brief.</system-reminder>Fix it.", "Fix it."},
		{"Fix it. <system-reminder>never closed", "Fix it. never closed"},
		{"<user_query>fix it</user_query>", "fix it"},
		{"<environment_context>cwd: /tmp</environment_context>\n<task>fix it</task>", "fix it"},
		{"This session is being continued from a previous conversation that ran out of context.", ""},
		{"Base directory for this skill: /home/ana/.skills/tdd\n\n# Test first", ""},
		{"Invoke the superpowers:brainstorming skill and follow it exactly", ""},
		{"Invoke the billing endpoint and show me the reply", "Invoke the billing endpoint and show me the reply"},
		{"compare List<String> with Vec<u8>", "compare List<String> with Vec<u8>"},
		{"use <b>bold</b>", "use <b>bold</b>"},
	} {
		if got := spoken(tt.text); got != tt.want {
			t.Errorf("spoken(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestDrawTask(t *testing.T) {
	for _, tt := range []struct{ name, talk, want string }{
		{"the first real request", "user: /mode\nuser: [Request interrupted by user]\nuser: port the selector to the new theme", "port the selector to the new theme"},
		{"past a greeting", "user: Hi!\nassistant: Hello, how can I help?\nuser: I need to cancel my flight to Oslo.", "I need to cancel my flight to Oslo."},
		{"past a made-up pair", "user: Here are the files of the repository you may edit.\nassistant: Ok.\nuser: add a shebang to the script", "add a shebang to the script"},
		{"the request in a message, not its opening", "user: This is a fairly subtle function now. Let's add a few table tests.", "Let's add a few table tests."},
		{"past an introduction", "user: We're solving the following issue. ISSUE:\n  TimeDelta serialization loses precision", "TimeDelta serialization loses precision"},
		{"unsegmented", "user: 请重构登录模块。", "请重构登录模块。"},
		{"all there is", "user: fix tests", "fix tests"},
	} {
		questions := Draw(script(t, tt.talk), Config{})
		if len(questions) == 0 || questions[0].Expected != tt.want || !questions[0].Critical {
			t.Errorf("%s: got %+v, want the critical task %q first", tt.name, questions, tt.want)
		}
	}
}

func TestDrawRules(t *testing.T) {
	for _, tt := range []struct {
		text     string
		rule     bool
		critical bool
	}{
		{"Never push to the main branch.", true, true},
		{"never join on email, always on customer_id", true, true},
		{"Always run gofmt before committing.", true, true},
		{"You must not edit generated files.", true, true},
		{"The config mustn't be committed.", true, true},
		{"From now on answer in French.", true, true},
		{"Only use the standard library here.", true, true},
		{"Don't commit anything unless I say so.", true, true},
		{"please do not ever touch the vendor folder", true, true},
		{"Under no circumstances run terraform apply.", true, true},
		{"don't use mocks in those tests", true, false},
		{"truncated text must stop at a new line", true, false},
		{"Avoid screenshots in the guide.", true, false},
		{"不要直接推送到主分支。", true, true},
		{"Niemals auf der Produktion testen!", true, true},
		{"Il ne faut jamais modifier les factures.", true, true},
		{"Nunca borres las claves antiguas.", true, true},
		{"Никогда не переводи названия продуктов.", true, true},
		{"本番データベースには接続しないでください。", true, true},

		{"The parser never returns an error here.", false, false},
		{"it always crashes when I open the settings", false, false},
		{"a theme crash should never happen", false, false},
		{"Should we always use tabs?", false, false},
		{"never mind the failing build", false, false},
		{"Never forget the people's champ.", false, false},
		{"I don't know why the build fails", false, false},
		{"don't you think the name is too long", false, false},
		{"There must be a better way to do this.", false, false},
		{"why don't the tests run", false, false},
		{"it doesn't compile on Windows", false, false},
	} {
		talk := "user: Build the release pipeline for the gateway.\nassistant: ok, starting\nuser: " + tt.text
		questions := Draw(script(t, talk), Config{})
		rules := drawn(questions, Rule)
		switch {
		case tt.rule && (len(rules) != 1 || rules[0] != tt.text):
			t.Errorf("%q: drew %q, want it as a rule", tt.text, rules)
		case !tt.rule && len(rules) != 0:
			t.Errorf("%q: drew %q, want no rule", tt.text, rules)
		case tt.rule:
			i := slices.IndexFunc(questions, func(q Question) bool { return q.Kind == Rule })
			if questions[i].Critical != tt.critical {
				t.Errorf("%q: critical %v, want %v", tt.text, questions[i].Critical, tt.critical)
			}
		}
	}
}

func TestDrawRuleTakenBack(t *testing.T) {
	questions := Draw(script(t, `
user: Set up the release job. Don't push any tags to the public mirror.
assistant: Understood, only the private one.
user: Push any tags to the public mirror.`), Config{})
	if got := drawn(questions, Rule); len(got) != 0 {
		t.Errorf("drew %q, want no rule after it was taken back", got)
	}
}

func TestDrawFiles(t *testing.T) {
	questions := Draw(script(t, `
user: Split the configuration loader into two files.
tool read_file {"path":"config/read_only.go"} => package config
tool view {"path":"config/viewed.go"} => package config
tool str_replace_based_edit_tool {"command":"view","path":"config/looked_at.go"} => package config
tool Write {"file_path":"config/written.go","content":"package config"} => ok
tool apply_patch {"input":"*** Begin Patch\n*** Add File: config/patched.go\n+x\n*** End Patch"} => Done!
tool multi_edit {"filePath":"config/edited.go","edits":[]} => ok
tool edit {"path":"config/refused.go","old":"a"} => Error: old string not found
tool bash {"command":"cat > config/heredoc.go <<'EOF'\npackage config\nEOF"} => 
tool bash {"command":"go build ./... > /dev/null"} => 
tool update_reservation {"reservation_id":"QX7","cabin":"economy"} => ok`), Config{})
	got := drawn(questions, Path)
	slices.Sort(got)
	want := []string{"config/edited.go", "config/heredoc.go", "config/patched.go", "config/written.go"}
	if !slices.Equal(got, want) {
		t.Errorf("drew %q, want %q", got, want)
	}
}

func TestDrawFailures(t *testing.T) {
	for _, tt := range []struct{ name, talk, want string }{
		{"open", `tool bash {"command":"go test ./..."} => --- FAIL: TestLogin (0.04s)`, "--- FAIL: TestLogin"},
		{"the line that says most", `tool bash {"command":"python a.py"} => Traceback (most recent call last):
  File "a.py", line 3
 ValueError: invalid literal for int()`, "ValueError: invalid literal for int()"},
		{"an API's", `tool schedule {"day":"Saturday"} => {"error":"slot taken","response":""}`, "slot taken"},
		{"retried with success", "tool bash {\"command\":\"go test ./...\"} => --- FAIL: TestLogin (0.04s)\ntool bash {\"command\":\"cd api && go test -run Login ./...\"} => ok", ""},
		{"an edit retried", "tool edit {\"path\":\"a.go\",\"old\":\"x\"} => Error: old string not found\ntool edit {\"path\":\"a.go\",\"old\":\"y\"} => ok", ""},
		{"retried in vain", "tool bash {\"command\":\"make\"} => error: missing separator in the Makefile\ntool bash {\"command\":\"make\"} => error: no rule to make target all", "error: no rule to make target all"},
		{"a source that speaks of errors", `tool read {"path":"errors.go"} => error: this is a comment about errors in a long file` + strings.Repeat(" and more", 80), ""},
		{"a search that finds some", `tool grep {"pattern":"x"} => server.go:12: error here`, ""},
		{"called off", `tool bash {"command":"make"} => The user doesn't want to proceed with this tool use.`, ""},
		{"success with the word", `tool bash {"command":"make"} => 0 errors, 12 warnings`, ""},
		{"no error in JSON", `tool api {"q":"x"} => {"error": "", "response": "ok"}`, ""},
		{"only a code", `tool bash {"command":"grep x y"} => Exit code 1`, ""},
	} {
		got := drawn(Draw(script(t, "user: Repair the build of the gateway.\n"+tt.talk), Config{}), Failure)
		want := []string{tt.want}
		if tt.want == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: drew %q, want %q", tt.name, got, want)
		}
	}
}

func TestDrawValues(t *testing.T) {
	for _, tt := range []struct {
		text string
		kind Kind
		want string
	}{
		{"The backend port is 8081.", Number, "backend port is 8081"},
		{"Change the backend port from 8081 to 8085.", Number, "backend port 8085"},
		{"Set the timeout to 30 seconds.", Number, "timeout to 30 seconds"},
		{"My user ID is mia_li_3668.", Identifier, "user ID is mia_li_3668"},
		{"the reservation ID is QX7T2P", Identifier, "reservation ID is QX7T2P"},
		{"The version is v2.4.1.", Version, "version is v2.4.1"},
		{"Upgrade to go 1.25.6 please.", Version, "go 1.25.6"},
		{"The endpoint is https://api.example.com/v3.", URL, "endpoint is https://api.example.com/v3"},
		{"work on the branch alex/fix-login", Identifier, "branch alex/fix-login"},
		{"There are 3 tests and 12 files.", Number, ""},
		{"See line 42, exit code 17.", Number, ""},
		{"Is the port 9000?", Number, ""},
	} {
		got := drawn(Draw(script(t, "user: Set up the gateway.\nassistant: sure\nuser: "+tt.text), Config{}), tt.kind)
		want := []string{tt.want}
		if tt.want == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: drew %q, want %q", tt.text, got, want)
		}
	}
}

// The newest value of a name is asked for; what only the assistant said must have come up twice.
func TestDrawValuesInForce(t *testing.T) {
	questions := Draw(script(t, `
user: Start the worker. The worker port is 7000.
assistant: The metrics port is 9464.
user: No, the worker port is 7100.
assistant: The queue limit is 500. So the queue limit is 500 for all.`), Config{})
	got := drawn(questions, Number)
	slices.Sort(got)
	if want := []string{"queue limit is 500", "worker port is 7100"}; !slices.Equal(got, want) {
		t.Errorf("drew %q, want %q", got, want)
	}
}

func TestDrawDecisions(t *testing.T) {
	for _, tt := range []struct {
		role, text string
		want       bool
	}{
		{"assistant", "We decided to use SQLite instead of PostgreSQL because the team runs one node.", true},
		{"assistant", "I chose zap over logrus.", true},
		{"assistant", "PostgreSQL was rejected since it needs a server.", true},
		{"user", "Let's go with cursor pagination.", true},
		{"user", "use rgb values instead of palette indices", true},
		{"assistant", "Let me use grep instead of find.", false},
		{"assistant", "I'll use the read tool to look at the file.", false},
		{"user", "Should we use SQLite instead of PostgreSQL?", false},
		{"user", "the count is back to 19 instead of 26", false},
	} {
		talk := "user: Design the storage of the gateway.\nassistant: sure\n" + tt.role + ": " + tt.text
		got := drawn(Draw(script(t, talk), Config{}), Choice)
		if tt.want != slices.Contains(got, tt.text) {
			t.Errorf("%q: drew %q, want it drawn: %v", tt.text, got, tt.want)
		}
	}
}

func TestDrawDecisionUndone(t *testing.T) {
	got := drawn(Draw(script(t, `
user: Design the storage of the gateway.
assistant: We decided to use PostgreSQL because it is known.
user: no server please
assistant: We decided to use SQLite instead of PostgreSQL because it needs no server.`), Config{}), Choice)
	if len(got) != 1 || !strings.Contains(got[0], "SQLite") {
		t.Errorf("drew %q, want only the decision in force", got)
	}
}

func TestDrawLeavesSecretsOut(t *testing.T) {
	for _, text := range []string{
		"Never show the key sk-proj-abcdefghijklmnop1234 to anybody.",
		"the user id is ghp_abcdefghijklmnopqrstuvwx123456",
		"The endpoint is https://admin:hunter2@db.example.com/prod",
		"Always log in with the password tr0ub4dor on the host db.example.com",
	} {
		for _, q := range Draw(script(t, "user: Set up the gateway.\nassistant: sure\nuser: "+text), Config{}) {
			if q.Expected == text || strings.Contains(q.Expected, "sk-proj") || strings.Contains(q.Source, "hunter2") || strings.Contains(q.Source, "ghp_") || strings.Contains(q.Source, "tr0ub4dor") {
				t.Errorf("%q is asked for", q.Expected)
			}
		}
	}
}

// However long the transcript, the questions are bounded, every category is asked and the same ones are drawn again.
func TestDrawBounds(t *testing.T) {
	var talk strings.Builder
	talk.WriteString("user: Rewrite the billing service in Go.\n")
	for i := range 120 {
		fmt.Fprintf(&talk, "user: Never touch table_%d in the database. The worker%d port is %d.\n", i, i, 7000+i)
		fmt.Fprintf(&talk, "assistant: We decided to use library%d instead of library%d because of its size.\n", i, i+500)
		fmt.Fprintf(&talk, "tool write {\"path\":\"pkg/file%d.go\"} => ok\n", i)
		fmt.Fprintf(&talk, "tool bash {\"command\":\"check%d all\"} => error: check %d failed for good\n", i, i)
	}
	msgs := script(t, talk.String())
	for _, limit := range []int{0, 1, 4, 7, 24, 100} {
		questions := Draw(msgs, Config{MaxQuestions: limit})
		want := limit
		if limit == 0 {
			want = DefaultMaxQuestions
		}
		if len(questions) > want {
			t.Errorf("limit %d: %d questions", limit, len(questions))
		}
		critical, seen := 0, map[Category]bool{}
		for _, q := range questions {
			seen[q.Category] = true
			if q.Critical {
				critical++
			}
			if len(q.Expected) > maxFact || q.Prompt == "" || q.Source == "" {
				t.Errorf("limit %d: malformed question %+v", limit, q)
			}
		}
		if critical > DefaultMaxCritical {
			t.Errorf("limit %d: %d critical questions", limit, critical)
		}
		if want >= 7 && len(seen) != 4 {
			t.Errorf("limit %d: categories %v, want all four", limit, seen)
		}
		again := Draw(msgs, Config{MaxQuestions: limit})
		if fmt.Sprint(again) != fmt.Sprint(questions) {
			t.Errorf("limit %d: a second draw differs", limit)
		}
	}
}

func TestDrawNothing(t *testing.T) {
	for _, msgs := range [][]chat.Message{nil, script(t, "system: Always be brief."), script(t, "user: [Request interrupted by user]")} {
		if got := Draw(msgs, Config{}); len(got) != 0 {
			t.Errorf("drew %+v of nothing said", got)
		}
		if r := Ask(Draw(msgs, Config{}), "anything", Config{}); r.Verdict != Pass || r.Score != 1 {
			t.Errorf("report %+v of nothing asked, want a pass", r)
		}
	}
}
