package groundcheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What a record says of files that commands changed.
func TestFilesThatCommandsChange(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "read", `{"path":"a.go"}`), // 1
		result("a", "package main\\nfunc parseAll() {}"),
		calls("", "b", "bash", `{"command":"cd x && rm y/b.go"}`), // 3
		result("b", "Exit code: 0\\nOutput:\\n"),
		calls("", "c", "bash", `{"command":"sed -i s/a/b/ a.go && false"}`), // 5
		result("c", "Exit code: 1\\nOutput:\\n"),
		calls("", "d", "bash", `{"command":"rm a.go"}`), // 7
		result("d", ""),
		calls("", "e", "bash", `{"command":"cd x && mv e.go f.go"}`), // 9
		result("e", ""),
		calls("", "f", "bash", `{"command":"make && rm g.go"}`), // 11
		result("f", ""),
		calls("", "g", "bash", `{"command":"git checkout -- h.go"}`), // 13
		result("g", ""),
	)
	for _, test := range []struct {
		path, tool  string
		times, last int
		rule        string // that fires; "" if none does
	}{
		{"a.go", "bash delete", 1, 7, ""},
		{"x/y/b.go", "bash delete", 1, 3, ""},
		{"a.go", "bash delete", 2, 7, ruleUses},
		{"a.go", "bash delete", 1, 3, ruleFile},
		{"a.go", "bash edit", 1, 5, ruleFile}, // it failed
		{"c.go", "bash delete", 1, 7, ruleFile},
		{"a.go", "bash move from", 1, 7, ruleFile},
		{"x/e.go", "bash move from", 1, 9, ""},
		{"h.go", "bash restore", 1, 13, ""},
		{"h.go", "bash write", 1, 13, ruleFile},
		{"g.go", "bash delete", 1, 11, ruleFile}, // what failed may be another program
	} {
		c := under(conv, "", 14)
		c.commandUse(test.path, test.tool, test.times, test.last)
		wantRule(t, c.report, fmt.Sprintf("%s %d times (last %d): %s", test.tool, test.times,
			test.last, test.path), test.rule)
	}
	for text, rule := range map[string]string{
		"message 1, from line 1:": ruleLatest,
		"message 1, from line 1, before message 5, which may have changed the file:": "",
		"message 1, from line 1, before message 6, which may have changed the file:": ruleCall,
		"message 1, from line 1, before message 1, which may have changed the file:": rulePlace,
		"message 1, from line 1, before another call of this message, which may have changed " +
			"the file:": rulePlace,
	} {
		c := under(conv, "", 0)
		c.working(workingOpening+"\n\n## a.go\n"+text+"\n|package main\n", 1, 8)
		wantRule(t, c.report, text, rule)
	}
}

// Of a call that reads several files or runs several commands, each is a call of its own.
func TestTasksOfACall(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "read_files", `{"files":[{"path":"a.go","start_line":2,"end_line":3},`+
			`{"path":"no.go"}]}`), // 1
		result("a", `[{\"query\":\"a.go:2-3\",\"result\":\"2 | a\",\"success\":true},`+
			`{\"query\":\"no.go\",\"result\":\"\",\"error\":\"none\",\"success\":false}]`),
		calls("", "b", "run_commands", `{"commands":["make","cat a.go"]}`), // 3
		result("b", `[{\"query\":\"make\",\"result\":\"[Command exited with code 2]\\nno\",`+
			`\"success\":false},{\"query\":\"cat a.go\",\"result\":\"a\\n\",\"success\":true}]`),
		calls("", "c", "run_commands", `{"commands":["make","make test"]}`), // 5
		result("c", `[{\"query\":\"make test\",\"result\":\"\",\"success\":true},`+
			`{\"query\":\"make\",\"result\":\"\",\"success\":true}]`), // in another order
	)
	var got []string
	for _, k := range conv.Calls {
		ended := k.Ended()
		got = append(got, fmt.Sprintf("%d %s failed %t %d %t: %q", k.Caller.Number,
			strings.Join(strings.Fields(k.Decoded()), " "), ended.Failed, ended.Exit, ended.Stated,
			k.Output()))
	}
	want := []string{
		`1 a.go 2 3 failed false 0 false: "2 | a\n"`, `1 no.go failed true 0 false: "none\n"`,
		`3 make failed true 2 true: "no\n"`, `3 cat a.go failed false 0 false: "a\n"`,
		`5 make make test failed false 0 false: "\n\n"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// After a call that could not change a file, a later use of the file is stated.
func TestLaterUseOfAFile(t *testing.T) {
	conv := read(t,
		system,
		calls("", "a", "Edit", `{"file_path":"a.go","old_string":"a","new_string":"b"}`), // 1
		result("a", "<tool_use_error>String to replace not found in file.</tool_use_error>"),
		calls("", "b", "Edit", `{"file_path":"b.go","old_string":"a","new_string":"b"}`), // 3
		result("b", "ok"),
		calls("", "c", "Edit", `{"file_path":"a.go","old_string":"a","new_string":"c"}`), // 5
		result("c", "ok"),
		calls("", "d", "Bash", `{"command":"cd /x && make"}`), // 7
		result("d", `Exit code 2\nno rule\nShell cwd was reset to /w`),
	)
	const entry = "1 Edit(a.go) → reported an error%s; it returned: String to replace not found " +
		"in file."
	for text, rule := range map[string]string{
		fmt.Sprintf(entry, ""):                                      "",
		fmt.Sprintf(entry, ", later Edit of this file (5)"):         "",
		fmt.Sprintf(entry, ", later Edit of this file (3)"):         ruleFile,
		fmt.Sprintf(entry, ", later Edit of this file (1)"):         ruleFile,
		"7 Bash(cd /x && make) → exit code 2; it returned: no rule": "",
		"7 Bash(cd /x && make) → exit code 2; it returned: no rule Shell cwd was reset to " +
			"/w": ruleValue,
	} {
		c := under(conv, openTitle, 8)
		c.outcome(text)
		wantRule(t, c.report, text, rule)
	}
}

// What a record says of images and files, of which only the first may be named. Names may have
// colons.
func TestAttachments(t *testing.T) {
	const image = `{"type":"image_url","image_url":{"url":"data:image/`
	conv := read(t, system, task,
		`{"role":"user","content":[`+image+`png;base64,AA"}},`+image+`gif;base64,AA"}},`+
			image+`a b;base64,AA"}},{"type":"file","file":{"filename":"Re: a.pdf"}},`+
			image+`gif;base64,AA"}}]}`)
	for text, rule := range map[string]string{
		`2 user: image/png, 2 × image/gif, image, file "Re: a.pdf"`: "",
		`2 user: image/png, 2 × image/gif, 2 more`:                  "",
		`2 user: image/png, 2 × image/gif, 3 more`:                  ruleValue,
		`2 user: image/png, image/gif, image, file "Re: a.pdf"`:     ruleValue,
		`2 client: image/png, 4 more`:                               ruleSpeaker,
		`3 user: image`:                                             rulePlace,
	} {
		c := under(conv, "", 2)
		c.attached(text)
		wantRule(t, c.report, text, rule)
	}
}
