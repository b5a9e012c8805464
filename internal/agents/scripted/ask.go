package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/agents/programs"
	"killick/internal/fakeconverse"
	"killick/internal/fakegemini"
)

// Ask is what the scripted model reads in a request.
type Ask struct {
	Tools []string // their names
	Last  int      // the newest turn whose results are there, 0 if none
	// part is the newest part of the work that a person asked for, 0 if none.
	part int
	// results are the texts behind the last answer of the model, by the id of their call.
	results map[string]string
	// unnamed are those of results that name no call.
	unnamed []string
	// Items are the entries of the conversation, without marks for the prompt cache.
	Items []string
	// OwnCompaction is set if the agent asks for a summary of its own conversation: by the trigger
	// of /v1/responses, or by a message.
	OwnCompaction bool
	compacted     bool   // a compaction item of /v1/responses stands in it
	Marks         int    // cache_control, or cache points
	text          string // of the user's messages
}

var (
	callID = regexp.MustCompile(`_t(\d{4})n\d`)
	partOf = regexp.MustCompile(`Part (\d+) of \d+:`)

	// compactionRequests are texts in an agent's request for a summary of its own conversation, as
	// these releases write it.
	compactionRequests = []string{
		"Your task is to create a detailed summary of",                           // Claude Code
		"You are performing a CONTEXT CHECKPOINT COMPACTION",                     // Codex
		"Create a new anchored summary from the conversation",                    // opencode
		"Please create a detailed summary of the conversation so far",            // Copilot CLI
		"Construct a new summary that combines both",                             // opencode, again
		"Update the anchored summary below using the conversation history above", // opencode
		"Your task is to produce a faithful, concise summary of the",             // Grok Build
		"You are a conversation summarizer. Your task is to create",              // deepagents
	}
)

// turnOf returns the turn that a call's id names, 0 if none.
func turnOf(id string) int {
	m := callID.FindStringSubmatch(id)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// idOf makes the id of the kth call of a turn.
func idOf(prefix string, turn, k int) string {
	return fmt.Sprintf("%s_t%04dn%d", prefix, turn, k)
}

type wireTool struct {
	Type     string                `json:"type"`
	Name     string                `json:"name"`
	Function struct{ Name string } `json:"function"`
	Tools    []wireTool            `json:"tools"`
	Declared []wireTool            `json:"functionDeclarations"`
	Spec     struct{ Name string } `json:"toolSpec"`
}

func (t wireTool) names() []string {
	var names []string
	if name := cmp.Or(t.Name, t.Function.Name, t.Spec.Name); name != "" {
		names = append(names, name)
	}
	if t.Type == "shell" || t.Type == "apply_patch" { // hosted tools have no name
		names = append(names, t.Type)
	}
	for _, inner := range append(t.Tools, t.Declared...) {
		names = append(names, inner.names()...)
	}
	return names
}

type wirePart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Stdout    string          `json:"stdout"` // of a hosted shell
}

// partsOf reads a content, which is a string or a list of parts, of a hosted shell with what each
// command printed.
func partsOf(raw json.RawMessage) []wirePart {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []wirePart{{Type: "text", Text: text}}
	}
	var parts []wirePart
	_ = json.Unmarshal(raw, &parts) // what is neither has no text
	return parts
}

func textOf(raw json.RawMessage) string {
	var texts []string
	for _, part := range partsOf(raw) {
		texts = append(texts, part.Text+part.Stdout)
	}
	return strings.Join(texts, "\n")
}

// readAsk reads a request body.
func readAsk(format string, body []byte) (Ask, error) {
	var head struct {
		Tools    []wireTool        `json:"tools"`
		Messages []json.RawMessage `json:"messages"`
		Contents []json.RawMessage `json:"contents"`
		Input    json.RawMessage   `json:"input"`
		Config   wireTool          `json:"toolConfig"`
		Request  json.RawMessage   `json:"request"` // of Code Assist
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return Ask{}, fmt.Errorf("reading a request of the agent's: %w", err)
	}
	if format == programs.FormatGemini && head.Request != nil {
		return readAsk(format, head.Request)
	}
	a := Ask{results: map[string]string{}, Marks: strings.Count(string(body), `"cache_control":`)}
	for _, tool := range append(head.Tools, head.Config) {
		a.Tools = append(a.Tools, tool.names()...)
	}
	switch format {
	case programs.FormatMessages, programs.FormatChat, programs.FormatOllama:
		a.readMessages(head.Messages)
		return a, nil
	case programs.FormatGemini:
		a.readContents(head.Contents)
		return a, nil
	case programs.FormatConverse:
		a.readConverse(head.Messages)
		return a, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(head.Input, &items) != nil {
		items = nil
	}
	a.readItems(items)
	return a, nil
}

func (a *Ask) readMessages(messages []json.RawMessage) {
	for i, raw := range messages {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			CallID  string          `json:"tool_call_id"`
		}
		_ = json.Unmarshal(raw, &m) // a message of another shape says nothing
		a.Items = append(a.Items, withoutMarks(raw))
		switch m.Role {
		case "assistant":
			clear(a.results)
			a.unnamed = nil
		case "tool":
			if m.CallID == "" { // over Ollama's chat, LangChain and ai-sdk-ollama send none
				a.unnamed = append(a.unnamed, textOf(m.Content))
				continue
			}
			a.result(m.CallID, textOf(m.Content))
		}
		if m.Role != "user" {
			continue
		}
		for _, part := range partsOf(m.Content) {
			if part.Type == "tool_result" {
				a.result(part.ToolUseID, textOf(part.Content))
				continue
			}
			a.user(part.Text, i == len(messages)-1)
		}
	}
}

