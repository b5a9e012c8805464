package compactor

import (
	"slices"
	"strings"
	"testing"

	"killick/chat"
)

func message(t testing.TB, raw string) *chat.Message {
	t.Helper()
	m, err := chat.ParseMessage([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &m
}

func said(t testing.TB, role chat.Role, text string) *chat.Message {
	t.Helper()
	return message(t, `{"role":"`+string(role)+`","content":`+string(chat.AppendQuoted(nil, text))+`}`)
}

func TestRealRequestsAreAPersons(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"Fix the login", true},
		{"/usr/bin/env fails, why?", true},
		{"/api/users returns 500\nplease look", true},
		{"/mode", false},
		{"/model gpt-5", false},
		{"<command-message>init</command-message>", false},
		{"<command-name>/fix</command-name>\n<command-args>the login, please</command-args>", true},
		{"<command-name>/fix</command-name>\n<command-args> </command-args>", false},
		{"Base directory for this skill: /x\n# Debugging", false},
		{"<system-reminder>be nice</system-reminder>", false},
		{"[Request interrupted by user]", false},
		{"This session is being continued from a previous conversation that ran out of context.", false},
		{"  \n", false},
		{recordMark + " 3 messages…]", false},
	}
	for _, tt := range tests {
		if got := isRequest(said(t, chat.User, tt.text)); got != tt.want {
			t.Errorf("%q: a request: %t, want %t", tt.text, got, tt.want)
		}
	}
	if isRequest(said(t, chat.Assistant, "Fix it")) {
		t.Error("an assistant's message is a request")
	}
	if isRequest(message(t, `{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"image_url","image_url":{"url":"data:,"}}]}`)) {
		t.Error("a client's record is a request when an image stands in it")
	}
	if !isRequest(message(t, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}`)) {
		t.Error("an image alone is no request")
	}
}

func TestRules(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"Fix it. Never touch the migrations folder. Thanks", []string{"Never touch the migrations folder."}},
		{"- always run go vet first\n- fine", []string{"always run go vet first"}},
		{"Please don't commit anything yet.", []string{"Please don't commit anything yet."}},
		{"From now on, answer in French!", []string{"From now on, answer in French!"}},
		{"Use tabs; the API must not change.", []string{"Use tabs; the API must not change."}},
		{"No new dependencies.", []string{"No new dependencies."}},
		{"不要修改数据库。好的", []string{"不要修改数据库。"}},
		{"Why don't we use Redis?", nil},
		{"I don't think that works", nil},
		{"it never worked on my machine", nil},
		{"no, the other one", nil},
		{"```\nnever_do_this()\n```", nil},
		{"the code is whenever-based", nil},
	}
	for _, tt := range tests {
		if got := rulesIn(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: rules %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestFailures(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"Error: ENOENT: no such file", true},
		{"ok\n--- FAIL: TestX\nFAIL\tkillick/x\t0.1s", true},
		{"Traceback (most recent call last):\n  File…", true},
		{"npm ERR! code 1", true},
		{`{"error":"not found"}`, true},
		{`{"error":null,"ok":true}`, false},
		{`{"error":"","response":"[]"}`, false},
		{"package errors\n\n// Error is an error.\nfunc Error() {}\n" + strings.Repeat("// fine\n", 50), false},
		{"ok  \tkillick/chat\t0.02s", false},
		{"", false},
	}
	for _, tt := range tests {
		if got := looksFailed(said(t, chat.Tool, tt.text)); got != tt.want {
			t.Errorf("%q: failed: %t, want %t", tt.text, got, tt.want)
		}
	}
}

func TestReferences(t *testing.T) {
	text := "See src/main/auth.go:42 and https://example.com/a?b=1, then ErrUnknownHost in user_table " +
		"(commit 4f9c2e1a) at 10.0.0.1 port 8443. It is a plain sentence. ../x/y.ts /etc/hosts README.md e.g."
	got := topRefs(text, 20, nil)
	for _, want := range []string{"src/main/auth.go:42", "https://example.com/a?b=1", "ErrUnknownHost", "user_table", "4f9c2e1a", "8443", "../x/y.ts", "/etc/hosts", "README.md"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, word := range []string{"plain", "sentence", "See", "e.g"} {
		if slices.Contains(got, word) {
			t.Errorf("%q is no reference", word)
		}
	}
	if got := topRefs(text, 2, func(w string) bool { return strings.HasPrefix(w, "https:") }); !slices.Equal(got, []string{"src/main/auth.go:42", "../x/y.ts"}) {
		t.Errorf("the two best: %q", got)
	}
}

func TestCallsSayWhatTheyDo(t *testing.T) {
	tests := []struct {
		name, args string
		kind       callKind
		paths      []string
	}{
		{"Read", `{"file_path":"a.go"}`, callReads, []string{"a.go"}},
		{"read_file", `{"path":"a.go","offset":3}`, callReads, []string{"a.go"}},
		{"str_replace_editor", `{"command":"view","path":"a.go"}`, callReads, []string{"a.go"}},
		{"str_replace_editor", `{"command":"insert","path":"a.go"}`, callWrites, []string{"a.go"}},
		{"MultiEdit", `{"file_path":"a.go"}`, callWrites, []string{"a.go"}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: x/y.go\n@@"}`, callWrites, []string{"x/y.go"}},
		{"apply_patch", "--- a/x.go\n+++ b/x.go\n", callWrites, []string{"x.go"}},
		{"Bash", `{"command":"ls"}`, callRuns, nil},
		{"get_user_details", `{"user_id":"u1"}`, callReads, nil},
		{"think", `not json`, callOther, nil},
	}
	for _, tt := range tests {
		raw := chat.AppendQuoted(nil, tt.args)
		got := newCall(chat.ToolCall{Name: tt.name, Arguments: raw}, 0)
		if got.kind != tt.kind || !slices.Equal(got.paths, tt.paths) {
			t.Errorf("%s(%s): kind %d, paths %q; want %d, %q", tt.name, tt.args, got.kind, got.paths, tt.kind, tt.paths)
		}
	}
	if got := commandWrites(`cd x && go build > out.txt 2>&1 && rm -f a/b.go && git mv c.go d.go | tee log.txt`); !slices.Equal(got, []string{"out.txt", "a/b.go", "c.go", "d.go", "log.txt"}) {
		t.Errorf("files of a command: %q", got)
	}
}

