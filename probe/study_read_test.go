package probe_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/recorded"
)

// The study's own reading of a transcript. It shares no code with the probe, on purpose: it decodes with encoding/json and
// finds facts by expressions of its own, so that what a summary tells is not what the probe happens to look for.

// talk is a conversation, or the part of one that a summary is to replace.
type talk struct {
	id    string
	turns []turn
	msgs  []chat.Message // the same, as the probe is given it
}

type turn struct {
	role   string
	text   string
	calls  []toolCall
	callID string // of a tool's result
}

type toolCall struct {
	id, name string
	args     map[string]any
}

func (c toolCall) arg(names ...string) string {
	for _, n := range names {
		if s, ok := c.args[n].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// held reports whether a conversation belongs to the half on which nothing was tuned.
func (t *talk) held() bool {
	h := fnv.New32a()
	h.Write([]byte(t.id))
	return h.Sum32()%2 == 1
}

// cut returns the first n messages, or as many more as complete the results of their calls.
func (t *talk) cut(n int) *talk {
	for n < len(t.turns) && t.turns[n].role == "tool" {
		n++
	}
	return &talk{id: t.id, turns: t.turns[:n], msgs: t.msgs[:n]}
}

// cuts returns the spans that are studied: parts of the conversation from its start, each with something to tell.
func (t *talk) cuts() (out []*talk) {
	seen := map[int]bool{}
	for _, share := range []float64{0.25, 0.5, 0.75, 1} {
		part := t.cut(int(share * float64(len(t.turns))))
		if len(part.turns) >= 6 && !seen[len(part.turns)] {
			seen[len(part.turns)] = true
			out = append(out, part)
		}
	}
	return out
}

// readTalk reads a recorded conversation.
func readTalk(t *testing.T, c *recorded.Conversation) *talk {
	t.Helper()
	read := &talk{id: c.ID, msgs: c.Parse(t)}
	for _, raw := range c.Messages {
		one, err := parseTurn(raw)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		read.turns = append(read.turns, one)
	}
	return read
}

func parseTurn(raw []byte) (turn, error) {
	var m struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return turn{}, err
	}
	out := turn{role: m.Role, callID: m.ToolCallID}
	var parts []struct{ Text string }
	if json.Unmarshal(m.Content, &out.text) != nil && json.Unmarshal(m.Content, &parts) == nil {
		for _, p := range parts {
			out.text += p.Text + "\n"
		}
	}
	for _, c := range m.ToolCalls {
		call := toolCall{id: c.ID, name: c.Function.Name}
		_ = json.Unmarshal([]byte(c.Function.Arguments), &call.args) // one that is no object has no arguments
		out.calls = append(out.calls, call)
	}
	return out, nil
}

// realTalks returns the recorded conversations.
func realTalks(t *testing.T) (out []*talk) {
	t.Helper()
	for _, c := range recorded.Conversations(t) {
		out = append(out, readTalk(t, &c))
	}
	return out
}

var (
	clientMade = regexp.MustCompile(`^(\[Request|Caveat|Base directory for|This session is being continued|Invoke the |<local-command|<bash-|\[Image|Operation stopped by hook|Here is a demonstration)`)
	reminders  = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>|<command-(message|name|contents)>.*?</command-(message|name|contents)>|<task-notification>.*?</task-notification>`)
	tags       = regexp.MustCompile(`</?[a-z][a-z_-]*>`)
	fences     = regexp.MustCompile("(?s)```.*?(```|$)")
	slashLine  = regexp.MustCompile(`(?m)^/[a-z]+.*$`)
)

// said returns what a person said in a user's turn, "" if a client made it.
func said(text string) string {
	text = strings.TrimSpace(text)
	if clientMade.MatchString(text) {
		return ""
	}
	text = reminders.ReplaceAllString(text, "")
	text = fences.ReplaceAllString(text, "")
	text = tags.ReplaceAllString(text, "")
	text = slashLine.ReplaceAllString(text, "")
	return strings.TrimSpace(strings.ReplaceAll(text, "###STOP###", ""))
}

var sentenceEnd = regexp.MustCompile(`[.!?]+[)"'*]*(\s+|$)|:?\n+`)

// sentences cuts text where a person would take breath, without the marks of lists and headings.
func sentences(text string) (out []string) {
	at := 0
	for _, m := range append(sentenceEnd.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		s := strings.Trim(text[at:m[1]], " \t\r\n-*#>•|")
		at = m[1]
		if len(strings.Fields(s)) > 1 {
			out = append(out, s)
		}
	}
	return out
}

// shortPath leaves out leading folders of a long path, as people do, and keeps three parts at least.
func shortPath(p string, leave int) string {
	parts := strings.Split(strings.TrimPrefix(p, "/"), "/")
	return strings.Join(parts[min(leave, max(0, len(parts)-3)):], "/")
}

// sharedFolders counts the leading folders that all the absolute paths have in common.
func sharedFolders(paths []string) int {
	var shared []string
	for i, p := range paths {
		parts := strings.Split(strings.TrimPrefix(p, "/"), "/")
		if i == 0 {
			shared = parts
		}
		n := 0
		for n < min(len(parts), len(shared)) && parts[n] == shared[n] {
			n++
		}
		shared = shared[:n]
	}
	return len(shared)
}

func (t *talk) String() string { return fmt.Sprintf("%s[:%d]", t.id, len(t.turns)) }
