package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/view"
)

// agentSession is a conversation in the making, as an agent sends it.
type agentSession struct{ messages []any }

func (s *agentSession) user(content any) {
	s.messages = append(s.messages, map[string]any{"role": "user", "content": content})
}

func (s *agentSession) replies(text string) {
	s.messages = append(s.messages, map[string]any{"role": "assistant", "content": text})
}

// calls adds a call with its result.
func (s *agentSession) calls(tool string, arguments map[string]any, result string) {
	raw, _ := json.Marshal(arguments)
	id := fmt.Sprintf("call_%d", len(s.messages))
	s.messages = append(s.messages,
		map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"id": id, "type": "function",
			"function": map[string]any{"name": tool, "arguments": string(raw)},
		}}},
		map[string]any{"role": "tool", "tool_call_id": id, "content": result})
}

// works adds calls of about this many tokens in all.
func (s *agentSession) works(calls int) {
	for i := range calls {
		n := len(s.messages) + i
		s.calls("Read", map[string]any{"file_path": fmt.Sprintf("/src/shop/part_%d.go", n)},
			strings.Repeat(fmt.Sprintf("func part%d() int { return %d }\n", n, n), 30))
	}
}

func (s *agentSession) body(t *testing.T) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "gpt-4o", "messages": s.messages})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// contentsOf returns the texts of a forwarded request, message by message and joined.
func contentsOf(t *testing.T, body []byte) (texts []string, all string) {
	t.Helper()
	for _, m := range mustParse(t, body).Messages() {
		texts = append(texts, string(m.Role())+"\x00"+m.Text())
	}
	return texts, strings.Join(texts, "\x01")
}

// A person's words are in a message of the user's, whatever the client writes around them, as parts
// or as one text; what the client writes alone is not a request.
func TestAPersonsWordsAreNeverHidden(t *testing.T) {
	const task = "Move the price rules out of the cart, and never touch the migrations folder."
	reminder := "<system-reminder>\nAs you answer, you can use the following context:\n" +
		strings.Repeat("# notes of the project\n", 40) + "</system-reminder>"
	environment := "<environment_context>\n  <cwd>/src/shop</cwd>\n  " +
		"<shell>zsh</shell>\n</environment_context>"
	details := "<environment_details>\n# Visible files\ncart.go\n</environment_details>"
	printed := "<local-command-stdout>Compacted. Always send everything.</local-command-stdout>"
	clock := "<current_datetime>2026-11-22T03:21:05Z</current_datetime>"
	part := func(texts ...string) (parts []any) {
		for _, text := range texts {
			parts = append(parts, map[string]any{"type": "text", "text": text})
		}
		return parts
	}
	for name, content := range map[string]any{
		"alone":                      task,
		"after a reminder, parts":    part(reminder, task),
		"after a reminder, one text": reminder + "\n\n" + task,
		"right after a reminder":     reminder + task,
		"before a reminder":          task + "\n" + reminder,
		"between two":                part(reminder, task, reminder),
		"after an environment":       environment + "\n" + task,
		"before details of it":       task + "\n\n" + details,
		"after what was printed":     part(printed, task),
		"after the time":             clock + "\n\n" + task,
		"of all": strings.Join([]string{environment, clock, reminder, task,
			details}, "\n\n"),
		"in a tag of the client's": "<task>\n" + task + "\n</task>\n\n" + details,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, fakeupstream.Config{}, foldBetween(6000, 3000))
			var s agentSession
			s.user("This is the Qwen Code. We are setting up the context for our chat.\nToday's " +
				"date is Sunday.")
			s.replies("Got it. Thanks for the context!")
			s.user(content)
			s.works(14)
			s.user("/mode")
			s.user("<task-notification>\n<status>completed</status>\n</task-notification>")
			s.replies("The rules are out.")
			s.user("Invoke the \"review\" skill.")
			s.works(14)
			f := g.chat(t, "sk-mine", s.body(t))
			texts, all := contentsOf(t, f.body)
			if !f.did("summary") {
				t.Fatalf("nothing was folded: %s, %s", f.header.Get("Killick-Action"),
					f.header.Get("Killick-Reason"))
			}
			found := false
			for _, text := range texts {
				found = found || strings.HasPrefix(text, "user\x00") &&
					strings.Contains(text, task) &&
					!strings.Contains(text, "[Record of earlier turns")
			}
			if !found {
				t.Errorf("the task is in no message of the user's: %s", all)
			}
			if !strings.Contains(all, "- task: message 3, kept above") {
				t.Errorf("the record takes something else for the task: %s", all)
			}
		})
	}
}

