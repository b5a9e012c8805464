package groundcheck

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

var (
	wordsForm = regexp.MustCompile(`^(\d+) said: (.+)$`)
	colour    = regexp.MustCompile(`[\[;][0-9]+m$|\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-Z\\^-~])$`)

	// If a label has all names, none follow it.
	shownForms = []*regexp.Regexp{
		regexp.MustCompile(`^(\d+) ([^(]*)\((.*)\)(?: and \d+ more calls?)?: (.+)$`),
		regexp.MustCompile(`^(\d+) ([^(]*)\((.*)\)()$`),
	}
	fileForms = []*regexp.Regexp{
		regexp.MustCompile(`^(.+) \((\d+(?:, \d+)*)\): (.+)$`),
		regexp.MustCompile(`^(.+) \((\d+(?:, \d+)*)\)()$`),
	}
)

// names checks a line of the index: each name occurs in the text of the message, or in the
// arguments or the result of its call.
func (c *checker) names(text string) bool {
	if found := wordsForm.FindStringSubmatch(text); found != nil {
		c.count(kindNameLine)
		number, _ := strconv.Atoi(found[1])
		m := c.within(number)
		if m == nil || m.Role != "user" && m.Role != "assistant" {
			c.fault(rulePlace, "message %d says nothing that was replaced: %s", number,
				excerpt(text))
			return true
		}
		c.checkListed(found[2], []string{m.Text()})
		return true
	}
	for _, form := range fileForms {
		if found := form.FindStringSubmatch(text); found != nil && c.namesOfFile(found) {
			return true
		}
	}
	called := false
	for _, form := range shownForms {
		if found := form.FindStringSubmatch(text); found != nil {
			if c.namesOfCall(found) {
				return true
			}
			called = true
		}
	}
	if called {
		c.fault(ruleCall, "no message makes such a call: %s", excerpt(text))
	}
	return called
}

// namesOfCall checks the names that stood in a call. found holds the groups of one of shownForms.
// It is false if the message makes no such call.
func (c *checker) namesOfCall(found []string) bool {
	number, _ := strconv.Atoi(found[1])
	var texts []string
	for _, k := range c.callsOf(0, number, found[2]) {
		if calledWith(k, found[3], c.rec.folder) {
			texts = append(texts, k.Decoded(), k.Result.Text(), k.Output())
		}
	}
	if texts == nil {
		return false
	}
	c.count(kindNameLine)
	c.checkListed(found[4], texts)
	return true
}

// namesOfFile checks the names that stood in calls on a file. found holds the groups of one of
// fileForms. It is false if the messages make no such call.
func (c *checker) namesOfFile(found []string) bool {
	var texts []string
	for number := range strings.SplitSeq(found[2], ", ") {
		n, _ := strconv.Atoi(number)
		some := false
		for _, k := range c.client.Between(1, c.rec.last) {
			if k.Caller.Number == n &&
				(calledWith(k, found[1], c.rec.folder) ||
					namesInCommand(k, found[1], c.rec.folder)) {
				texts = append(texts, k.Decoded(), k.Result.Text(), k.Output())
				some = true
			}
		}
		if !some {
			return false
		}
	}
	c.count(kindNameLine)
	c.checkListed(found[3], texts)
	return true
}

// namesInCommand reports whether the call runs a command that names a file among its words: as it
// is, or in the folder that the call or the command names.
func namesInCommand(k *conversation.Call, shown, folder string) bool {
	for word, in := range k.WordsIn() {
		for _, name := range []string{word, path.Join(in, word)} {
			name = strings.TrimPrefix(relative(name, folder), "./")
			if matches(shown, name) || isTailOf(shown, name) {
				return true
			}
		}
	}
	return false
}

// checkListed checks that each name of a list occurs in one of the texts.
func (c *checker) checkListed(list string, texts []string) {
	if list == "" {
		return
	}
	for name := range strings.SplitSeq(list, " ") {
		c.count(kindName)
		held := quoted.Redaction.MatchString(name)
		for _, text := range texts {
			held = held || occurs(text, name) ||
				c.rec.folder != "" && !strings.HasPrefix(name, "/") &&
					occurs(text, c.rec.folder+name)
		}
		if !held {
			c.fault(ruleName, "%q%s", name, c.elsewhere(name))
		}
	}
}

// elsewhere describes whether a name occurs anywhere in the replaced messages.
func (c *checker) elsewhere(name string) string {
	for _, m := range c.client.Messages[:c.rec.last] {
		if occurs(m.Text(), name) {
			return " stands in message " + strconv.Itoa(m.Number)
		}
		for _, k := range m.Calls {
			if occurs(k.Decoded(), name) {
				return " stands in a call of message " + strconv.Itoa(m.Number)
			}
		}
	}
	return " occurs nowhere"
}

// occurs reports whether a text contains a name as a whole word: it is not continued by a letter,
// digit or underscore, nor preceded by an escape (as in `\tname`).
func occurs(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		first, _ := utf8.DecodeRuneInString(name)
		last, _ := utf8.DecodeLastRuneInString(name)
		begins := !word(before) || !word(first) || colour.MatchString(text[max(0, i-24):i])
		if begins && !(before == '\\' && strings.ContainsRune("abefnrtuvx0", first)) &&
			(!word(after) || !word(last)) && !joined(last, after) && !joined(first, before) &&
			!unshown.MatchString(text[max(0, i-4):i]+"\x00"+name) {
			return true
		}
		from = i + 1
	}
}

// unshown matches a name after the last characters before it, if they belong to a longer name:
// ".github/a.yml", "@acme/kit", "[id]/page.tsx", "${DIR}/a.go", "*_test.go", "$HOME/a".
var unshown = regexp.MustCompile(`(?:^|[^\w./-])\.\x00\w[^ ]*(?:/|\.\w{1,5}$)|` +
	`(?:^|\W)@\x00\w[^ ]*/|[\])}]\x00/|\*\x00[_./-]|\$\x00[^ ]*(?:/|\.\w{1,5}$)`)

// joined reports whether a character of another script belongs to a name that ends or begins with
// another one: a letter beside an underscore, or a digit or separator beside a digit.
func joined(end, beside rune) bool {
	if beside < utf8.RuneSelf || beside == utf8.RuneError {
		return false
	}
	letter := unicode.IsLetter(beside) || unicode.IsMark(beside)
	return letter && strings.ContainsRune("_-", end) ||
		unicode.IsDigit(end) && (unicode.IsDigit(beside) || beside == '٫' || beside == '٬')
}

// word reports whether a character can continue a name: in ASCII, or a letter of another script
// that has spaces between words.
func word(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return r != utf8.RuneError &&
		unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Mn)
}
