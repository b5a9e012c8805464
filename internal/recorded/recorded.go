// Package recorded reads recorded conversations for tests. They are not part of the repository: a
// test that asks for them is skipped if there are none. It returns conversations as they were
// recorded; whether one is a valid request is for the test to decide.
package recorded

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"killick/chat"
	"killick/view"
)

// folderVariable names the folder of the recordings. If it is unset, they are looked for in
// shared/data beside the repository or beside a parent folder.
const folderVariable = "KILLICK_DATA"

// Files returns the recordings whose file name matches the pattern of filepath.Match. Each is a
// file of JSON objects, one per line. It is an error if a folder is named and has none.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	folder, named := os.LookupEnv(folderVariable)
	if folder == "" {
		folder, named = besideRepository(t), false
	}
	if folder == "" {
		t.Skipf("no folder shared/data beside the repository, and %s is not set: nothing is read "+
			"that was recorded", folderVariable)
	}
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(files) > 0:
	case named:
		t.Fatalf("%s is %s, which has no file %s", folderVariable, folder, pattern)
	default:
		t.Skipf("%s has no file %s: nothing is read that was recorded", folder, pattern)
	}
	return files
}

func besideRepository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "shared", "data")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return found
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Conversation is a recorded conversation.
type Conversation struct {
	ID       string
	Tools    json.RawMessage // the definitions, nil if none are known
	Messages []json.RawMessage
}

// Conversations returns all recorded conversations, in the order of their files.
func Conversations(t testing.TB) (all []Conversation) {
	t.Helper()
	for _, file := range Files(t, "*.jsonl") {
		lines, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(lines) {
			var c Conversation
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(c.Messages) > 0 { // a line of something else has none
				all = append(all, c)
			}
		}
	}
	return all
}

// everyVariable, set to "all", has tests read all that was recorded.
const everyVariable = "KILLICK_RECORDED"

// All reports whether KILLICK_RECORDED is "all": tests leave nothing out to save time.
func All() bool { return os.Getenv(everyVariable) == "all" }

// Some returns every step-th recorded conversation from number first on, and with
// KILLICK_RECORDED=all each of them: what a test replays where all would take minutes.
func Some(t testing.TB, first, step int) (some []Conversation) {
	t.Helper()
	all := Conversations(t)
	if All() {
		return all
	}
	for i := first; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}

// Body returns the request with the first n messages after fields, its leading members, such as
// `"model":"gpt-4o"`.
func (c *Conversation) Body(fields string, n int) []byte {
	b := []byte("{" + fields)
	if len(c.Tools) > 0 {
		b = append(append(b, `,"tools":`...), c.Tools...)
	}
	b = append(b, `,"messages":[`...)
	for i, m := range c.Messages[:n] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, m...)
	}
	return append(b, `]}`...)
}

// Parse returns the messages as package chat parses them.
func (c *Conversation) Parse(t testing.TB) []view.Message {
	t.Helper()
	msgs := make([]view.Message, len(c.Messages))
	for i, raw := range c.Messages {
		var err error
		if msgs[i], err = chat.ParseMessage(raw); err != nil {
			t.Fatalf("%s, message %d: %v", c.ID, i, err)
		}
	}
	return msgs
}

// FromAssistant reports whether a message is a model's answer.
func (c *Conversation) FromAssistant(i int) bool {
	var m struct{ Role string }
	return json.Unmarshal(c.Messages[i], &m) == nil && m.Role == "assistant"
}
