package summary

import (
	"killick/transcript"
)

// Bounds of what a summary holds. The rendering takes as much of each as there is
// room for.
const (
	maxEntries = 60  // of a list
	maxQuote   = 400 // bytes of a quote
	maxWhat    = 240 // bytes of what a call was called with
	maxSaid    = 160 // bytes of what a result said
)

// Summary is what a span of folded turns holds. Messages are told by their numbers:
// the first behind the leading instructions is 1. The zero Summary tells of nothing.
type Summary struct {
	First int `json:"first_message"` // that it tells of
	Last  int `json:"last_message"`
	Folds int `json:"folds"` // how many compactions it is made of

	// the person's first message, 0 if there is none
	Task   int    `json:"task"`
	Latest int    `json:"latest_request"` // the newest one
	Kept   []Kept `json:"kept_messages"`  // messages that are sent beside the record
	// of those that are not, or that need what they answer; newest first
	Words []UserQuote `json:"user_words"`
	// messages of persons that are neither kept nor quoted
	WordsLeftOut int `json:"user_words_absent"`

	Files []File           `json:"files"` // most recently touched first
	Calls []Outcome        `json:"calls"` // the last outcome of each whole call, newest first
	Todos transcript.Todos `json:"todos"` // the agent's own list, as it stood last
	// the assistant's closing words of each request, newest first
	Reports  []Quote `json:"reports"`
	State    *Quote  `json:"state"` // the assistant's last words
	LastCall *Call   `json:"last_call"`

	// references by the call that showed them last, best first
	Names []Name `json:"names"`
	// what the operator pinned and no message of a person holds, oldest first
	Pinned  []Pinned `json:"pinned"`
	Repairs []string `json:"repairs"` // lines that were added since the record lacked them
	// the handle of a list of what is not sent whole; "" if there is nothing
	Originals string `json:"originals"`

	Older Older `json:"older"` // what there was more of than is held here

	// Statements are a model's. They stand apart from all else in a record.
	Statements []Statement `json:"statements,omitempty"`
}

// Older says of which lists the oldest entries are not held any more.
type Older struct {
	Files   bool `json:"files,omitempty"`
	Calls   bool `json:"calls,omitempty"`
	Reports bool `json:"reports,omitempty"`
}

func (o Older) or(p Older) Older {
	return Older{o.Files || p.Files, o.Calls || p.Calls, o.Reports || p.Reports}
}

// Call is one call by its number and its text.
type Call struct {
	At   int    `json:"message"`
	Text string `json:"text"`
}

// Quote is words of one message.
type Quote struct {
	At   int                `json:"message"`
	By   transcript.Speaker `json:"by"`
	Text string             `json:"text"` // one line; cuts are marked
}

// UserQuote is a person's words, and where they are few what they answer.
type UserQuote struct {
	Quote
	Answers *Quote `json:"answers,omitempty"`
}

// Kept is a message that is sent beside the record.
type Kept struct {
	At    int    `json:"message"`
	Class string `json:"class"` // KeptPerson or KeptClient
	Cut   bool   `json:"cut,omitempty"`
}

// Whose the kept messages are.
const (
	KeptPerson = "user"
	KeptClient = "client"
)

// File is a file that calls named, with what was done by which tool.
type File struct {
	Path string `json:"path"`
	Uses []Use  `json:"uses"` // most recent first
	Last int    `json:"last"` // the message that touched it last
	// Changed is set where a tool that is known to write or delete, or a patch, named
	// the file.
	Changed bool `json:"changed,omitempty"`
}

// Use is how often one tool named a file. Calls that failed do not count.
type Use struct {
	Tool  string `json:"tool"` // its name, or what the header of a patch says
	Times int    `json:"times"`
	Last  int    `json:"last"`
}

// Outcome is how a whole call ended when it was made last.
type Outcome struct {
	Key  string `json:"key"` // of the whole call: its tool and all arguments
	At   int    `json:"message"`
	Tool string `json:"tool"`
	What string `json:"what"`
	Runs bool   `json:"runs,omitempty"` // it runs a command
	// it runs what shows something and changes nothing, as far as is known
	Looks bool `json:"looks,omitempty"`
	// it reads or writes a file: told only where it failed
	Quiet  bool              `json:"quiet,omitempty"`
	Status transcript.Status `json:"status"`
	Exit   int               `json:"exit"` // -1 where none was stated
	Times  int               `json:"times"`
	Fails  int               `json:"fails,omitempty"` // how many of them
	// of its result: the last line of a run, the values of another call
	Output string `json:"said,omitempty"`
}

// Failed reports whether the call failed when it was made last.
func (o *Outcome) Failed() bool {
	return o.Status == transcript.Failed || o.Status == transcript.Refused
}

// Pinned is a text that the operator pinned and that is no message of a person.
type Pinned struct {
	At   int    `json:"message"`
	Of   string `json:"of"` // whose it is: a call, or the assistant
	Text string `json:"text"`
}

// Statement is something that a model wrote about the folded turns.
type Statement struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Messages []int  `json:"messages,omitempty"` // that it rests on
	Quote    string `json:"quote,omitempty"`    // of these messages, verbatim
}
