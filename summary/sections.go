package summary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript"
)

// Titles of the sections, in their order.
const (
	TitleIntent   = "Session intent"
	TitleState    = "Current state"
	TitleNext     = "Next steps (as planned then, not orders)"
	TitleOpen     = "Failed or refused, and not run again"
	TitleWords    = "The user's words"
	TitleFiles    = "Files"
	TitleAttached = "Images and files in messages, not repeated here"
	TitleCommands = "Commands"
	TitleDone     = "Items done, and the assistant's closing words"
	TitleData     = "Key data"
)

// section is a heading with entries, the most important first. An entry is one line, or two.
type section struct {
	title    string
	entries  []string
	required bool // its first entry, if any, is shown even if there is no room
	share    int  // percent of the room that is reserved for it
	most     int  // limit on the entries shown; 0: no limit
	older    bool // older entries were dropped
	dropped  int  // how many of them, if that is known
	// above has for each entry whether the message that it quotes is sent along whole or in part;
	// nil if none is
	above []bool

	// shorter returns the first entry in about n bytes; nil if any of it may be cut
	shorter func(n int) string
}

// stateShare is the share of the current state, in percent.
const stateShare = 12

// Limits on the entries of sections that are shown.
const (
	maxOpen     = 24
	maxCommands = 10
	maxDone     = 10
	maxData     = 16
)

// sections returns the sections of the record. dir is the folder that paths are relative to, room
// is what all sections may take: entries that cannot be shown may be empty, they are only counted.
func (sum *Summary) sections(dir string, room int) []section {
	several := sum.inSeveral()
	return []section{
		{title: TitleIntent, entries: sum.intent(), required: true, share: 8},
		{title: TitleWords, entries: sum.words(room), share: 20, dropped: sum.WordsLeftOut,
			above: sum.wordsAbove()},
		{title: TitleState, entries: sum.state(dir, room, len(sum.Words)), required: true,
			share: stateShare},
		{title: TitleNext, entries: sum.next(), required: true, share: 12},
		sum.open(dir, room, several),
		{title: TitleFiles, entries: sum.files(dir, room), share: 16, older: sum.Older.Files},
		{title: TitleAttached, entries: sum.attachedBelow(dir, room), share: 4, most: maxData},
		{title: TitleCommands, entries: sum.commands(room, several), share: 10,
			most: maxCommands, older: sum.Older.Calls},
		{title: TitleDone, entries: sum.completed(room, len(sum.Words)), required: true,
			share: 12, most: maxDone, older: sum.Older.Reports},
		sum.data(room),
	}
}

// entryList collects the entries of a section. It writes only the first, which may be shortened to
// fit, and those that can be shown: as many as fit into room bytes beside it, at most most of all.
type entryList struct {
	entries []string
	room    int
	most    int // 0: no limit
}

func (l *entryList) add(write func() string) {
	entry := ""
	if n := len(l.entries); n == 0 {
		entry = write()
	} else if l.room >= 0 && (l.most == 0 || n < l.most) {
		entry = write()
		l.room -= len(entry)
	}
	l.entries = append(l.entries, entry)
}

// intent names the messages that hold the task and the latest request.
func (sum *Summary) intent() []string {
	if sum.Task == 0 {
		return []string{"no message of a person stands in these turns"}
	}
	entries := []string{"task: message " + strconv.Itoa(sum.Task) + sum.whereKept(sum.Task)}
	if sum.Latest > sum.Task {
		entries = append(entries, "latest request: message "+strconv.Itoa(sum.Latest)+
			sum.whereKept(sum.Latest))
	}
	return entries
}

func (sum *Summary) whereKept(at int) string {
	for _, k := range sum.Kept {
		if k.At == at && k.Cut {
			return ", kept above with a marked cut"
		} else if k.At == at {
			return ", kept above as it came"
		}
	}
	return ""
}

// state returns the assistant's last words, and its last call. Words that stand beside one of the
// newest shown messages of the user are not repeated, unless there is room for more of them here.
func (sum *Summary) state(dir string, room, shown int) (entries []string) {
	if sum.State != nil {
		entries = append(entries, sum.State.Line())
		most := max(room*stateShare/100, minRequired)
		for i := range sum.Words[:shown] {
			if q := sum.Words[i].Answers; q != nil && q.At == sum.State.At &&
				len(q.Text) >= min(len(sum.State.Text), most) {
				entries[0] = fmt.Sprintf("last words: message %d, quoted above", q.At)
			}
		}
	}
	if sum.LastCall != nil {
		entries = append(entries,
			sum.LastCall.label()+strconv.Itoa(sum.LastCall.At)+" "+
				sum.callIn(dir, sum.LastCall.Text))
	}
	if len(entries) == 0 {
		return []string{"the assistant has said and called nothing in these turns"}
	}
	return entries
}

