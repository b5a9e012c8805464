package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"killick/internal/groundcheck/quoted"
)

// Conversation is a request as this package reads it.
type Conversation struct {
	lead     int              // instructions before the first message
	Messages []*Message       // after them, so that number n is messages[n-1]
	Calls    []*Call          // those with a result, in order
	cells    map[string]*Call // by cell: the call whose script goes on in it
}

// Message is one message.
type Message struct {
	Number int
	Raw    []byte
	Role   string
	Name   string   // of the participant or the tool
	texts  []string // of its text parts
	media  bool     // it has parts other than text
	failed bool     // a member of the message states that the call failed
	callID string
	before *Message // nil if it is the first
	Calls  []*Call
	Ran    []*Call  // by the provider: calls and results
	Cited  []Source // by the text

	folded, typed *string // of the text, computed when first needed
}

// Call is one call of a tool.
type Call struct {
	Caller *Message
	ID     string
	Tool   string
	raw    string // the arguments, one level of JSON decoded
	Args   []Argument
	Result *Message
	Script bool        // a script made it
	Shared bool        // others have the same result
	Item   *resultItem // of one of several tasks of a call: its result
	end    *Outcome    // nil until it is read
	Began  *Call       // what it reads on, nil if it is a call of its own
	Cell   string      // of the script that it goes on with

	Stopped *Call // what ended the command that went on behind the result
	Hosted  bool  // the provider ran it
	Ran     Ran   // what it returned, if hosted
}

// Argument is one scalar of a call's arguments.
type Argument struct {
	Path string // the member names from the outermost in, separated by dots
	Name string // the outermost member name
	Leaf string // the innermost member name
	Text string
	Word bool // it is a string
}

func Read(body []byte) (*Conversation, error) {
	var request struct{ Messages, Input []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	conv := &Conversation{cells: map[string]*Call{}}
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
		if m.Instructs() && len(conv.Messages) == 0 {
			conv.lead++
			continue
		}
		if n := len(conv.Messages); n > 0 {
			m.before = conv.Messages[n-1]
		}
		conv.Messages = append(conv.Messages, m)
		m.Number = len(conv.Messages)
	}
	conv.pair()
	return conv, nil
}

func readMessage(raw []byte) (*Message, error) {
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
	m := &Message{Raw: raw, Role: form.Role, callID: form.ToolCallID, failed: form.IsError ||
		form.ErrorToo}
	m.Name, _ = form.Name.(string)
	m.readContent(form.Content)
	m.readBlocks(form.Content)
	for _, note := range form.Annotations {
		m.Cited = append(m.Cited, Source{Title: note.Page.Title, URL: note.Page.URL})
	}
	for _, made := range form.ToolCalls {
		c := &Call{Caller: m, ID: made.ID, Tool: made.Function.Name}
		given := made.Function.Arguments
		if made.Custom.Name != "" {
			c.Tool, given = made.Custom.Name, made.Custom.Input
		}
		if json.Unmarshal(given, &c.raw) != nil {
			c.raw = string(given)
		}
		c.forward()
		c.Args = readArguments(c.raw)
		m.Calls = append(m.Calls, c)
	}
	return m, nil
}

// forward makes a call of qwen-code's "tool_call" the one that it forwards.
func (c *Call) forward() {
	var to struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	d := json.NewDecoder(strings.NewReader(c.raw))
	d.DisallowUnknownFields()
	if c.Tool == "tool_call" && d.Decode(&to) == nil && to.Name != "" &&
		strings.HasPrefix(string(to.Arguments), "{") {
		c.Tool, c.raw = to.Name, string(to.Arguments)
	}
}

func (m *Message) readContent(content json.RawMessage) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		m.texts = []string{text}
		return
	}
	var parts []struct {
		Type    string
		Text    *string
		Refusal *string
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
		}
	}
}

// Instructs reports whether the message is the operator's.
func (m *Message) Instructs() bool { return m.Role == "system" || m.Role == "developer" }