// readContents reads the contents of a request for Google's generateContent.
func (a *Ask) readContents(contents []json.RawMessage) {
	for i, raw := range contents {
		var c fakegemini.Content
		_ = json.Unmarshal(raw, &c) // a content of another shape says nothing
		a.Items = append(a.Items, string(raw))
		if c.Role == "model" {
			clear(a.results)
			a.unnamed = nil
			continue
		}
		for _, part := range c.Parts {
			switch {
			case part.Response != nil:
				var r struct {
					Output, Result string
					Error          json.RawMessage // a text, or an object with one
				}
				_ = json.Unmarshal(part.Response.Response, &r) // then the result is empty
				if part.Response.ID == "" {                    // LangChain and LlamaIndex send none
					a.unnamed = append(a.unnamed, r.Output+r.Result+string(r.Error))
					continue
				}
				a.result(part.Response.ID, r.Output+r.Result+string(r.Error))
			case part.Text != nil:
				a.user(*part.Text, i == len(contents)-1)
			}
		}
	}
}

func (a *Ask) readItems(items []json.RawMessage) {
	answered := false
	for i, raw := range items {
		var item struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			CallID  string          `json:"call_id"`
			Output  json.RawMessage `json:"output"`
			Tools   []wireTool      `json:"tools"`
		}
		_ = json.Unmarshal(raw, &item) // an item of another shape says nothing
		a.Items = append(a.Items, withoutMarks(raw))
		for _, tool := range item.Tools {
			a.Tools = append(a.Tools, tool.names()...)
		}
		switch {
		case strings.HasSuffix(item.Type, "_call_output"):
			if !answered {
				clear(a.results)
			}
			answered = true
			a.result(item.CallID, textOf(item.Output))
			continue
		case item.Type == "compaction_trigger":
			a.OwnCompaction = true
		case item.Type == "compaction":
			a.compacted = true
		case item.Role == "user":
			a.user(textOf(item.Content), i == len(items)-1)
		}
		answered = false
	}
}

// readConverse reads the messages of a request for Bedrock's Converse.
func (a *Ask) readConverse(messages []json.RawMessage) {
	for i, raw := range messages {
		var m fakeconverse.Message
		_ = json.Unmarshal(raw, &m) // a message of another shape says nothing
		a.Items = append(a.Items, withoutMarks(raw))
		if m.Role == "assistant" {
			clear(a.results)
			continue
		}
		for _, block := range m.Content {
			switch {
			case block.Point != nil:
				a.Marks++
			case block.Text != nil:
				a.user(*block.Text, i == len(messages)-1)
			case block.Result != nil:
				a.result(block.Result.ID, converseText(block.Result.Content))
			}
		}
	}
}

// converseText returns the text of a result: of each of its parts, or the JSON of one that has no
// text.
func converseText(parts []json.RawMessage) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		var text struct{ Text string }
		_ = json.Unmarshal(part, &text) // a part of another shape has no text
		if texts[i] = text.Text; text.Text == "" {
			texts[i] = string(part)
		}
	}
	return strings.Join(texts, "\n")
}

func (a *Ask) result(id, text string) {
	a.results[id] = text
	a.Last = max(a.Last, turnOf(id))
}

// user reads a text of a user's message.
func (a *Ask) user(text string, newest bool) {
	for _, m := range partOf.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		a.part = max(a.part, n)
	}
	a.text += text + "\n"
	if newest {
		a.OwnCompaction = a.OwnCompaction ||
			slices.ContainsFunc(compactionRequests, func(request string) bool {
				return strings.Contains(text, request)
			})
	}
}

var mark = regexp.MustCompile(`,?"cache_control":\{[^{}]*\}|,?\{"cachePoint":\{[^{}]*\}\}`)

// withoutMarks is an entry of the conversation as it stays when the marks move on.
func withoutMarks(raw json.RawMessage) string { return mark.ReplaceAllString(string(raw), "") }

// Continues reports whether the conversation begins with an earlier one.
func (a Ask) Continues(earlier Ask) bool {
	return len(earlier.Items) <= len(a.Items) &&
		slices.Equal(earlier.Items, a.Items[:len(earlier.Items)])
}