// callIn returns the description of a call. If it only names a file, that is relative to dir.
func (sum *Summary) callIn(dir, text string) string {
	for i := range sum.Files {
		name := sum.Files[i].Path
		if before, ok := strings.CutSuffix(text, "("+name+")"); ok {
			return before + "(" + describe.Under(dir, name) + ")"
		}
	}
	return text
}

// label begins the entry of the last call.
func (c *Call) label() string {
	if c.BeforeTodos {
		return "last call beside those on the todo list: "
	}
	return "last call: "
}

// listedBelow stands in place of the arguments of a call that a section shows.
const listedBelow = ", listed below"

// next returns the open items of the agent's todo list.
func (sum *Summary) next() (entries []string) {
	for _, status := range []transcript.TodoStatus{transcript.TodoActive, transcript.TodoOpen} {
		for i := range sum.Todos {
			if sum.Todos[i].Status == status {
				entries = append(entries, todoLine(&sum.Todos[i]))
			}
		}
	}
	return entries
}

func todoLine(t *transcript.Todo) string {
	label := "todo "
	if t.Label() != "" {
		label += t.Label() + " "
	}
	return label + string(t.Status) + " (" + strconv.Itoa(t.At+1) + "): " +
		excerpt.Quote(t.Text, quotes.MaxQuote)
}

// commands returns the commands with the outcome of their last run; last, those that only showed
// something that is too long to be quoted.
func (sum *Summary) commands(room int, several map[string]bool) []string {
	l := entryList{room: room, most: maxCommands}
	for _, silent := range []bool{false, true} {
		for i := range sum.Calls {
			if o := &sum.Calls[i]; o.Runs && !o.Failed() &&
				(o.ReadOnly && o.Output == "") == silent {
				l.add(func() string { return o.line(several) })
			}
		}
	}
	return l.entries
}

// inSeveral returns the keys of the commands that look the same and were run in several folders.
func (sum *Summary) inSeveral() map[string]bool {
	several, like := map[string]bool{}, map[string]*Outcome{}
	for i := range sum.Calls {
		o := &sum.Calls[i]
		if !o.Runs {
			continue
		}
		shown := o.Tool + "(" + o.What
		if first := like[shown]; first == nil {
			like[shown] = o
		} else if first.Folder != o.Folder {
			several[first.Key], several[o.Key] = true, true
		}
	}
	return several
}

// shorter is line in about n bytes. Only the arguments and the output are cut: half of how a call
// ended would be another ending.
func (o *Outcome) shorter(n int, several map[string]bool) string {
	short := *o
	entry := short.line(several)
	if over := len(entry) - n; over > 0 {
		short.What = excerpt.Cut(o.What, max(len(o.What)-over, n/4))
		entry = short.line(several)
	}
	if over := len(entry) - n; over > 0 && o.Output != "" {
		short.Output = o.shorterOutput(max(len(o.Output)-over, n/4))
		entry = short.line(several)
	}
	return entry
}

// shorterOutput is what is stated of the result, in about n bytes.
func (o *Outcome) shorterOutput(n int) string {
	if o.failedRun() {
		return excerpt.ShorterEnds(o.Output, n)
	}
	return excerpt.Cut(o.Output, n)
}

func (o *Outcome) failedRun() bool {
	return quotes.FailedRun(o.Status, o.Exit, o.Runs, o.Background)
}

// Label begins the entry of an outcome: the message, or the one that ran the command and the last
// that read on, and the tool.
func (o *Outcome) Label() string {
	if o.Began != 0 {
		return fmt.Sprintf("%d-%d %s(", o.Began, o.At, o.Tool)
	}
	return fmt.Sprintf("%d %s(", o.At, o.Tool)
}

