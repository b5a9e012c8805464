package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prose is what a model wrote of a summary: one line each, free of credentials
// where Options.Redact is set, in the limits below. What it says is unproven.
type Prose struct {
	Intent    string     `json:"session_intent"` // at most 2,000 bytes, never empty
	Decisions []Decision `json:"decisions_made"` // in the order in which they were made, like all lists
	Completed []string   `json:"completed"`
	Failed    []string   `json:"failed_attempts"`
	State     string     `json:"current_state"` // at most 500 bytes, never empty
	Open      []string   `json:"open_questions"`
	Next      []string   `json:"next_steps"`
}

// Decision is a choice with what was said of it.
type Decision struct {
	Text       string `json:"decision"`
	Reason     string `json:"reason"`     // "" if none was said
	Supersedes string `json:"supersedes"` // the earlier decision or the rejected option; "" if none was
}

// Limits of prose: those of the summary that it becomes part of. What is over
// them is cut, an entry at its end, a list at its oldest; what is over many times
// is no summary but a copy, and a fault.
const (
	maxIntent  = 2000
	maxEntry   = 500
	maxEntries = 50
	copied     = 4
)

// leastProse is the fewest bytes that say something about any turn; a model that
// was asked for a record and writes less has only answered.
const leastProse = 40

// tidy brings the prose into its limits and names what is wrong with it.
func (p *Prose) tidy(redact func(string) string) (faults []string) {
	t := tidier{redact: redact}
	t.required("session_intent", &p.Intent, maxIntent)
	t.required("current_state", &p.State, maxEntry)
	p.Decisions = t.decisions(p.Decisions)
	p.Completed = t.list("completed", p.Completed)
	p.Failed = t.list("failed_attempts", p.Failed)
	p.Open = t.list("open_questions", p.Open)
	p.Next = t.list("next_steps", p.Next)
	if len(t.faults) == 0 && t.bytes < leastProse {
		t.fault("the answer says next to nothing: %d characters in all", t.bytes)
	}
	return t.faults
}

// then returns the prose of two successive stretches of a conversation: what is
// so at the end comes from the later one, what happened from both.
func (p Prose) then(later Prose) Prose {
	later.Completed = union(p.Completed, later.Completed, letters)
	later.Failed = union(p.Failed, later.Failed, letters)
	later.Decisions = union(p.Decisions, later.Decisions, func(d Decision) string { return letters(d.Text) })
	return later
}

// union returns the entries of both lists, each once, the newest that fit.
func union[T any](older, newer []T, key func(T) string) []T {
	seen := map[string]bool{}
	all := make([]T, 0, len(older)+len(newer))
	for _, list := range [][]T{older, newer} {
		for _, entry := range list {
			if k := key(entry); !seen[k] {
				seen[k] = true
				all = append(all, entry)
			}
		}
	}
	return all[max(0, len(all)-maxEntries):]
}

// tidier collects faults over the members of an answer.
type tidier struct {
	redact func(string) string
	faults []string
	bytes  int // of all that was kept
}

func (t *tidier) fault(format string, args ...any) {
	if len(t.faults) < mostFaults {
		t.faults = append(t.faults, fmt.Sprintf(format, args...))
	}
}

// required tidies a text that must say something.
func (t *tidier) required(name string, text *string, most int) {
	*text = t.line(name, *text, most)
	switch {
	case hollow(*text):
		t.fault("%s says nothing; write what the turns say, however little", name)
	case declines(*text):
		t.fault("%s declines the task instead of telling what the turns say", name)
	}
}

// line brings a text to one line, so that nothing in it can pass for a heading,
// and cuts it.
func (t *tidier) line(name, text string, most int) string {
	if len(text) > copied*most {
		t.fault("%s has %d characters, at most %d are allowed", name, len(text), most)
		text = text[:copied*most]
	}
	text = cut(strings.Join(strings.Fields(t.redact(strings.ToValidUTF8(text, "\uFFFD"))), " "), most)
	t.bytes += len(text)
	return text
}

// list tidies entries and drops the empty ones.
func (t *tidier) list(name string, entries []string) []string {
	if len(entries) > copied*maxEntries {
		t.fault("%s has %d entries, at most %d are allowed", name, len(entries), maxEntries)
	}
	entries = entries[max(0, len(entries)-maxEntries):]
	kept := make([]string, 0, len(entries))
	for i, entry := range entries {
		if entry = t.line(fmt.Sprintf("%s.%d", name, i), entry, maxEntry); !void(entry) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func (t *tidier) decisions(all []Decision) []Decision {
	const name = "decisions_made"
	if len(all) > copied*maxEntries {
		t.fault("%s has %d entries, at most %d are allowed", name, len(all), maxEntries)
	}
	all = all[max(0, len(all)-maxEntries):]
	kept := make([]Decision, 0, len(all))
	for i, d := range all {
		at := fmt.Sprintf("%s.%d", name, i)
		d = Decision{t.line(at+".decision", d.Text, maxEntry), t.line(at+".reason", d.Reason, maxEntry), t.line(at+".supersedes", d.Supersedes, maxEntry)}
		if void(d.Text) {
			continue
		}
		if void(d.Reason) {
			d.Reason = ""
		}
		if void(d.Supersedes) {
			d.Supersedes = ""
		}
		kept = append(kept, d)
	}
	return kept
}

// cut shortens s to at most n bytes, at a character, with an ellipsis.
func cut(s string, n int) string {
	const ellipsis = "…"
	if len(s) <= n {
		return s
	}
	end := n - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

// letters returns s in lower case, letters and digits alone.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// void tells whether an entry is a word for nothing, as models write into lists
// that they should leave empty.
func void(entry string) bool {
	switch letters(entry) {
	case "", "none", "na", "nil", "null", "nothing", "notapplicable", "nonesofar", "noneidentified", "nonementioned", "nothingtoreport", "empty":
		return true
	}
	return false
}

// hollow tells whether a text that must say something does not.
func hollow(text string) bool {
	if void(text) || courteous(text) {
		return true
	}
	l := letters(text)
	switch l {
	case "string", "unknown", "tbd", "todo", "done", "completed", "inprogress", "nochange", "seeabove", "asabove":
		return true
	}
	return utf8.RuneCountInString(l) < 4
}
