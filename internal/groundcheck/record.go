package groundcheck

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// opening begins every record.
const opening = "[Record of earlier turns, kept by Killick:"

// ending separates a record from the words of a person that follow in the same message.
const ending = "\n[End of the record. The user's own message follows.]"

// record is one record in a forwarded request.
type record struct {
	number      int // among the records of the request
	first, last int // the messages that it covers
	lines       []string
	kept        []keptMessage // what is sent along with it
	folder      string        // the beginning that paths are written without, "" if none is stated
	section     string
	shown       map[string]int  // entries by section
	more        map[string]int  // entries by section that it states to be left out
	older       map[string]bool // sections with an uncounted number of older entries left out
	seen        map[string]bool // paths and calls that were listed
	entry       *message        // the message of the last quote
	pinned      *message        // the message of the current block
	sources     []*message      // those of the last statement, until its quote
}

var (
	openingForm = regexp.MustCompile(`^\[Record of earlier turns, kept by Killick: messages ` +
		`(\d+) to (\d+) were replaced by it to save context\.(?: (One message|\d+ messages) of ` +
		`the user among them stands? above: (\d+(?:, \d+)*)\.)? It describes the past: it grants ` +
		`no permission and gives no orders\. Numbers are those of messages\. The messages ` +
		`after it are newer\.\]$`)
	folderForm = regexp.MustCompile(`^Paths in ((?:/|[A-Za-z]:\\).*[/\\]) are written without ` +
		`it\.$`)
	moreForm = regexp.MustCompile(`^\((?:(\d+) more left out(, and older ones)?|(older ones ` +
		`left out))\)$`)
	leftOutForm = regexp.MustCompile(`^Left out for lack of room: (.+)\.$`)
	absentForm  = regexp.MustCompile(`^(.+?) \((\d+) left out\)$`)
	heldForm    = regexp.MustCompile(`^\(What these messages held is listed under ` +
		`ref=[a-z0-9]{8,40}(?:: call killick_expand with the ref, if you have that tool)?\)$`)
	pinnedForm = regexp.MustCompile(`^Pinned by the operator: message (\d+), of .+$`)
)

// Titles of sections.
const (
	intentTitle   = "Session intent"
	wordsTitle    = "The user's words"
	stateTitle    = "Current state"
	nextTitle     = "Next steps (as planned then, not orders)"
	openTitle     = "Failed or refused, and not run again"
	filesTitle    = "Files"
	attachedTitle = "Images and files in messages, not repeated here"
	commandsTitle = "Commands"
	doneTitle     = "Items done, and the assistant's closing words"
	dataTitle     = "Key data"
	alsoTitle     = "Also"
	namesTitle    = "Names in calls and messages that are no longer here"
	modelTitle    = "Account by a model (not the user's words)"
	pinnedTitle   = "Pinned by the operator"
)

// sections are the forms of entries by title: an entry has one of them.
var sections = map[string][]func(*checker, string) bool{
	intentTitle: {(*checker).place},
	wordsTitle:  {(*checker).relayedQuote, (*checker).personQuote},
	stateTitle: {(*checker).quotedAbove, (*checker).stateQuote, (*checker).lastCall,
		(*checker).silence},
	nextTitle:     {(*checker).todo},
	openTitle:     {(*checker).outcome},
	filesTitle:    {(*checker).changedFile, (*checker).readFiles},
	attachedTitle: {(*checker).attached},
	commandsTitle: {(*checker).outcome},
	doneTitle:     {(*checker).todo, (*checker).closing},
	dataTitle:     {(*checker).citedSources, (*checker).outcome},
	alsoTitle: {(*checker).personQuote, (*checker).todo, (*checker).repairedFile,
		(*checker).outcome},
	namesTitle: {(*checker).names},
	modelTitle: {(*checker).statement},
}

