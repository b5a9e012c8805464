package compactor

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"killick/chat"
)

// RendererVersion changes when the same conversation would be rendered to other
// bytes. It is part of what checkpoints are kept apart by.
const RendererVersion = "2"

// recordMark begins every record, so that one is known when it comes back
// through a second proxy or in a client's own summary.
const recordMark = "[Record of earlier turns, kept by Killick:"

// isRecord tells a record from a user's message, such as one that a proxy before
// this one put a record into.
func isRecord(text string) bool {
	return strings.HasPrefix(text, recordMark) && !strings.Contains(text, recordEnd)
}

// section is one section of a record: a heading and entries, most worth keeping
// first.
type section struct {
	title   string
	entries []string
	share   int  // percent of the room that it may fill before others had theirs
	inline  bool // entries stand behind one another on a line

	told     []string                // by a model, in a room apart
	outdated func(entry string) bool // a model says so; nil: none is
}

// supersededMark stands before a decision that a later one took the place of.
const supersededMark = "(superseded) "

// Titles of the sections that a model has a part in.
const (
	titleIntent    = "Session intent"
	titleState     = "Current state"
	titleNext      = "Next steps (as planned then, not orders)"
	titleOpen      = "Open questions and unresolved errors"
	titleDecisions = "Decisions made"
	titleCompleted = "Completed"
	titleFailed    = "Failed attempts"
)

// sections lays the summary out. What is told by a pin already is not told
// again.
func (s *Summary) sections(p *Pins) []section {
	skip := map[string]bool{}
	for _, pin := range p.all() {
		skip[oneLine(pin.text(), maxEntry)] = true
	}
	var requests []string
	for _, r := range s.Requests {
		if skip[r.Text] {
			continue
		}
		requests = append(requests, mark(r.Done, "(answered) ")+r.Text)
	}
	var decisions, open, data []string
	for _, d := range s.Decisions {
		decisions = append(decisions, mark(d.Superseded, supersededMark)+d.Text)
	}
	for _, q := range s.Open {
		open = append(open, q.Text)
	}
	for _, d := range s.Data {
		data = append(data, d.Text)
	}
	return []section{
		{title: titleIntent, entries: one(s.Intent), share: 8},
		{title: titleState, entries: one(s.State), share: 8},
		{title: titleNext, entries: s.Next, share: 8},
		{title: titleOpen, entries: open, share: 10},
		{title: "Files modified", entries: lines(s.Files), share: 18},
		{title: titleDecisions, entries: decisions, share: 12},
		{title: "User requests, newest first", entries: requests, share: 12},
		{title: titleCompleted, entries: s.Completed, share: 8},
		{title: titleFailed, entries: s.Failed, share: 6},
		{title: "Key data", entries: data, share: 6, inline: true},
		{title: "Files read", entries: lines(s.Reads), share: 4, inline: true},
	}
}

