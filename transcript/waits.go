package transcript

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"killick/series"
	"killick/transcript/results"
	"killick/view"
)

// awaits returns the session of the script that a call waits for, "" if there is none.
func (c *Call) awaits() string {
	if id := c.argument("cell_id"); c.tool == waitTool && id != nil && results.IsSession(id.Text) {
		return results.Cell + id.Text
	}
	return ""
}

// endsScript reports whether a result says that a script has ended, and goesOn that one goes on.
// A script that failed is not meant: the call that waited for it may have failed itself.
func endsScript(head string) bool {
	return strings.HasPrefix(head, results.ScriptCompleted) ||
		strings.HasPrefix(head, results.ScriptStopped)
}

func goesOn(head string) bool { return strings.HasPrefix(head, results.ScriptRunning) }

// said is what a result says of a script. Of one that goes on, it has what a call that waits for it
// must know.
type said struct {
	message int
	session string
	goesOn  bool      // else it has ended, or nothing is known of it
	script  *scripted // as a call goes on with it, nil if it is not understood
	bytes   int64     // of the programs that this one and earlier ones hold
}

// saidList is what results say of scripts, in order.
type saidList struct {
	all     []said
	of      map[string][]int // by session: which of the first ones are of it
	indexed int              // how many these are
}

// before returns how many are of messages before message i.
func (l *saidList) before(i int) int {
	return sort.Search(len(l.all), func(k int) bool { return l.all[k].message >= i })
}

// last returns what was said last of the script of a session before message i, nil if nothing was.
// Mostly, it is among the latest. All are only indexed if it is not.
func (l *saidList) last(session string, i int) *said {
	const latest = 50
	n := l.before(i)
	for k := n - 1; k >= max(0, n-latest); k-- {
		if l.all[k].session == session {
			return &l.all[k]
		}
	}
	if n <= latest {
		return nil
	}
	if l.of == nil {
		l.of = map[string][]int{}
	}
	for ; l.indexed < len(l.all); l.indexed++ {
		key := l.all[l.indexed].session
		l.of[key] = append(l.of[key], l.indexed)
	}
	of := l.of[session]
	if at, _ := slices.BinarySearch(of, n); at > 0 {
		return &l.all[of[at-1]]
	}
	return nil
}

// followed are the scripts of a conversation that go on, as far as they were followed. It is
// remembered with the conversation, so that a call that waits is read without the messages before
// it.
type followed struct {
	said series.Of[said] // in order
	to   int             // of the messages before it
}

// followedKey is the key of followed in a view.Memory.
type followedKey struct{}

// following are the scripts of a conversation, as a Memo follows them.
type following struct {
	memory *view.Memory
	loaded bool
	said   saidList
	to     int
	stored int // the value of to that memory has
}

// load begins with what is remembered of the conversation.
func (f *following) load() {
	if f.loaded {
		return
	}
	f.loaded = true
	kept, n := f.memory.Load(followedKey{})
	known, _ := kept.(followed)
	f.to = min(known.to, n)
	before := (&saidList{all: known.said.Items()}).before(f.to)
	f.said.all, f.stored = known.said.Grow(before), f.to
}

// store remembers what was added.
func (f *following) store() {
	if f.to == f.stored {
		return
	}
	next := followed{series.New(f.said.all), f.to}
	const saidBytes = 200 // with its session and script, without the program
	bytes := saidBytes * int64(next.said.Cap())
	if n := len(f.said.all); n > 0 {
		bytes += f.said.all[n-1].bytes
	}
	f.memory.Store(followedKey{}, next, f.to, bytes)
	f.stored = f.to
}

// followsScripts reports whether one of the messages may say that a script goes on, or that one
// that was waited for has ended.
func followsScripts(msgs []view.Message) bool {
	waits := false
	for i := range msgs {
		switch m := &msgs[i]; {
		case m.Role() == view.Assistant:
			waits = waits || slices.ContainsFunc(m.ToolCalls(), func(made view.ToolCall) bool {
				return toolName(made.Name) == waitTool
			})
		case m.Role().Result() && beginsScript(m) && (waits || goesOn(results.Head(m))):
			return true
		}
	}
	return false
}

// scriptBegins is how Codex begins each of its reports on a script.
var scriptBegins = []byte("Script ")

// beginsScript reports whether a result begins as Codex reports on a script. It decodes nothing,
// since all results are asked.
func beginsScript(m *view.Message) bool {
	if !bytes.Contains(m.Raw, scriptBegins) {
		return false
	}
	for part := range m.Parts() {
		return bytes.HasPrefix(part.Text.StringBody(), scriptBegins)
	}
	return false
}

// says returns what m, the result of the call, says of a script, if it says something. resumed is
// the session of the one with which the call went on, "" if there is none.
func (c *Call) says(m *view.Message, resumed string) (s said, ok bool) {
	if !beginsScript(m) {
		return said{}, false
	}
	head := results.Head(m)
	switch id := results.CodexSession(head); {
	case goesOn(head) && id != "":
		s = said{message: c.Result, session: id, goesOn: c.Session == id}
		if s.goesOn {
			s.script, s.bytes = c.unfinishedScript(m)
		}
		return s, true
	case resumed != "" && endsScript(head):
		return said{message: c.Result, session: resumed}, true
	}
	return said{}, false
}

// resumes makes a call that waits for a script one that goes on with it. ended is set if its result
// says that the script has ended.
func (c *Call) resumes(from *said, ended bool) {
	c.polls, c.Effect, c.commanded = from.session, Runs, new(commanded)
	if from.script != nil {
		s := *from.script
		c.runs(&s, ended)
	}
}

// unfinishedScript returns the script of a call as a call goes on with it that waits for it, and
// how many bytes are not those of an earlier one; nil if it is not understood. If something was
// printed before, in the result m, what the script prints from here on cannot be assigned to its
// calls.
func (c *Call) unfinishedScript(m *view.Message) (s *scripted, bytes int64) {
	from := c.Made()
	if from.script == nil {
		return nil, 0
	}
	s = &scripted{program: from.script.program, resumed: true, began: from.script.began}
	if !from.script.resumed {
		s.began = from.Caller
		bytes = s.program.Bytes() + int64(len(from.Raw)) // of which its texts may be parts
	}
	if texts, ok := printed(m); !ok || len(texts) > 1 ||
		len(texts) == 1 && strings.TrimSpace(texts[0].Text()) != "" {
		s.program.Prints, s.program.Printed = nil, false
	}
	return s, bytes
}

// Began returns the message that made the call that began the script with which this call goes on,
// -1 if there is none.
func (c *Call) Began() int {
	if s := c.Made().script; s != nil && s.resumed {
		return s.began
	}
	return -1
}
