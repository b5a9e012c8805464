package groundcheck

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// workingOpening begins the message after the records that shows lines of files.
const workingOpening = quoted.Opening + " lines of files, and of what other tools returned about " +
	"a file, which stood in the messages replaced: those most likely to be needed. Behind the " +
	"bars they are verbatim, as of the message named above them. The messages after this one are " +
	"newer.]"

var (
	workingLabel = regexp.MustCompile(`^(written in )?message (\d+)(?:, from line (\d+))?` +
		`(?:, (lines ended in CR LF there))?` +
		`(?:, before (?:message (\d+)|(another call of this message)), which may have changed ` +
		`the file)?:$`)
	lineNumber  = regexp.MustCompile(`^ *\d+(?:→|\t| \| |\||: ?|$)`)
	colonAlone  = regexp.MustCompile(`(?m)^ *\d+:[^ \n]`)
	wholeNumber = regexp.MustCompile(`\d+`)
)

// isWorking reports whether a record is the message that shows lines of files.
func isWorking(text string) bool { return strings.HasPrefix(text, workingOpening+"\n") }

// working checks the message that shows lines of files: below a file or a call and the number of a
// message each run of lines is in a result or an argument of a call of that message.
func (c *checker) working(text string, number, last int) {
	c.rec = &record{number: number, last: last}
	defer func() { c.rec = nil }()
	title, label, lines := "", []string(nil), []string(nil)
	flush := func() {
		if label != nil {
			c.shownLines(title, label, lines)
		}
		label, lines = nil, nil
	}
	for i, l := range strings.Split(text, "\n") {
		if i == 0 {
			continue
		}
		shown, isLine := strings.CutPrefix(l, "|")
		if !isLine {
			flush()
		}
		c.line = i + 1
		c.characters(strings.ReplaceAll(l, "\t", " "))
		switch found := workingLabel.FindStringSubmatch(l); {
		case isLine && label != nil:
			lines = append(lines, shown)
		case strings.HasPrefix(l, "## "):
			title = l[len("## "):]
		case found != nil && title != "":
			label = found
		case l != "":
			c.fault(ruleGrammar, "among lines of files: %s", excerpt(l))
		}
	}
	flush()
}

// shownLines checks one run of lines.
func (c *checker) shownLines(title string, label, lines []string) {
	c.count(kindLines)
	number, _ := strconv.Atoi(label[2])
	if c.within(number) == nil {
		c.fault(rulePlace, "message %d is not among those replaced", number)
		return
	}
	first, _ := strconv.Atoi(label[3])
	if label[6] != "" {
		label[5] = label[2]
	}
	if label[5] != "" {
		touched, _ := strconv.Atoi(label[5])
		c.touched(title, touched, number)
	} else {
		c.stillThere(title, number)
	}
	titled := false
	for _, k := range c.client.Between(1, c.rec.last) {
		if k.Caller.Number != number || !titles(k, title) {
			continue
		}
		titled = true
		texts := textsRead
		if label[1] != "" {
			texts = textsWritten
		}
		for _, text := range texts(k) {
			if hasLines(k, text, lines, first, label[4] != "") {
				return
			}
		}
	}
	if !titled {
		c.fault(ruleCall, "message %d makes no call for %q", number, excerpt(title))
		return
	}
	c.fault(ruleQuote, "message %d has no such lines: %s", number,
		excerpt(strings.Join(label, " ")+strings.Join(lines, "\n")))
}

// textsRead returns the texts in which a call may have shown lines.
func textsRead(k *conversation.Call) []string {
	if k.Item != nil {
		return []string{k.Output()}
	}
	return []string{k.Output(), k.Result.Text()}
}

// textsWritten returns the texts that a call may have written to a file.
func textsWritten(k *conversation.Call) (texts []string) {
	for _, a := range k.Args {
		if strings.HasPrefix(strings.ToLower(a.Leaf), "old") ||
			strings.HasSuffix(a.Text, "...(argument truncated)") {
			continue // what the call replaces, or what deepagents left of an argument
		}
		texts = append(append(texts, a.Text), patchedTexts(a.Text)...)
		for _, literal := range literals(a.Text) {
			texts = append(texts, patchedTexts(literal)...)
		}
	}
	return texts
}