// line describes the outcome of the last run of a call. It names the folder of a command that was
// run in several.
func (o *Outcome) line(several map[string]bool) string {
	var b strings.Builder
	b.WriteString(o.Label() + o.What)
	if o.Folder != "" && several[o.Key] {
		b.WriteString(", in " + describe.ShortPath(o.Folder, describe.MaxArguments/2))
	}
	b.WriteString(")" + Ending(o.Status, o.Exit))
	if o.later > 0 {
		fmt.Fprintf(&b, ", later %s of this file (%d)", o.Tool, o.later)
	}
	if o.Session != "" && o.Status == transcript.Unknown && !o.Background {
		b.WriteString(runningIn + o.Session)
	}
	if o.Times > 1 && !o.FileAccess { // of a file access the earlier successes were not counted
		fmt.Fprintf(&b, ", made %d times", o.Times)
		if o.Fails > 0 && !(o.Failed() && o.Fails == o.Times) {
			fmt.Fprintf(&b, ", %d failed", o.Fails)
		}
	}
	if o.Output != "" && o.Status == transcript.Refused {
		b.WriteString(refusedWith + o.Output)
	} else if o.Logged {
		b.WriteString(loggedLast + o.Output)
	} else if o.Output != "" {
		if o.Runs && !o.Background && !o.Failed() && !o.Whole {
			b.WriteString("; last line: " + o.Output)
		} else if o.Background || o.Failed() || o.Whole && o.Exit >= 0 {
			b.WriteString("; it returned: " + o.Output)
		} else {
			b.WriteString(" → " + o.Output)
		}
	}
	return b.String()
}

// runningIn precedes the session of a command that had not ended.
const runningIn = " → still running then, ID "

// loggedLast precedes the last line of a log that states an error.
const loggedLast = "; last line of level error or worse: "

// refusedWith precedes what a person said when they did not let a call run.
const refusedWith = "; the user said: "

// Ending describes how a call ended, "" if its result does not show it.
func Ending(status transcript.Status, exit int) string {
	switch {
	case exit >= 0:
		return " → exit code " + strconv.Itoa(exit)
	case status == transcript.Refused:
		return " → not let run"
	case status == transcript.Failed:
		return " → reported an error"
	}
	return ""
}

// completed returns the items of the todo list that were done in these turns, and the assistant's
// closing words of each request. Words that stand beside one of the newest shown messages of the
// user are not repeated.
func (sum *Summary) completed(room, shown int) []string {
	l := entryList{room: room, most: maxDone}
	beside := map[int]bool{} // by message
	for i := range sum.Words[:shown] {
		if q := sum.Words[i].Answers; q != nil {
			beside[q.At] = true
		}
	}
	for i := range slices.Backward(sum.Todos) {
		if t := &sum.Todos[i]; t.Status == transcript.TodoDone && t.At+1 >= sum.First {
			l.add(func() string { return todoLine(t) })
		}
	}
	for i := range sum.Reports {
		if at := sum.Reports[i].At; at >= sum.First && !beside[at] &&
			(sum.State == nil || at != sum.State.At) {
			l.add(sum.Reports[i].Line)
		}
	}
	return l.entries
}

// files returns the files that calls named: changed ones on a line each, the others several to a
// line.
func (sum *Summary) files(dir string, room int) []string {
	l := entryList{room: room}
	files := filesIn(dir, sum.Files)
	var read []*File
	for i := range files {
		if f := &files[i]; f.Changed {
			l.add(f.line)
		} else {
			read = append(read, f)
		}
	}
	const together = 6
	for some := range slices.Chunk(read, together) {
		l.add(func() string {
			lines := make([]string, len(some))
			for i, f := range some {
				lines[i] = f.line()
			}
			return strings.Join(lines, "; ")
		})
	}
	return l.entries
}

// line names the file with its uses.
func (f *File) line() string {
	return f.uses() + ": " + describe.ShortPath(f.Path, describe.MaxArguments)
}

// filesIn returns files with their paths relative to dir. A file that calls named with and
// without "./" is listed once.
func filesIn(dir string, files []File) []File {
	var all fileList
	all.makeRoom(len(files))
	for _, f := range files {
		f.Path = strings.TrimPrefix(describe.Under(dir, f.Path), "./")
		all.add(f)
	}
	files, _ = all.newestFirst()
	return files
}

// uses lists the tools that named the file: "Edit 3× (last 57), Read (44)".
func (f *File) uses() string {
	var did []string
	for _, u := range f.Uses {
		if u.Times == 1 {
			did = append(did, fmt.Sprintf("%s (%d)", u.Tool, u.Last))
		} else {
			did = append(did, fmt.Sprintf("%s %d× (last %d)", u.Tool, u.Times, u.Last))
		}
	}
	return strings.Join(did, ", ")
}
