package groundcheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// conversation is a request as this package reads it.
type conversation struct {
	lead     int              // instructions before the first message
	messages []*message       // after them, so that number n is messages[n-1]
	calls    []*call          // those with a result, in order
	cells    map[string]*call // by cell: the call whose script goes on in it
}

// message is one message.
type message struct {
	number int
	raw    []byte
	role   string
	name   string   // of the participant or the tool
	texts  []string // of its text parts
	media  bool     // it has parts other than text
	files  []string // images and files among these: the type, and the name in quotation marks
	failed bool     // a member of the message states that the call failed
	callID string
	before *message // nil if it is the first
	calls  []*call
	ran    []*call  // by the provider: calls and results
	cited  []source // by the text

	folded, typed *string // of the text, computed when first needed
}

// call is one call of a tool.
type call struct {
	caller *message
	id     string
	tool   string
	raw    string // the arguments, one level of JSON decoded
	args   []argument
	result *message
	script bool        // a script made it
	shared bool        // others have the same result
	item   *resultItem // of one of several tasks of a call: its result
	end    *outcome    // nil until it is read
	began  *call       // what it reads on, nil if it is a call of its own
	cell   string      // of the script that it goes on with

	notice  string // it is no call, but a message that says that this session has ended
	stopped *call  // what ended the command that went on behind the result
	hosted  bool   // the provider ran it
	ran     ran    // what it returned, if hosted
}

// argument is one scalar of a call's arguments.
type argument struct {
	path string // the member names from the outermost in, separated by dots
	name string // the outermost member name
	leaf string // the innermost member name
	text string
	word bool // it is a string
}

func readConversation(body []byte) (*conversation, error) {
	var request struct{ Messages, Input []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	conv := &conversation{cells: map[string]*call{}}
	all, err := turns(request.Input)
	if err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	for i, raw := range request.Messages {
		m, err := readMessage(raw)
		if err != nil {
			return nil, fmt.Errorf("reading message %d: %w", i, err)
		}
		all = append(all, m)
	}
	for _, m := range all {
		if m.instructs() && len(conv.messages) == 0 {
			conv.lead++
			continue
		}
		if n := len(conv.messages); n > 0 {
			m.before = conv.messages[n-1]
		}
		conv.messages = append(conv.messages, m)
		m.number = len(conv.messages)
	}
	conv.pair()
	return conv, nil
}

func readMessage(raw []byte) (*message, error) {
	var form struct {
		Role       string
		Name       any
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		IsError    bool   `json:"is_error"`
		ErrorToo   bool   `json:"isError"`
		// Pages that a reply of chat completions cites.
		Annotations []struct {
			Page struct{ Title, URL string } `json:"url_citation"`
		}
		ToolCalls []struct {
			ID       string
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
			Custom struct {
				Name  string
				Input json.RawMessage
			}
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, err
	}
	m := &message{raw: raw, role: form.Role, callID: form.ToolCallID, failed: form.IsError ||
		form.ErrorToo}
	m.name, _ = form.Name.(string)
	m.readContent(form.Content)
	m.readBlocks(form.Content)
	for _, note := range form.Annotations {
		m.cited = append(m.cited, source{title: note.Page.Title, url: note.Page.URL})
	}
	for _, made := range form.ToolCalls {
		c := &call{caller: m, id: made.ID, tool: made.Function.Name}
		given := made.Function.Arguments
		if made.Custom.Name != "" {
			c.tool, given = made.Custom.Name, made.Custom.Input
		}
		if json.Unmarshal(given, &c.raw) != nil {
			c.raw = string(given)
		}
		c.forward()
		c.args = readArguments(c.raw)
		m.calls = append(m.calls, c)
	}
	return m, nil
}

// forward makes a call of qwen-code's "tool_call" the one that it forwards.
func (c *call) forward() {
	var to struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	d := json.NewDecoder(strings.NewReader(c.raw))
	d.DisallowUnknownFields()
	if c.tool == "tool_call" && d.Decode(&to) == nil && to.Name != "" &&
		strings.HasPrefix(string(to.Arguments), "{") {
		c.tool, c.raw = to.Name, string(to.Arguments)
	}
}

func (m *message) readContent(content json.RawMessage) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		m.texts = []string{text}
		return
	}
	var parts []struct {
		Type    string
		Text    *string
		Refusal *string
		mediaPart
	}
	if json.Unmarshal(content, &parts) != nil {
		return
	}
	for _, p := range parts {
		switch {
		case p.Text != nil:
			m.texts = append(m.texts, *p.Text)
		case p.Refusal != nil:
			m.texts = append(m.texts, *p.Refusal)
		default:
			m.media = true
			m.files = append(m.files, p.named(p.Type)...)
		}
	}
}