// titles reports whether a title names a file of the call, or the call.
func titles(k *conversation.Call, title string) bool {
	decoded := quoted.Fold(k.Decoded())
	if strings.Contains(decoded, title) || quoted.Redaction.MatchString(title) {
		return true
	}
	// A command may name a file relative to the folder that it runs in.
	paths := append(k.HeaderPaths(), strings.FieldsFunc(k.Command(), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(";|&<>", r)
	})...)
	for _, a := range k.Args {
		if a.Word {
			paths = append(paths, a.Text)
		}
	}
	for _, name := range paths {
		name = strings.TrimPrefix(strings.Trim(name, `'"`), "./")
		if name != "" &&
			(strings.HasSuffix(title, "/"+name) || strings.HasSuffix(title, `\`+name)) {
			return true
		}
	}
	tool, rest, ok := strings.Cut(title, "(")
	return ok && strings.HasPrefix(quoted.Fold(k.Tool), tool) &&
		calledWith(k, strings.TrimSuffix(rest, ")"), "")
}

// patchedTexts returns the lines of a patch that its files have afterwards, file by file, without
// the marks before them.
func patchedTexts(patch string) (texts []string) {
	var lines []string
	flush := func() { texts, lines = append(texts, strings.Join(lines, "\n")), nil }
	for l := range strings.SplitSeq(patch, "\n") {
		if rest, added := strings.CutPrefix(l, "+"); added {
			lines = append(lines, rest)
		} else if strings.HasPrefix(l, "*** ") {
			flush()
		} else if !strings.HasPrefix(l, "-") {
			lines = append(lines, strings.TrimPrefix(l, " "))
		}
	}
	flush()
	return texts
}

// literals returns what the string literals of several lines in a program say.
func literals(program string) (texts []string) {
	for i := 0; i < len(program); i++ {
		quote := program[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		var b strings.Builder
		end := i + 1
		for ; end < len(program) && program[end] != quote; end++ {
			if program[end] != '\\' || end+1 == len(program) {
				b.WriteByte(program[end])
				continue
			}
			end++
			switch c := program[end]; c {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			default:
				b.WriteByte(c)
			}
		}
		if text := b.String(); strings.Contains(text, "\n") {
			texts = append(texts, text)
			i = end
		}
	}
	return texts
}

// hasLines reports whether a text has the lines one after the other, with or without numbers before
// them, or before some of them where the tool numbers each tenth. If first is not 0 it is the
// number of the first line: the one before it, or its place in the text after a number among the
// arguments. crlf is true if they are said to end in CR LF; of what a command prints, that is not
// said.
func hasLines(k *conversation.Call, text string, lines []string, first int, crlf bool) bool {
	whole := strings.Split(text, "\n")
	ofTenths := slices.ContainsFunc(k.Args, func(a conversation.Argument) bool {
		return a.Name == "target_file"
	})
	colon := colonAlone.MatchString(text) // no space is after the number then
	for at := 0; at+len(lines) <= len(whole); at++ {
		bare := first == 0 || beginsAt(k, first-at+conversation.LinesBefore(whole)) ||
			conversation.NumberOf(whole, at) == first
		numbered, tenths := true, ofTenths
		for i := 0; i < len(lines) && (bare || numbered || tenths); i++ {
			l, ends := strings.CutSuffix(whole[at+i], "\r")
			if ends != crlf && at+i+1 < len(whole) && (crlf || k.Command() == "") {
				bare, numbered, tenths = false, false, false
			}
			same := matches(lines[i], clean(l))
			prefix := lineNumber.FindString(l)
			if colon && strings.HasSuffix(prefix, ": ") {
				prefix = strings.TrimSuffix(prefix, " ")
			}
			after := prefix != "" && matches(lines[i], clean(l[len(prefix):])) &&
				(first == 0 || wholeNumber.FindString(prefix) == strconv.Itoa(first+i))
			bare, numbered = bare && same, numbered && after
			// The numbers are before the first line shown and each tenth of the file.
			tenths = tenths && (after || same && at+i > 0 && (first+i)%10 != 0)
		}
		if bare || numbered || tenths {
			return true
		}
	}
	return false
}

// beginsAt reports whether the first line of an output can have this number: it is one of those
// among the arguments, or 1.
func beginsAt(k *conversation.Call, number int) bool {
	return number == 1 || slices.Contains(wholeNumber.FindAllString(k.Decoded(), -1),
		strconv.Itoa(number))
}

// clean returns a line as it is shown: control characters are spaces, the brackets of what imitates
// marks are round.
func clean(l string) string {
	return quoted.Rounded.Replace(strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || quoted.Bidi(r) || r == 0xfeff || r == 0x2028 ||
			r == 0x2029) {
			return ' '
		}
		return r
	}, l))
}