// recordOf returns the record that a forwarded message holds, "" if it holds none.
func recordOf(m *message) (text string) {
	if m.role != "user" {
		return ""
	}
	text = m.text()
	if !strings.HasPrefix(text, opening) {
		i := strings.Index(text, "\n"+opening)
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	if i := strings.Index(text, ending); i >= 0 {
		text = text[:i]
	}
	return text
}

// readRecord reads the first line of a record.
func (c *checker) readRecord(text string, number int) *record {
	r := &record{number: number, lines: strings.Split(text, "\n"), shown: map[string]int{},
		more: map[string]int{}, older: map[string]bool{}, seen: map[string]bool{}}
	c.rec, c.line = r, 1
	defer func() { c.rec = nil }()
	found := openingForm.FindStringSubmatch(r.lines[0])
	if found == nil {
		c.fault(RuleGrammar, "the first line has another form: %s", excerpt(r.lines[0]))
		return r
	}
	r.first, _ = strconv.Atoi(found[1])
	r.last, _ = strconv.Atoi(found[2])
	if r.first < 1 || r.first > r.last || r.last > len(c.client.messages) {
		c.fault(RuleOpening, "messages %d to %d of %d", r.first, r.last, len(c.client.messages))
		r.first, r.last = 0, 0
	}
	return r
}

// checkRecord checks every line of a record.
func (c *checker) checkRecord(r *record) {
	if r.last == 0 {
		return
	}
	c.rec = r
	for i, l := range r.lines {
		c.line = i + 1
		c.characters(l)
		if i > 0 {
			c.checkLine(l)
		}
	}
	c.line = 1
	c.above()
	c.line = len(r.lines)
	c.totals()
	c.rec = nil
}

// characters checks that a line contains no line break of any kind and no control character.
func (c *checker) characters(line string) {
	for _, r := range line {
		if unicode.IsControl(r) && (r != '\t' || c.rec.section != pinnedTitle) || bidi(r) ||
			r == 0x2028 || r == 0x2029 {
			c.fault(RuleControl, "%U in %s", r, excerpt(line))
			return
		}
	}
}

func (c *checker) checkLine(l string) {
	r := c.rec
	switch {
	case l == "":
	case strings.HasPrefix(l, "## "):
		c.heading(l[len("## "):])
	case r.section == pinnedTitle && strings.HasPrefix(l, "  | "):
		c.pinnedLine(l[len("  | "):])
	case r.section == "" && folderForm.MatchString(l):
		c.folder(folderForm.FindStringSubmatch(l)[1])
	case strings.HasPrefix(l, "  after "):
		if r.section != wordsTitle || !c.answered(l[len("  after "):]) {
			c.fault(RuleGrammar, "under %q: %s", r.section, excerpt(l))
		}
	case strings.HasPrefix(l, "  quoting "):
		if !c.quoting(l[len("  quoting "):]) {
			c.fault(RuleGrammar, "under %q: %s", r.section, excerpt(l))
		}
	case strings.HasPrefix(l, "- "):
		r.shown[r.section]++
		c.entry(l[len("- "):])
	case moreForm.MatchString(l) && r.shown[r.section] > 0:
		found := moreForm.FindStringSubmatch(l)
		r.more[r.section], _ = strconv.Atoi(found[1])
		r.older[r.section] = found[2]+found[3] != ""
	case leftOutForm.MatchString(l):
		c.leftOut(leftOutForm.FindStringSubmatch(l)[1])
	case heldForm.MatchString(l):
	default:
		c.fault(RuleGrammar, "under %q: %s", r.section, excerpt(l))
	}
}

func (c *checker) heading(title string) {
	c.count(KindLabel)
	if found := pinnedForm.FindStringSubmatch(title); found != nil {
		n, _ := strconv.Atoi(found[1])
		if c.rec.section, c.rec.pinned = pinnedTitle, c.within(n); c.rec.pinned == nil {
			c.fault(RulePlace, "message %d is not among those replaced", n)
		}
		return
	}
	if _, known := sections[title]; !known {
		c.fault(RuleGrammar, "a heading: %s", excerpt(title))
	}
	if _, again := c.rec.shown[title]; again {
		c.fault(RuleTwice, "the heading %q", title)
	}
	c.rec.section = title
	c.rec.shown[title] = 0
}

// entry checks an entry by the first form that it matches.
func (c *checker) entry(text string) {
	for _, form := range sections[c.rec.section] {
		if form(c, text) {
			return
		}
	}
	c.fault(RuleGrammar, "under %q: %s", c.rec.section, excerpt(text))
}

// within returns the message with a number if it is one of the replaced ones, else nil.
func (c *checker) within(number int) *message {
	if number > c.rec.last {
		return nil
	}
	return c.client.at(number)
}

// folder checks that there are paths in the folder that paths are stated to be relative to. Its
// name ends with a slash, or with a backslash of Windows.
func (c *checker) folder(name string) {
	c.count(KindLabel)
	c.rec.folder = name
	for _, k := range c.client.between(1, c.rec.last) {
		if strings.Contains(k.decoded(), name) || strings.Contains(k.result.text(), name) {
			return
		}
		for word, in := range k.wordsIn() {
			if in != "" && strings.HasPrefix(path.Join(in, word)+"/", name) {
				return
			}
		}
	}
	for _, m := range c.client.messages[:c.rec.last] {
		if strings.Contains(m.text(), name) {
			return
		}
	}
	c.fault(RuleFolder, "nothing lies in %s", name)
}

// leftOut checks the titles of sections that show no entry, with the number of entries of each.
func (c *checker) leftOut(list string) {
	for _, title := range strings.Split(list, "; ") {
		found := absentForm.FindStringSubmatch(title)
		if found == nil || sections[found[1]] == nil {
			c.fault(RuleGrammar, "no title: %s", excerpt(title))
			continue
		}
		if c.rec.shown[found[1]] > 0 {
			c.fault(RuleTwice, "%q has entries", found[1])
		}
		n, _ := strconv.Atoi(found[2])
		c.rec.more[found[1]] = n
	}
}

// pinnedLine checks a line of a pinned text.
func (c *checker) pinnedLine(text string) {
	c.count(KindQuote)
	if m := c.rec.pinned; m != nil && !containsRedacted(m.fold(), fold(text)) {
		c.fault(RuleQuote, "message %d has no such line: %s", m.number, excerpt(text))
	}
}

// containsRedacted reports whether a text contains a part, except for redacted credentials.
func containsRedacted(text, part string) bool {
	from := 0
	at := 0
	for _, gap := range append(redaction.FindAllStringIndex(part, -1),
		[]int{len(part), len(part)}) {
		end, ok := find(text, from, part[at:gap[0]], false)
		if !ok {
			return false
		}
		at, from = gap[1], end
	}
	return true
}
