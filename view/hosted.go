package view

import (
	"slices"
	"strings"

	"killick/rawjson"
)

// HostedCall is a call that the provider ran itself, or the result of one. Both stand in messages
// of the model; clients neither run the call nor answer it.
type HostedCall struct {
	ID        string
	Name      string        // "" if an earlier message makes the call, and only the result is here
	Arguments rawjson.Value // as in a ToolCall
	Runs      bool          // it runs code
	Result    *HostedResult // nil if a later message has it, or none does
}

// HostedResult is what a provider's tool returned, as far as it is text that can be read.
type HostedResult struct {
	Sources []Source // the pages or files that it found or read
	Text    string   // the rest
	Failed  bool
	Exit    int // the exit code, -1 if none is stated
}

// Readable returns the text of the result, after the titles and addresses of its sources and the
// cited words, each on a line of its own.
func (r *HostedResult) Readable() string {
	var lines []string
	for _, s := range r.Sources {
		lines = append(lines, s.Title, s.URL, s.Text)
	}
	lines = slices.DeleteFunc(append(lines, r.Text), func(l string) bool { return l == "" })
	return strings.Join(lines, "\n")
}

// Source is a page or a file, as fields name it. Any text may be "".
type Source struct {
	Title, URL string
	Text       string // words of it that a reply cites
}

// AppendSource appends a source with a title and an address, JSON strings or nil, unless it has
// neither.
func AppendSource(list []Source, title, url rawjson.Value) []Source {
	s := Source{Title: title.Text(), URL: url.Text()}
	if s == (Source{}) {
		return list
	}
	return append(list, s)
}

// HostedList lists the calls of a message while they are read. The zero value is empty.
type HostedList struct {
	Calls   []HostedCall
	waiting map[string][]int // for a result, by id
}

// Add adds a call without a result.
func (l *HostedList) Add(c HostedCall) {
	if l.waiting == nil {
		l.waiting = map[string][]int{}
	}
	l.waiting[c.ID] = append(l.waiting[c.ID], len(l.Calls))
	l.Calls = append(l.Calls, c)
}

// Answer adds a result to the last of the calls that has its id and no result. If there is none, an
// earlier message makes the call.
func (l *HostedList) Answer(id string, result HostedResult) {
	if waiting := l.waiting[id]; len(waiting) > 0 {
		last := len(waiting) - 1
		l.Calls[waiting[last]].Result = &result
		l.waiting[id] = waiting[:last]
		return
	}
	l.Calls = append(l.Calls, HostedCall{ID: id, Result: &result})
}