func TestStaleOutputs(t *testing.T) {
	read := func(path string) call {
		return call{name: "read", args: path, kind: callReads, paths: []string{path}, whole: true}
	}
	run := func(command string, failed bool) call {
		return call{name: "bash", args: command, command: command, kind: callRuns, failed: failed}
	}
	write := call{name: "edit", args: "b", kind: callWrites, paths: []string{"b.go"}}
	calls := []call{read("a.go"), read("b.go"), run("go test ./x", true), write, read("a.go"), run("go test ./y", false), run("make", true)}
	stale, unresolved := judge(calls)
	if want := []staleness{superseded, superseded, retried, fresh, fresh, fresh, fresh}; !slices.Equal(stale, want) {
		t.Errorf("stale %v, want %v", stale, want)
	}
	if want := []bool{false, false, false, false, false, false, true}; !slices.Equal(unresolved, want) {
		t.Errorf("unresolved %v, want %v", unresolved, want)
	}
}

func TestWindows(t *testing.T) {
	own := map[string]Window{"local-*": {Tokens: 9000}, "openai/gpt-5.1": {Tokens: 1000, Reserve: 10}}
	tests := []struct {
		model string
		want  Window
	}{
		{"gpt-5.1-2025-11-13", knownWindows["gpt-5"]},
		{"openai/gpt-5.1", Window{1000, 10}},
		{"azure/gpt-4o-mini", knownWindows["gpt-4o"]},
		{"ft:gpt-4.1-mini:org::id", knownWindows["gpt-4.1"]},
		{"o1-mini", knownWindows["o1-mini"]},
		{"local-llama", Window{9000, 1125}},
		{"", defaultWindow},
		{"nobody-knows", defaultWindow},
	}
	for _, tt := range tests {
		if got := WindowOf(tt.model, own); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.model, got, tt.want)
		}
	}
	for name, w := range knownWindows {
		if w.Reserve >= w.Tokens/2 {
			t.Errorf("%s: a reserve of %d leaves too little of %d", name, w.Reserve, w.Tokens)
		}
	}
}

func TestBudgets(t *testing.T) {
	w := Window{Tokens: 100_000, Reserve: 10_000}
	tests := []struct {
		trigger, target Size
		want            Budget
	}{
		{0, 0, Budget{60_000, 35_000, 3000, 90_000, 0}},
		{32_000, 16_000, Budget{32_000, 16_000, 1600, 90_000, 0}},
		{1, 0.5, Budget{90_000, 45_000, 4500, 90_000, 0}},           // the window less the reply's share
		{200_000, 150_000, Budget{90_000, 67_500, 4500, 90_000, 0}}, // a target keeps its distance
		{50_000, 60_000, Budget{50_000, 45_000, 2500, 90_000, 0}},   // and stays under its trigger
	}
	for _, tt := range tests {
		p := Policy{Trigger: tt.trigger, Target: tt.target}.withDefaults()
		if got := p.Budget(w, 1); got != tt.want {
			t.Errorf("%v, %v: %+v, want %+v", tt.trigger, tt.target, got, tt.want)
		}
	}
}

func TestModelsThatCountMoreHaveLessRoom(t *testing.T) {
	w := Window{Tokens: 100_000, Reserve: 10_000}
	if got := (Policy{Trigger: 32_000}).withDefaults().Budget(w, 1.31).Trigger; got != 32_000 {
		t.Errorf("a trigger far below the window moved to %d", got)
	}
	if got := (Policy{Trigger: 0.8}).withDefaults().Budget(w, 1.31).Trigger; got != 64_285 {
		t.Errorf("trigger %d, want the window less the reserve by 1.4", got)
	}
}