// A repeated read that the agent answers with a stub gets the content that is hidden,
// at every later turn alike.
func TestStubsGetTheirContent(t *testing.T) {
	for agent, stub := range map[string]string{
		"Claude Code": "Wasted call — file unchanged since your last Read. Refer to that earlier " +
			"tool_result instead.",
		"Claude Code, in other words": "File unchanged since last read. The content from the " +
			"earlier Read tool_result in this conversation is still current — refer to that " +
			"instead of re-reading.",
		"Claude Code, a reminder": "<system-reminder>This file is already in your " +
			"context</system-reminder>",
		"qwen-code": "[File src/cart.go unchanged since last read in this session — the full " +
			"content was provided earlier in this conversation. If you cannot retrieve that " +
			"prior content (e.g. after context compaction) or you suspect the file was modified " +
			"outside the read/edit tools, re-read with explicit offset/limit to fetch current " +
			"content.]",
	} {
		t.Run(agent, func(t *testing.T) {
			g := newGateway(t, fakeupstream.Config{}, foldBetween(6000, 3000))
			file := map[string]any{"file_path": "/src/shop/cart.go"}
			content := strings.Repeat("func Total(c Cart) Money { return c.sum() }\n", 20) +
				"// the last line of cart.go"
			var s agentSession
			s.user("Fix the total of the cart.")
			s.calls("Read", file, content)
			s.works(30)
			s.calls("Read", file, stub)
			first := g.chat(t, "sk-mine", s.body(t))
			texts, all := contentsOf(t, first.body)
			if !first.did("summary") && !first.did("mask") {
				t.Fatalf("nothing was hidden: %s", first.header.Get("Killick-Reason"))
			}
			if last := texts[len(texts)-1]; last != "tool\x00"+content {
				t.Errorf("the last result is %.200q, want the content: %s", last, all)
			}
			s.replies("The sum is wrong.")
			s.user("Go on.")
			second := g.chat(t, "sk-mine", s.body(t))
			later, _ := contentsOf(t, second.body)
			if len(later) < len(texts) || strings.Join(later[:len(texts)], "\x01") != all {
				t.Errorf("the next turn changed what was sent before")
			}
		})
	}
}

// An agent's request for a summary of its own conversation sees all of it, as long as
// it fits the window.
func TestAgentsSummariseTheirOwnConversation(t *testing.T) {
	for agent, request := range map[string]string{
		"Claude Code 2.1": "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT " +
			"use Read, Bash, Grep, Glob, Edit, Write, or ANY other tool.\n\n" +
			"Your task is to create a detailed summary of the conversation so far, paying close " +
			"attention to the user's explicit requests and your previous actions.",
		"Claude Code 1": "Your task is to create a detailed summary of the conversation so far, " +
			"paying close attention to the user's explicit requests and your previous " +
			"actions.\nThis summary should be thorough in capturing technical details.",
		"Codex": "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary " +
			"for another LLM that will resume the task.\n\nInclude:\n- Current progress",
		"opencode 1.2": "Provide a detailed prompt for continuing our conversation above.\nFocus " +
			"on information that would be helpful for continuing the conversation, including " +
			"what we did, what we're doing, which files we're working on, and what we're going " +
			"to do next.",
		"Copilot CLI": "Please create a detailed summary of the conversation so far. The history " +
			"is being compacted so moving forward, all conversation history will be removed and " +
			"you'll only have this summary to work from.",
	} {
		t.Run(agent, func(t *testing.T) {
			g := newGateway(t, fakeupstream.Config{}, foldBetween(6000, 3000))
			var s agentSession
			s.user("Fix the total of the cart.")
			s.works(30)
			s.replies("Nearly done.")
			s.user("Go on with the tax.")
			if f := g.chat(t, "sk-mine", s.body(t)); !f.did("summary") && !f.did("mask") {
				t.Fatalf("nothing is compacted: %s", f.header.Get("Killick-Reason"))
			}
			s.messages = s.messages[:len(s.messages)-1]
			s.user(request)
			body := s.body(t)
			f := g.chat(t, "sk-mine", body)
			if string(f.body) != string(body) || f.header.Get("Killick-Action") != "none" {
				t.Errorf("%s: the request was changed, %s", f.header.Get("Killick-Action"),
					f.header.Get("Killick-Reason"))
			}
			s.messages = s.messages[:len(s.messages)-1]
			s.user("What does this mean: «" + request + "»?")
			if f := g.chat(t, "sk-mine", s.body(t)); !f.did("summary") && !f.did("mask") {
				t.Error("a person who quotes the request gets nothing compacted")
			}
		})
	}
}

// A conversation of the model's window and more is compacted whoever asks.
func TestSummaryRequestsPastTheWindowAreCompacted(t *testing.T) {
	g := newGateway(t, fakeupstream.Config{}, func(c *config.Config) {
		between(3000, 1500)(c)
		c.Models = map[string]config.ModelSpec{"gpt-4o": {Window: 6000}}
	})
	var s agentSession
	s.user("Fix the total of the cart.")
	s.works(30)
	s.user("You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for " +
		"another LLM that will resume the task.")
	f := g.chat(t, "sk-mine", s.body(t))
	if len(f.body) >= len(s.body(t)) ||
		!strings.Contains(string(f.body), "CONTEXT CHECKPOINT COMPACTION") {
		t.Errorf("%s: %d bytes of %d were sent", f.header.Get("Killick-Reason"), len(f.body),
			len(s.body(t)))
	}
	if m := mustParse(t, f.body).Messages(); m[len(m)-1].Role() != view.User {
		t.Error("the request is not the last message")
	}
}