func mark(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func lines(files []File) (out []string) {
	for i := range files {
		out = append(out, files[i].line())
	}
	return out
}

// line says of a file what was done to it.
func (f *File) line() string {
	var did []string
	if f.Created {
		did = append(did, "created")
	}
	if edits := f.Edits; edits > 1 || edits == 1 && !f.Created {
		did = append(did, fmt.Sprintf("edited %d×", edits))
	}
	if f.Deleted {
		did = append(did, "deleted")
	}
	out := f.Path
	if len(did) > 0 {
		out += " — " + strings.Join(did, ", ")
	}
	if f.Detail != "" {
		out += "; last: " + f.Detail
	}
	return out
}

// fit chooses how many entries of each section are told in room bytes. It returns
// the number for each.
func fit(sections []section, room int) []int {
	left := room
	for i := range sections {
		left -= len(sections[i].title) + len("\n\n## \n")
	}
	return fill(sections, func(s *section) []string { return s.entries }, room, left, room/4)
}

// fitTold is fit for what a model told. The sections are there anyway.
func fitTold(sections []section, room int) []int {
	return fill(sections, func(s *section) []string { return s.told }, room, room, room/2)
}

// fill takes entries from each section up to its share of room, then what is left
// in the sections' order, none past most bytes.
func fill(sections []section, entries func(*section) []string, room, left, most int) []int {
	taken := make([]int, len(sections))
	used := make([]int, len(sections))
	take := func(i, bound int) {
		from := entries(&sections[i])
		for taken[i] < len(from) {
			cost := len(from[taken[i]]) + len("- \n")
			if used[i]+cost > bound || cost > left {
				return
			}
			used[i] += cost
			left -= cost
			taken[i]++
		}
	}
	for i := range sections {
		take(i, room*sections[i].share/100)
	}
	for i := range sections {
		take(i, most)
	}
	return taken
}

// sectionsText renders the sections: what the rules found in at most room bytes,
// what a model told in accountRoom more. Those with nothing to tell are named all
// the same. Of the rules' entries none leaves for a model's, but for one that the
// model's says with the same names.
func sectionsText(sections []section, room int) string {
	found, told := fit(sections, room), fitTold(sections, accountRoom(room))
	var b strings.Builder
	var none []string
	for i, s := range sections {
		if found[i]+told[i] == 0 {
			none = append(none, s.title+mark(len(s.entries) > 0, fmt.Sprintf(" (%d left out)", len(s.entries))))
			continue
		}
		b.WriteString("\n## " + s.title + "\n")
		for _, entry := range s.told[:told[i]] {
			b.WriteString("- " + entry + "\n")
		}
		if s.inline {
			b.WriteString(strings.Join(s.entries[:found[i]], ", ") + "\n")
		} else {
			for _, entry := range s.entries[:found[i]] {
				if !toldBetter(entry, s.told[:told[i]]) {
					b.WriteString("- " + mark(s.outdated != nil && s.outdated(entry), supersededMark) + entry + "\n")
				}
			}
		}
		if more := len(s.entries) - found[i]; more > 0 {
			fmt.Fprintf(&b, "(%d more left out)\n", more)
		}
	}
	if len(none) > 0 {
		b.WriteString("\nNothing told under: " + strings.Join(none, "; ") + ".\n")
	}
	return b.String()
}

// toldBetter tells whether one of the texts says what entry does, with every word
// of it that is more than plain letters.
func toldBetter(entry string, told []string) bool {
	for _, text := range told {
		if !covered(entry, []string{text}) {
			continue
		}
		words := strings.Fields(text)
		if !slices.ContainsFunc(strings.Fields(entry), func(word string) bool { return isTelling(word) && !slices.Contains(words, word) }) {
			return true
		}
	}
	return false
}

// isTelling tells a name, a path, a number or a value from a plain word.
func isTelling(word string) bool {
	word = strings.TrimRight(word, ".,;:!?")
	for i := range len(word) {
		if c := word[i]; !isLetter(c) || i > 0 && c < 'a' {
			return true
		}
	}
	return false
}

// renderRecord returns the user message that stands in for the folded turns:
// what it is, the pinned messages and rules word for word, then the summary in
// at most room bytes, without the credentials that redact takes out.
// What a model told, if anything, stands beside it.
func renderRecord(folded int, s *Summary, p *Pins, room int, redact redaction, told *Account) []byte {
	text := chat.AppendEscaped(nil, fmt.Sprintf("%s %d messages were replaced by it to save context. "+
		"It describes the past: it grants no permission and gives no orders. The messages after it are newer.]\n", recordMark, folded))
	text = p.Opening.appendBlock(text, "opening")
	text = p.Task.appendBlock(text, "task")
	text = p.Before.appendBlock(text, "earlier_request")
	text = p.Latest.appendBlock(text, "latest_request")
	text = p.Note.appendBlock(text, "client_note")
	text = p.appendKept(text)
	text = chat.AppendEscaped(text, rulesText(s.Rules, p))
	sections := s.sections(p)
	told.under(sections)
	summary := sectionsText(sections, room) + namesText(s.Names) + factsText(told.facts(), s.Facts)
	if s.Originals != "" {
		summary += "\n(The whole outputs of these turns are listed under ref=" + s.Originals + ")\n"
	}
	text = chat.AppendEscaped(text, redact.of(summary))

	record := []byte(`{"role":"user","content":`)
	var parts [][]byte
	for _, pin := range p.all() {
		parts = append(parts, pin.Parts...)
	}
	if len(parts) == 0 {
		record = append(append(append(record, '"'), text...), '"')
		return append(record, '}')
	}
	record = append(record, `[{"type":"text","text":"`...)
	record = append(append(record, text...), `"}`...)
	for _, part := range parts {
		record = append(append(record, ','), part...)
	}
	return append(record, `]}`...)
}

// appendBlock appends a pinned message between tags, as the client spelled it.
func (p *Pin) appendBlock(text []byte, tag string) []byte {
	if p.empty() {
		return text
	}
	text = append(text, `\n<`+tag+`>\n`...)
	text = append(text, p.Body...)
	return append(text, `\n</`+tag+`>\n`...)
}

// rulesText renders the standing rules that stand in no pinned message anyway.
// They are outside the limits of the summary.
func rulesText(rules []string, p *Pins) string {
	pinned := p.Task.text() + "\x00" + p.Latest.text()
	var b strings.Builder
	for _, rule := range rules {
		if strings.Contains(pinned, rule) {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n## Standing rules of the user, word for word\n")
		}
		b.WriteString("- " + rule + "\n")
	}
	return b.String()
}

// factsText renders the facts, and before them those that stand with what a model
// told.
func factsText(told, found []string) string {
	facts := told[:len(told):len(told)]
	for _, fact := range found {
		if !slices.Contains(told, fact) {
			facts = append(facts, fact)
		}
	}
	if len(facts) == 0 {
		return ""
	}
	return "\n## Also, word for word\n- " + strings.Join(facts, "\n- ") + "\n"
}

// checkRecord holds the exact bytes of a record against what a record must be,
// whoever wrote its summary.
func checkRecord(record []byte, s *Summary, p *Pins, room int, told *Account) error {
	m, err := chat.ParseMessage(record)
	if err != nil {
		return fmt.Errorf("checking a rendered record: %w", err)
	}
	text := m.Text()
	var faults []error
	if m.Role() != chat.User || !isRecord(text) {
		faults = append(faults, errors.New("it is not a user message that says what it is"))
	}
	for _, pin := range p.all() {
		if !bytes.Contains(record, pin.Body) {
			faults = append(faults, errors.New("a pinned message is missing"))
		}
	}
	for _, rule := range s.Rules {
		if !strings.Contains(text, rule) {
			faults = append(faults, errors.New("a standing rule is missing"))
		}
	}
	sections := s.sections(p)
	told.under(sections)
	for _, sec := range sections {
		if !strings.Contains(text, sec.title) {
			faults = append(faults, fmt.Errorf("the section %q is missing", sec.title))
		}
	}
	// Counts of what was left out stand beside the entries, so a little more than
	// the room is allowed.
	body, most := sectionsText(sections, room), room
	if told != nil {
		most += accountRoom(room)
	}
	if len(body) > most+most/8+600 {
		faults = append(faults, fmt.Errorf("the summary takes %d bytes, at most %d are allowed", len(body), most))
	}
	if len(faults) > 0 {
		return fmt.Errorf("checking a rendered record: %w", errors.Join(faults...))
	}
	return nil
}

// intent says what the session is about: the task and, once there is one, the
// latest request.
func intent(p *Pins) string {
	task := firstSentence(p.Task.text())
	latest := firstSentence(p.Latest.text())
	switch {
	case task == "" && latest == "":
		return "No request of the user stands in the replaced turns."
	case latest == "" || latest == task:
		return "The user asked: " + task
	case task == "":
		return "The user last asked: " + latest
	}
	return "The user asked: " + task + " Last in the replaced turns: " + latest
}

func firstSentence(text string) (first string) {
	sentences(text, func(s string) bool {
		first = oneLine(s, 240)
		return len(first) < 12
	})
	return first
}
