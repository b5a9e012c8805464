package summary

import (
	"slices"
	"strings"
	"testing"
)

// What a call created is often inside an object that says little else.
func TestValuesInsideOthersAreShown(t *testing.T) {
	long := strings.Repeat("text ", 60)
	begin := strings.Repeat("text ", 30) + "text […]"
	for name, test := range map[string]struct{ args, result, want string }{
		"one inside another": {`{"summary":"Alert"}`,
			`{"message":"created","issue":{"key":"PAY-901","summary":"Alert","text":"` + long +
				`"}}`,
			`open_ticket(Alert) → message: created; issue.key: PAY-901; issue.text: ` + begin},
		"several levels": {`{"title":"A"}`,
			`{"data":{"issueCreate":{"success":true,"issue":{"id":"x-1","body":"` + long + `"}}}}`,
			`open_ticket(A) → data.issueCreate.success: true; data.issueCreate.issue.id: x-1; ` +
				`data.issueCreate.issue.body: ` + begin},
		"an error": {`{"points":4200}`,
			`{"success":false,"error":{"code":"NEEDS_APPROVAL",` +
				`"message":"Кількість балів перевищує ліміт: потрібна згода керівника відділу."}}`,
			`open_ticket(points=4200) → success: false; error.code: NEEDS_APPROVAL; ` +
				`error.message: Кількість балів перевищує ліміт: ` +
				`потрібна згода керівника відділу.`},
		"a list": {`{"title":"A"}`, `{"hp":12,"inventory":["a lamp of brass",` +
			`"a rope of ten ells","a key of silver","a book of spells"]}`,
			`open_ticket(A) → hp: 12; inventory: ["a lamp of brass",` +
				`"a rope of ten ells","a key of silver","a book of spells"]`},
		"a longer list": {`{"title":"A"}`, `{"total":60,"hits":["` + long + `"]}`,
			`open_ticket(A) → total: 60; hits: […]`},
		"more than there is room for": {`{"title":"A"}`,
			`{"a":"` + long + `","b":"` + long + `","c":"` + long + `"}`,
			`open_ticket(A) → a: ` + begin + `; b: […]; c: […]`},
		"a short one stays whole": {`{"title":"A"}`, `{"issue":{"key":"K-1"}}`,
			`open_ticket(A) → issue: {"key":"K-1"}`},
		"one beside others": {`{"key":"K-1"}`,
			`{"expand":"names","id":"7","self":"/7","key":"K-1","fields":{"summary":"It drips",` +
				`"text":["` + long + `"]},"transitions":[]}`,
			`open_ticket(K-1) → expand: names; id: 7; self: /7; fields.summary: It drips; ` +
				`fields.text: […]; transitions: []`},
		"of many members only those of the outermost": {`{"title":"A"}`,
			`{"a":1,"b":2,"c":3,"d":4,"e":{"key":"K-1","text":"` + long + `"},"f":6,"g":7,"h":8,` +
				`"i":9}`,
			`open_ticket(A) → a: 1; b: 2; c: 3; d: 4; […]; f: 6; g: 7; h: 8; i: 9`},
	} {
		record := summarized(t, talk(user("Begin."), call("open_ticket", test.args, test.result))).
			Render(wide)
		if lines := linesUnder(record, TitleData); !slices.Equal(lines,
			[]string{"- 2 " + test.want}) {
			t.Errorf("%s:\n%s\nwant %s", name, strings.Join(lines, "\n"), test.want)
		}
	}
}

// A tool that is called like those for files, but names no file, returns values like any other.
func TestValuesOfToolsNamedLikeThoseForFiles(t *testing.T) {
	record := summarized(t, talk(user("Begin."),
		call("mcp__tickets__create", `{"title":"Refund"}`, `{"key":"PAY-901"}`))).Render(wide)
	want := []string{"- 2 mcp__tickets__create(Refund) → key: PAY-901"}
	if lines := linesUnder(record, TitleData); !slices.Equal(lines, want) {
		t.Errorf("%q, want %q in\n%s", lines, want, record)
	}
}

// What a command showed is quoted whole if it is short, and then before longer ones; no line of a
// long output is. So are several lines of another command.
func TestShortOutputsOfCommandsThatShowAreQuoted(t *testing.T) {
	show := func(command, output string) []string {
		return call("Bash", `{"command":"`+command+`"}`, output)
	}
	record := summarized(t, talk(began, show("git branch --show-current", "fix/oven-7"),
		show("cat plan.txt", strings.Repeat("Mend it.\n", 20)),
		show("grep -n port oven.yml", "3:port: 8443\n4:ports: 2\n"),
		show("ls tmp", ""), show("make size", "2 rooms\n7 ovens\n"))).Render(wide)
	want := []string{"- 10 Bash(make size) → 2 rooms 7 ovens",
		"- 6 Bash(grep -n port oven.yml) → 3:port: 8443 4:ports: 2",
		"- 2 Bash(git branch --show-current) → fix/oven-7",
		"- 8 Bash(ls tmp)", "- 4 Bash(cat plan.txt)"}
	if got := linesUnder(record, TitleCommands); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