// Text returns all text of the message.
func (m *Message) Text() string { return strings.Join(m.texts, "\n") }

// HasWords reports whether the message has text of the assistant.
func (m *Message) HasWords() bool {
	return m.Role == "assistant" && strings.TrimSpace(m.Text()) != ""
}

// Fold returns the text with its white space folded.
func (m *Message) Fold() string {
	if m.folded == nil {
		folded := quoted.Fold(m.Text())
		m.folded = &folded
	}
	return *m.folded
}

// pair gives each call its result: a result belongs to the nearest earlier call with its id that
// has no result yet.
func (conv *Conversation) pair() {
	var made []*Call
	for _, m := range conv.Messages {
		made = append(m.ranBefore(made), m.Calls...)
		if m.Role != "tool" && m.Role != "function" {
			continue
		}
		for i := len(made) - 1; i >= 0; i-- {
			if made[i].ID == m.callID && made[i].Result == nil && !made[i].Hosted {
				made[i].Result = m
				break
			}
		}
	}
	for _, c := range made {
		switch {
		case c.Result == nil:
		case c.Hosted:
			conv.Calls = append(conv.Calls, c)
		default:
			conv.Calls = append(conv.Calls, conv.nested(c)...)
		}
	}
	conv.joinSessions()
}

// At returns the message with a number, nil if there is none.
func (conv *Conversation) At(number int) *Message {
	if number < 1 || number > len(conv.Messages) {
		return nil
	}
	return conv.Messages[number-1]
}

// Between returns the calls that have both call and result in the messages from first to last.
func (conv *Conversation) Between(first, last int) (calls []*Call) {
	for _, c := range conv.Calls {
		if c.Caller.Number >= first && c.Result.Number <= last {
			calls = append(calls, c)
		}
	}
	return calls
}

// readArguments lists the scalars of arguments in order. Text that is not a JSON object or array is
// one argument.
func readArguments(raw string) (args []Argument) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return nil
	}
	if trimmed[0] != '{' && trimmed[0] != '[' || !json.Valid([]byte(trimmed)) {
		return []Argument{{Text: raw, Word: true}}
	}
	d := json.NewDecoder(strings.NewReader(trimmed))
	d.UseNumber()
	var walk func(path, root, leaf string)
	walk = func(path, root, leaf string) {
		add := func(text string, word bool) {
			args = append(args, Argument{path, root, leaf, text, word})
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

// Command returns what the call runs, "" if it runs nothing.
func (c *Call) Command() string {
	if strings.Contains(c.Tool, "edit") && !c.Runs() {
		return "" // an editor's "command" is one of its actions
	}
	var words []string
	between := " "
	for _, name := range commandNames {
		if name == "commands" && !c.Runs() ||
			(name == "script" || name == "code") && !programs.MatchString(c.Tool) {
			continue
		}
		if name == "commands" {
			between = "; "
		}
		for _, a := range c.Args {
			if a.Name == name && a.Word {
				words = append(words, a.Text)
			}
		}
		if len(words) > 0 {
			break
		}
	}
	if len(words) == 0 && len(c.Args) == 1 && c.Args[0].Name == "" && c.Runs() {
		words = []string{c.Args[0].Text}
	}
	if n := len(words); n == 3 && between == " " && strings.HasPrefix(words[1], "-") {
		words = words[2:] // ["bash", "-lc", "go test ./..."]
	}
	return strings.TrimSpace(strings.Join(words, between))
}

// Runs reports whether the tool runs commands, judging by its name.
func (c *Call) Runs() bool {
	name := strings.ToLower(c.Tool)
	for _, word := range []string{"bash", "shell", "exec", "terminal", "run_command",
		"runcommand"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Decoded returns the values of all arguments.
func (c *Call) Decoded() string {
	var b strings.Builder
	for _, a := range c.Args {
		b.WriteString(a.Text + "\n")
	}
	return b.String()
}

// Same reports whether two messages have the same bytes.
func Same(a, b *Message) bool { return bytes.Equal(a.Raw, b.Raw) }
