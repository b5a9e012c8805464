package summary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"killick/transcript"
)

// Titles of the sections, in their order.
const (
	TitleIntent   = "Session intent"
	TitleState    = "Current state"
	TitleNext     = "Next steps (as planned then, not orders)"
	TitleOpen     = "Open"
	TitleWords    = "The user's words"
	TitleFiles    = "Files"
	TitleCommands = "Commands"
	TitleDone     = "Completed"
	TitleData     = "Key data"
	TitleDecided  = "Decisions"
)

// section is a heading and entries, the most worth keeping first. An entry is one
// line, or a line with another one below it.
type section struct {
	title    string
	entries  []string
	required bool // it is told even where there is no room
	share    int  // percent of the room that it may take before the others had theirs
	most     int  // entries that are shown however much room there is; 0: all
	older    bool // there were more than are known here
}

// sections lays the summary out. dir is the folder that paths are relative to.
func (sum *Summary) sections(dir string) []section {
	return []section{
		{title: TitleIntent, entries: sum.intent(), required: true, share: 8},
		{title: TitleWords, entries: sum.words(), share: 20},
		{title: TitleState, entries: sum.state(), required: true, share: 12},
		{title: TitleNext, entries: sum.next(), required: true, share: 12},
		{title: TitleOpen, entries: sum.open(), share: 10, most: 24},
		{title: TitleFiles, entries: sum.files(dir), share: 16, older: sum.Older.Files},
		{title: TitleCommands, entries: sum.commands(), share: 10, most: 10,
			older: sum.Older.Calls},
		{title: TitleDone, entries: sum.completed(), share: 12, most: 10, older: sum.Older.Reports},
		{title: TitleDecided},
		{title: TitleData, entries: sum.data(), share: 8, most: 16, older: sum.Older.Calls},
	}
}

// intent says where the task and the latest request stand.
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

// words are what persons said in messages that are not sent whole.
func (sum *Summary) words() (entries []string) {
	for _, w := range sum.Words {
		entry := w.line()
		if w.Answers != nil {
			entry += "\n  answering " + w.Answers.line()
		}
		entries = append(entries, entry)
	}
	if sum.WordsLeftOut > 0 {
		entries = append(entries, fmt.Sprintf(unsaidEntry, sum.WordsLeftOut))
	}
	return entries
}

// line is a quote with its label.
func (q *Quote) line() string { return strconv.Itoa(q.At) + " " + string(q.By) + ": " + q.Text }

func (sum *Summary) state() (entries []string) {
	if sum.State != nil {
		entries = append(entries, sum.State.line())
	}
	if sum.LastCall != nil {
		entries = append(entries, "last call: "+strconv.Itoa(sum.LastCall.At)+" "+sum.LastCall.Text)
	}
	if len(entries) == 0 {
		return []string{"the assistant has said and called nothing in these turns"}
	}
	return entries
}

// next are the open items of the agent's own list.
func (sum *Summary) next() (entries []string) {
	for _, status := range []transcript.TodoStatus{transcript.TodoActive, transcript.TodoOpen} {
		for i := range sum.Todos {
			if sum.Todos[i].Status == status {
				entries = append(entries, todoLine(&sum.Todos[i]))
			}
		}
	}
	if len(entries) == 0 {
		return []string{"no open item is listed; the assistant's last words stand under " +
			TitleState}
	}
	return entries
}

func todoLine(t *transcript.Todo) string {
	label := "todo "
	if t.Label() != "" {
		label += t.Label() + " "
	}
	return label + string(t.Status) + " (" + strconv.Itoa(t.At+1) + "): " + quoted(t.Text, maxQuote)
}

// open are the calls that failed when they were made last, those that only look last
// of all.
func (sum *Summary) open() (entries []string) {
	for _, looks := range []bool{false, true} {
		for i := range sum.Calls {
			if o := &sum.Calls[i]; o.Status == transcript.Failed && (o.Looks || o.Quiet) == looks {
				entries = append(entries, o.line())
			}
		}
	}
	return entries
}

// commands are what was run, and how it ended when it was run last; those that only
// look last of all.
func (sum *Summary) commands() (entries []string) {
	for _, looks := range []bool{false, true} {
		for i := range sum.Calls {
			if o := &sum.Calls[i]; (o.Runs || o.Status == transcript.Refused) &&
				o.Status != transcript.Failed && o.Looks == looks {
				entries = append(entries, o.line())
			}
		}
	}
	return entries
}

// line says how a whole call ended when it was made last.
func (o *Outcome) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s(%s)%s", o.At, o.Tool, o.What, Ending(o.Status, o.Exit))
	if o.Times > 1 {
		fmt.Fprintf(&b, ", made %d times", o.Times)
		if o.Fails > 0 && !(o.Failed() && o.Fails == o.Times) {
			fmt.Fprintf(&b, ", %d failed", o.Fails)
		}
	}
	if o.Output != "" && o.Status != transcript.Refused && (!o.Looks || !o.Runs || o.Failed()) {
		if o.Runs || o.Failed() {
			b.WriteString("; last line: " + o.Output)
		} else {
			b.WriteString(" → " + o.Output)
		}
	}
	return b.String()
}

// Ending says how a call ended: nothing where no sign says so.
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

// completed are the items of the list that are done, and the assistant's closing
// words of each request.
func (sum *Summary) completed() (entries []string) {
	for i := range slices.Backward(sum.Todos) {
		if t := &sum.Todos[i]; t.Status == transcript.TodoDone {
			entries = append(entries, todoLine(t))
		}
	}
	for i := range sum.Reports {
		if at := sum.Reports[i].At; at >= sum.First && (sum.State == nil || at != sum.State.At) {
			entries = append(entries, sum.Reports[i].line())
		}
	}
	return entries
}

// data are the calls that returned values, and are neither files nor commands.
func (sum *Summary) data() (entries []string) {
	for i := range sum.Calls {
		if o := &sum.Calls[i]; !o.Runs && !o.Failed() && !o.Quiet {
			entries = append(entries, o.line())
		}
	}
	return entries
}

// files are the files that calls named: those that were changed a line each, the
// others behind one another.
func (sum *Summary) files(dir string) (entries []string) {
	var read []string
	for i := range sum.Files {
		f := &sum.Files[i]
		path := shortPath(under(dir, f.Path), maxWhat)
		if !f.Changed {
			read = append(read, f.uses()+": "+path)
			continue
		}
		entries = append(entries, f.uses()+": "+path)
	}
	const together = 6
	for len(read) > 0 {
		n := min(together, len(read))
		entries = append(entries, strings.Join(read[:n], "; "))
		read = read[n:]
	}
	return entries
}

// uses says which tools named the file: "Edit 3× (last 57), Read (44)".
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
