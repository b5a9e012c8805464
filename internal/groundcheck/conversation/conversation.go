package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Conversation is a request as this package reads it.
type Conversation struct {
	Messages   []*Message       // after the leading instructions: number n is Messages[n-1]
	Calls      []*Call          // those with a result, in order
	Unanswered []*Call          // those without a result, in order
	cells      map[string]*Call // by cell: the call whose script goes on in it
}

// Message is one message.
type Message struct {
	Number int
	Raw    []byte
	Role   string
	Name   string   // of the participant or the tool
	texts  []string // of its text parts
	media  bool     // it has parts other than text
	Files  []string // images and files among these: the type, and the name in quotation marks
	failed bool     // a member of the message states that the call failed
	callID string
	before *Message // nil if it is the first
	Calls  []*Call
	Wrote  []*Call  // calls in the text, with their results
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

	Notice  string // it is no call, but a message that says that this session has ended
	Stopped *Call  // what ended the command that went on after the result
	Hosted  bool   // the provider ran it
	Written bool   // in the assistant's text, with its result in a message of the user
	Ran     Ran    // what it returned, if hosted
}

// Argument is one scalar of a call's arguments.
type Argument struct {
	Path string // the member names from the outermost in, separated by dots
	Name string // the outermost member name
	Leaf string // the innermost member name
	Text string
	Word bool // it is a string
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

// Named returns the first argument of one of these names.
func (c *Call) Named(names ...string) string {
	for _, name := range names {
		for _, a := range c.Args {
			if a.Name == name && a.Leaf == name {
				return a.Text
			}
		}
	}
	return ""
}

// Raw returns the arguments as the call spells them.
func (c *Call) Raw() string { return c.raw }

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

// Outcome is how a call ended, by explicit signs in its result.
type Outcome struct {
	Exit    int // valid if stated
	Stated  bool
	Failed  bool
	Refused bool
	Stopped bool // a command or a sub-agent in the background was ended
	// doubtful is set if the result may be the report of a failure or refusal.
	doubtful bool
}

// Bad reports whether the call failed or was not allowed to run.
func (o Outcome) Bad() bool { return o.Failed || o.Refused }

// Unsure reports whether the call may have failed.
func (o Outcome) Unsure() bool { return o.Bad() || o.doubtful }

// Ran is what the provider's own tool returned.
type Ran struct {
	end     Outcome
	Text    string // what it printed or returned, without its sources
	Sources []Source
}

// Source is a page or a file, with what is cited of it.
type Source struct{ Title, URL, Text string }

// resultItem is what one of several things in a call brought about, where the result lists them.
type resultItem struct {
	Query   *string
	Result  json.RawMessage
	Error   string
	Success *bool
}
