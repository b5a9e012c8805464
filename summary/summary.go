package summary

import (
	"killick/summary/names"
	"killick/summary/quotes"
	"killick/transcript"
)

// maxEntries limits each list of a summary. Rendering takes as much of each as there is room for.
const maxEntries = 60

// Summary describes a span of folded turns. Messages are identified by number: the first after the
// leading instructions is 1. The zero Summary covers no turns.
type Summary struct {
	First int `json:"first_message"` // the first that it covers
	Last  int `json:"last_message"`
	Folds int `json:"folds"` // how many compactions it was merged from

	// the person's first message, 0 if there is none
	Task   int    `json:"task"`
	Latest int    `json:"latest_request"` // the newest one
	Kept   []Kept `json:"kept_messages"`  // messages that are sent along with the record
	// quotes of messages that are not kept, or whose question is needed; newest first
	Words []quotes.UserQuote `json:"user_words"`
	// messages of persons that are neither kept nor quoted
	WordsLeftOut int `json:"user_words_absent"`

	Files []File    `json:"files"` // most recently touched first
	Calls []Outcome `json:"calls"` // the last outcome of each distinct call, newest first
	// calls without a result, newest first
	Unanswered []Unanswered     `json:"unanswered,omitempty"`
	Todos      transcript.Todos `json:"todos"` // the last state of the agent's todo list
	// what replies cite and no call of the provider's found, newest first
	Cited []quotes.Cited `json:"cited,omitempty"`
	// what messages have beside text, newest first
	Attached []quotes.Attached `json:"attached,omitempty"`
	// the assistant's closing words of each request, newest first
	Reports  []quotes.Quote `json:"reports"`
	State    *quotes.Quote  `json:"state"` // the assistant's last words
	LastCall *Call          `json:"last_call"`

	// references, the most useful first, with the last call that showed each
	Names []names.Name `json:"names"`
	// pinned texts other than persons' messages, oldest first
	Pinned  []Pinned `json:"pinned"`
	Repairs []string `json:"repairs"` // lines added because the record lacked them
	// the ref of a list of what is not sent whole; "" if everything is
	Originals string `json:"originals"`

	Older Older `json:"older"` // the lists from which older entries were dropped

	// Statements were written by a model. A record shows them separately.
	Statements []Statement `json:"statements,omitempty"`
}

// Older names the lists from which the oldest entries were dropped.
type Older struct {
	Files      bool `json:"files,omitempty"`
	Calls      bool `json:"calls,omitempty"`
	Reports    bool `json:"reports,omitempty"`
	Cited      bool `json:"cited,omitempty"`
	Unanswered bool `json:"unanswered,omitempty"`
}

func (o Older) or(p Older) Older {
	return Older{o.Files || p.Files, o.Calls || p.Calls, o.Reports || p.Reports,
		o.Cited || p.Cited, o.Unanswered || p.Unanswered}
}

// Call is one call by its message and its description.
type Call struct {
	At   int    `json:"message"`
	Text string `json:"text"`
	// OnTodos: it is one on the todo list. BeforeTodos: such calls came after it.
	OnTodos     bool `json:"on_todos,omitempty"`
	BeforeTodos bool `json:"before_todos,omitempty"`
}

// Kept is a message that is sent along with the record.
type Kept struct {
	At    int    `json:"message"`
	Class string `json:"class"` // KeptPerson or KeptClient
	Cut   bool   `json:"cut,omitempty"`
}

// The classes of kept messages, by their author.
const (
	KeptPerson = "user"
	KeptClient = "client"
)

// File is a file that calls named, with the tools that did.
type File struct {
	Path string `json:"path"`
	Uses []Use  `json:"uses"` // most recent first
	Last int    `json:"last"` // the last message with a call that named the file
	// Changed is set if a patch or a tool that is known to write or delete named the file.
	Changed bool `json:"changed,omitempty"`
}

// Use counts how often one tool named a file. Failed calls do not count.
type Use struct {
	Tool  string `json:"tool"` // its name, or the action in the header of a patch
	Times int    `json:"times"`
	Last  int    `json:"last"`
	// Recent: the file was left out of earlier turns, which may have used it more often.
	Recent bool `json:"recent,omitempty"`
}

// Outcome is how the last run of a call ended.
type Outcome struct {
	Key string `json:"key"`     // of the tool and all arguments
	At  int    `json:"message"` // or the last message that read what the command printed
	// the message that ran the command, if others read on; else 0
	Began int    `json:"began,omitempty"`
	Tool  string `json:"tool"`
	What  string `json:"what"`
	// the folder that the call names for its command; shown if the same was run in several
	Folder string `json:"folder,omitempty"`
	Runs   bool   `json:"runs,omitempty"` // it runs a command
	// it runs one beside the conversation, whose output is not in the result
	Background bool `json:"background,omitempty"`
	// it runs only programs that are known to change nothing
	ReadOnly bool `json:"looks,omitempty"`
	// it reads or writes a file: listed only if it failed
	FileAccess bool              `json:"quiet,omitempty"`
	Status     transcript.Status `json:"status"`
	Exit       int               `json:"exit"` // -1 if none was reported
	Times      int               `json:"times"`
	Fails      int               `json:"fails,omitempty"` // how many of the runs
	// Recent: calls were left out of earlier turns, which may have made this one more often
	Recent bool `json:"recent,omitempty"`
	// the message of the last run that failed, 0 if none did
	FailedAt int `json:"failed_at,omitempty"`
	// the session in which the command was still running, "" if there is none
	Session string `json:"session,omitempty"`
	// from its result: the last line of a command's output, or the values of another call
	Output string `json:"said,omitempty"`
	// Logged: Output is the last line of a log that states that it is of level error or worse
	Logged bool `json:"logged,omitempty"`
	// Whole: Output is all that a command printed
	Whole bool `json:"whole,omitempty"`

	// Of a failed call: the message of a later use of its file, and of a later call that is the
	// same and has no result; set to render it.
	later, again int
}

// Failed reports whether the last run of the call failed.
func (o *Outcome) Failed() bool {
	return o.Status == transcript.Failed || o.Status == transcript.Refused
}

// Pinned is a text that a record quotes whole: one that the operator pinned, other than a person's
// message, an output that the agent fetched again after it was hidden, or the text that a
// conversation opens with, if it is the assistant's.
type Pinned struct {
	At    int    `json:"message"`
	Of    string `json:"of"` // its origin: a call, or the assistant
	Text  string `json:"text"`
	Again bool   `json:"again,omitempty"` // it was fetched again
	Opens bool   `json:"opens,omitempty"` // the conversation begins with it
	Last  string `json:"last,omitempty"`  // its last lines, if Text has the first ones only
}

// Statement is a sentence that a model wrote about the folded turns.
type Statement struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Messages []int  `json:"messages,omitempty"` // its evidence
	Quote    string `json:"quote,omitempty"`    // of these messages, verbatim
	Writer   string `json:"writer,omitempty"`   // who wrote the quote, such as "user" or "tool"
}
