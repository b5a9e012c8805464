package groundcheck

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"killick/internal/groundcheck/quoted"
)

var (
	folderForm = regexp.MustCompile(`^Paths in ((?:/|[A-Za-z]:\\).*[/\\]) are written without ` +
		`it\.$`)
	moreForm = regexp.MustCompile(`^\((?:(\d+) more left out(, and older ones)?|(older ones ` +
		`left out))\)$`)
	leftOutForm = regexp.MustCompile(`^Left out for lack of room: (.+)\.$`)
	absentForm  = regexp.MustCompile(`^(.+?) \((\d+) left out\)$`)
	heldForm    = regexp.MustCompile(`^\(What these messages held is listed under ` +
		`ref=[a-z0-9]{8,40}(?:: call killick_expand with the ref, if you have that tool)?\)$`)
	pinnedForm = regexp.MustCompile(`^(?:Pinned by the operator|(Fetched again with the ` +
		`same result)|(Beginning of the conversation)): message (\d+), of .+$`)
)

// sections are the forms of entries by title: an entry has one of them.
var sections = map[string][]func(*checker, string) bool{
	intentTitle: {(*checker).place},
	wordsTitle:  {(*checker).relayedQuote, (*checker).personQuote},
	stateTitle: {(*checker).quotedAbove, (*checker).stateQuote, (*checker).lastCall,
		(*checker).silence},
	nextTitle:       {(*checker).todo},
	openTitle:       {(*checker).outcome},
	unansweredTitle: {(*checker).unanswered},
	filesTitle:      {(*checker).changedFile, (*checker).readFiles},
	attachedTitle:   {(*checker).attached},
	commandsTitle:   {(*checker).outcome},
	doneTitle:       {(*checker).todo, (*checker).closing},
	dataTitle:       {(*checker).citedSources, (*checker).outcome},
	alsoTitle: {(*checker).personQuote, (*checker).todo, (*checker).repairedFile,
		(*checker).outcome},
	namesTitle: {(*checker).names},
	modelTitle: {(*checker).statement},
}

// readRecord reads the first line of a record.
func (c *checker) readRecord(text string, number int) *record {
	r := &record{number: number, lines: strings.Split(text, "\n"), shown: map[string]int{},
		more: map[string]int{}, older: map[string]bool{}, seen: map[string]bool{}}
	c.rec, c.line = r, 1
	defer func() { c.rec = nil }()
	found := openingForm.FindStringSubmatch(r.lines[0])
	if found == nil {
		c.fault(ruleGrammar, "the first line has another form: %s", excerpt(r.lines[0]))
		return r
	}
	r.first, _ = strconv.Atoi(found[1])
	r.last, _ = strconv.Atoi(found[2])
	if r.first < 1 || r.first > r.last || r.last > len(c.client.Messages) {
		c.fault(ruleOpening, "messages %d to %d of %d", r.first, r.last, len(c.client.Messages))
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
		if unicode.IsControl(r) && (r != '\t' || c.rec.section != pinnedTitle) || quoted.Bidi(r) ||
			r == 0x2028 || r == 0x2029 {
			c.fault(ruleControl, "%U in %s", r, excerpt(line))
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
			c.fault(ruleGrammar, "under %q: %s", r.section, excerpt(l))
		}
	case strings.HasPrefix(l, "  quoting "):
		if !c.quoting(l[len("  quoting "):]) {
			c.fault(ruleGrammar, "under %q: %s", r.section, excerpt(l))
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
		c.fault(ruleGrammar, "under %q: %s", r.section, excerpt(l))
	}
}

// hasBefore reports whether a message before another one has its text.
func (c *checker) hasBefore(number int) bool {
	m := c.within(number)
	for n := 1; m != nil && n < number; n++ {
		if before := c.within(n); before != nil && before.Text() == m.Text() {
			return true
		}
	}
	return false
}

func (c *checker) heading(title string) {
	c.count(kindLabel)
	if found := pinnedForm.FindStringSubmatch(title); found != nil {
		n, _ := strconv.Atoi(found[3])
		if found[1] != "" && !c.hasBefore(n) {
			c.fault(ruleQuote, "no message before %d has its text", n)
		}
		c.rec.opens = found[2] != ""
		if first := c.within(1); found[2] != "" && (n != 1 || first == nil ||
			first.Role != "assistant" || !strings.HasSuffix(title, ", of assistant")) {
			c.fault(ruleSpeaker, "the conversation does not begin so: %s", excerpt(title))
		}
		if c.rec.section, c.rec.pinned = pinnedTitle, c.within(n); c.rec.pinned == nil {
			c.fault(rulePlace, "message %d is not among those replaced", n)
		}
		return
	}
	if _, known := sections[title]; !known {
		c.fault(ruleGrammar, "a heading: %s", excerpt(title))
	}
	if _, again := c.rec.shown[title]; again {
		c.fault(ruleTwice, "the heading %q", title)
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
	c.fault(ruleGrammar, "under %q: %s", c.rec.section, excerpt(text))
}

// folder checks that there are paths in the folder that paths are stated to be relative to. Its
// name ends with a slash, or with a backslash of Windows.
func (c *checker) folder(name string) {
	c.count(kindLabel)
	c.rec.folder = name
	for _, k := range c.client.Between(1, c.rec.last) {
		if strings.Contains(k.Decoded(), name) || strings.Contains(k.Result.Text(), name) {
			return
		}
		for word, in := range k.WordsIn() {
			if in != "" && strings.HasPrefix(path.Join(in, word)+"/", name) {
				return
			}
		}
	}
	for _, m := range c.client.Messages[:c.rec.last] {
		if strings.Contains(m.Text(), name) {
			return
		}
	}
	c.fault(ruleFolder, "nothing lies in %s", name)
}

// leftOut checks the titles of sections that show no entry, with the number of entries of each.
func (c *checker) leftOut(list string) {
	for title := range strings.SplitSeq(list, "; ") {
		found := absentForm.FindStringSubmatch(title)
		if found == nil || sections[found[1]] == nil {
			c.fault(ruleGrammar, "no title: %s", excerpt(title))
			continue
		}
		if c.rec.shown[found[1]] > 0 {
			c.fault(ruleTwice, "%q has entries", found[1])
		}
		n, _ := strconv.Atoi(found[2])
		c.rec.more[found[1]] = n
	}
}

// pinnedLine checks a line of a pinned text.
func (c *checker) pinnedLine(text string) {
	c.count(kindQuote)
	if c.rec.opens && text == "[…]" {
		return // only some of its lines are shown
	}
	if m := c.rec.pinned; m != nil && !quoted.ContainsRedacted(m.Fold(), quoted.Fold(text)) {
		c.fault(ruleQuote, "message %d has no such line: %s", m.Number, excerpt(text))
	}
}