// instructs reports whether the message is the operator's.
func (m *message) instructs() bool { return m.role == "system" || m.role == "developer" }

// text returns all text of the message.
func (m *message) text() string { return strings.Join(m.texts, "\n") }

// hasWords reports whether the message has text of the assistant.
func (m *message) hasWords() bool {
	return m.role == "assistant" && strings.TrimSpace(m.text()) != ""
}

// fold returns the text with its white space folded.
func (m *message) fold() string {
	if m.folded == nil {
		folded := fold(m.text())
		m.folded = &folded
	}
	return *m.folded
}

// pair gives each call its result: a result belongs to the nearest earlier call with its id that
// has no result yet.
func (conv *conversation) pair() {
	var made []*call
	for _, m := range conv.messages {
		made = append(m.ranBefore(made), m.calls...)
		if m.role != "tool" && m.role != "function" {
			continue
		}
		for i := len(made) - 1; i >= 0; i-- {
			if made[i].id == m.callID && made[i].result == nil && !made[i].hosted {
				made[i].result = m
				break
			}
		}
	}
	for _, c := range made {
		switch {
		case c.result == nil:
		case c.hosted:
			conv.calls = append(conv.calls, c)
		default:
			conv.calls = append(conv.calls, conv.nested(c)...)
		}
	}
	conv.joinSessions()
}

// at returns the message with a number, nil if there is none.
func (conv *conversation) at(number int) *message {
	if number < 1 || number > len(conv.messages) {
		return nil
	}
	return conv.messages[number-1]
}

// between returns the calls that have both call and result in the messages from first to last.
func (conv *conversation) between(first, last int) (calls []*call) {
	for _, c := range conv.calls {
		if c.caller.number >= first && c.result.number <= last {
			calls = append(calls, c)
		}
	}
	return calls
}

// readArguments lists the scalars of arguments in order. Text that is not a JSON object or array is
// one argument.
func readArguments(raw string) (args []argument) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return nil
	}
	if trimmed[0] != '{' && trimmed[0] != '[' || !json.Valid([]byte(trimmed)) {
		return []argument{{text: raw, word: true}}
	}
	d := json.NewDecoder(strings.NewReader(trimmed))
	d.UseNumber()
	var walk func(path, root, leaf string)
	walk = func(path, root, leaf string) {
		add := func(text string, word bool) {
			args = append(args, argument{path, root, leaf, text, word})
		}
		token, err := d.Token()
		if err != nil {
			return
		}
		switch v := token.(type) {
		case json.Delim:
			for i := 0; d.More(); i++ {
				key, name, inner := strconv.Itoa(i), root, leaf
				if v == '{' {
					token, _ := d.Token()
					key, _ = token.(string)
					inner = key
					if name == "" {
						name = key
					}
				}
				walk(strings.TrimPrefix(path+"."+key, "."), name, inner)
			}
			_, _ = d.Token() // the closing bracket
		case string:
			add(v, true)
		case nil:
			add("null", false)
		case bool:
			add(strconv.FormatBool(v), false)
		default:
			add(fmt.Sprint(v), false)
		}
	}
	walk("", "", "")
	return args
}

// command returns what the call runs, "" if it runs nothing.
func (c *call) command() string {
	if strings.Contains(c.tool, "edit") && !c.runs() {
		return "" // an editor's "command" is one of its actions
	}
	var words []string
	between := " "
	for _, name := range commandNames {
		if name == "commands" && !c.runs() ||
			(name == "script" || name == "code") && !programs.MatchString(c.tool) {
			continue
		}
		if name == "commands" {
			between = "; "
		}
		for _, a := range c.args {
			if a.name == name && a.word {
				words = append(words, a.text)
			}
		}
		if len(words) > 0 {
			break
		}
	}
	if len(words) == 0 && len(c.args) == 1 && c.args[0].name == "" && c.runs() {
		words = []string{c.args[0].text}
	}
	if n := len(words); n == 3 && between == " " && strings.HasPrefix(words[1], "-") {
		words = words[2:] // ["bash", "-lc", "go test ./..."]
	}
	return strings.TrimSpace(strings.Join(words, between))
}

// runs reports whether the tool runs commands, judging by its name.
func (c *call) runs() bool {
	name := strings.ToLower(c.tool)
	for _, word := range []string{"bash", "shell", "exec", "terminal", "run_command",
		"runcommand"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// decoded returns the values of all arguments.
func (c *call) decoded() string {
	var b strings.Builder
	for _, a := range c.args {
		b.WriteString(a.text + "\n")
	}
	return b.String()
}

// same reports whether two messages have the same bytes.
func same(a, b *message) bool { return bytes.Equal(a.raw, b.raw) }
