package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replaySessions replays files and returns what was printed.
func replaySessions(t *testing.T, args ...string) (out, warnings string, code int) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(append([]string{"replay", "--prices", "p=.1,w=1.25,name=mine"}, args...),
		strings.NewReader(""), &stdout, &stderr, nil)
	return stdout.String(), stderr.String(), code
}

// sessionFile returns the path of a session file of an agent, written to a folder of the test.
func sessionFile(t *testing.T, name, more string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "replay", "sessions", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(file, append(text, more...), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// A session file is billed by the usage that it holds, without --usage.
func TestReplayBillsSessionFiles(t *testing.T) {
	for _, test := range []struct {
		file          string
		conversations int
		recorded      float64 // cached at .1, written at 1.25
	}{
		{"claude.jsonl", 2, .1*2940 + 1.25*1981 + 28},
		{"codex.jsonl", 1, .1*960 + 1.25*2112 + 78},
		{"codex-token-count.jsonl", 1, .1*480 + 1.25*580},
	} {
		out, warnings, code := replaySessions(t, "--json", sessionFile(t, test.file, ""))
		var got struct {
			Conversations []struct{ Model string }
			Strategies    []struct {
				Invoices []struct{ Bill struct{ Recorded float64 } }
			}
		}
		if code != exitGood {
			t.Fatalf("%s: code %d: %s", test.file, code, warnings)
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		bill := got.Strategies[0].Invoices[0].Bill
		if len(got.Conversations) != test.conversations || bill.Recorded != test.recorded ||
			!strings.Contains(got.Conversations[0].Model, "-") {
			t.Errorf("%s: %+v, recorded %v, want %v", test.file, got.Conversations, bill.Recorded,
				test.recorded)
		}
	}
}

// What could not be read is said, and nothing of the text.
func TestReplaySaysWhatSessionFilesLack(t *testing.T) {
	file := sessionFile(t, "claude.jsonl", `{"type":"user","uuid":"u9","message":{"content":"Now`)
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, []byte(`{"type":"summary","leafUuid":"a","summary":"harbour"}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	out, warnings, code := replaySessions(t, file, empty)
	for _, want := range []string{
		"killick: warning: left out: 1 file without an answer of a model\n",
		"killick: warning: last lines without an end, left out: 1\n",
		"killick: warning: lines of the unknown type tide-table, left out: 1\n"} {
		if code != exitGood || !strings.Contains(warnings, want) {
			t.Errorf("code %d, warnings %s, want %s", code, warnings, want)
		}
	}
	if all := out + warnings; strings.Contains(all, "harbour") || strings.Contains(all, "anchor") {
		t.Errorf("text of a conversation: %s", all)
	}
	if !strings.Contains(out, "simulated ÷ recorded") {
		t.Errorf("no recorded bill: %s", out)
	}
	if _, warnings, code = replaySessions(t, empty); code == exitGood || !strings.Contains(warnings,
		"a session file of Claude Code without an answer of a model; it has lines of these "+
			"types: 1 summary; want the file of a session with turns") {
		t.Errorf("code %d: %s", code, warnings)
	}
}

// Session files have usage of their own beside --usage.
func TestReplayTakesUsageBesideSessionFiles(t *testing.T) {
	dir := t.TempDir()
	transcript, recorded := filepath.Join(dir, "t.jsonl"), filepath.Join(dir, "u.jsonl")
	for name, text := range map[string]string{
		transcript: `{"id":"a","messages":[{"role":"user","content":"a"},` +
			`{"role":"assistant","content":"b"}]}`,
		recorded: `{"id":"a","requests":[{"messages":1,"t":1700000000,"write":9}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, warnings, code := replaySessions(t, "--usage", recorded, transcript,
		sessionFile(t, "codex.jsonl", ""))
	if code != exitGood || strings.Contains(warnings, "without usage") {
		t.Errorf("code %d: %s", code, warnings)
	}
}
