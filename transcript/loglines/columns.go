package loglines

import (
	"regexp"
	"strings"
)

// Most loggers write plain text: a time, a few words, the name of a level, a message. One such line
// does not show what is a level and what is a word of the message. A text of many does: levels
// stand in one column after the time, and differ.

// column says which word after the time names a level in the lines of a text, 0 if none does.
type column int

const columns column = 4 // of "03:04:05 - app - ERROR - no room" the last

// columnOf returns where most lines that begin with a time name a level first. At least two levels
// must be named there.
func columnOf(text string) column {
	var lines int
	var named [columns + 1]int
	var first [columns + 1]string
	var differ [columns + 1]bool
	for line := range strings.Lines(text) {
		c, name, ok := firstLevel(line)
		if ok {
			lines++
		}
		if c == 0 {
			continue
		}
		if named[c]++; named[c] == 1 {
			first[c] = name
		}
		differ[c] = differ[c] || name != first[c]
	}
	for c := range columns {
		if differ[c+1] && named[c+1] > lines/2 {
			return c + 1
		}
	}
	return 0
}

// levelOf returns what a line states of its level.
func (c column) levelOf(line string) level {
	if c == 0 {
		return none
	}
	at, name, _ := firstLevel(line)
	if at != c {
		return none
	}
	return levelIf(worst[name] || worstInText[name])
}

// firstLevel returns the first name of a level after the time that a line begins with, and in
// which column it is, 0 if there is none. ok reports whether the line begins with a time.
func firstLevel(line string) (at column, name string, ok bool) {
	rest, ok := afterTimes(line)
	if !ok {
		return 0, "", false
	}
	for c := range columns {
		var word string
		word, rest = nextWord(rest)
		if name = levelName(word); name != "" {
			return c + 1, name, true
		}
	}
	return 0, "", true
}

// worstInText and milder are names of levels in lines of plain text, in lower case, in addition to
// those of worst: of Go, Python, Java, .NET (Serilog) and JavaScript, and those of PostgreSQL.
var (
	worstInText = setOf("severe erro eror ftl")
	milder      = setOf("trace debug info notice warn warning verbose config fine finer finest " +
		"debu dbug trc dbg inf wrn vrb log statement detail hint context")
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// levelName returns the level that a word names, in lower case, "" if it names none. Loggers write
// it in capitals or in square brackets.
func levelName(word string) string {
	bare := strings.Trim(word, "[]|:")
	const longest = len("emergency")
	if len(bare) < len("log") || len(bare) > longest {
		return ""
	}
	name := strings.ToLower(bare)
	if !worst[name] && !worstInText[name] && !milder[name] ||
		bare != strings.ToUpper(bare) && !strings.HasPrefix(word, "[") {
		return ""
	}
	return name
}

// nextWord returns the first word of a text and what follows it.
func nextWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, space)
	end := strings.IndexAny(text, space)
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

// container is what docker compose and kubectl put before each line.
var container = regexp.MustCompile(`^(?:[\w.-]+ +\| |\[pod/[\w./-]+\] )`)

// afterTimes returns what follows the time that a line begins with, or two: what shows a log may
// put one before that of the log.
func afterTimes(line string) (rest string, ok bool) {
	if strings.HasPrefix(line, "[pod/") || strings.Contains(line, " | ") {
		line = line[len(container.FindString(line)):]
	}
	rest, ok = afterTime(line)
	if !ok {
		return "", false
	}
	if again, ok := afterTime(strings.TrimLeft(rest, space)); ok {
		rest = again
	}
	return rest, true
}

// times are the forms of a time of the day, with or without a date: 0 is a digit, A a letter.
var times = []string{"0000-00-00T00:00:00", "0000-00-00 00:00:00", "0000/00/00 00:00:00",
	"00/00/00 00:00:00", "00/AAA/0000 00:00:00", "00/AAA/0000:00:00:00", "00-AAA-0000 00:00:00",
	"00:00:00"}

// zones are the forms of a time zone.
var zones = []string{"Z", "+00:00", "-00:00", "+0000", "-0000", " +0000", " -0000"}

// afterTime returns what follows the time of the day, with or without a date, that a text begins
// with.
func afterTime(text string) (rest string, ok bool) {
	text, inBrackets := strings.CutPrefix(text, "[")
	if rest, ok = afterAny(text, times); !ok {
		return "", false
	}
	if rest != "" && (rest[0] == '.' || rest[0] == ',') {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	if end, ok := afterAny(rest, zones); ok {
		rest = end
	}
	if inBrackets {
		rest = strings.TrimPrefix(rest, "]")
	}
	return rest, rest == "" || strings.IndexByte(space, rest[0]) >= 0
}

// afterAny returns what follows the first of some forms that a text begins with.
func afterAny(text string, forms []string) (rest string, ok bool) {
	for _, form := range forms {
		if rest, ok = after(text, form); ok {
			return rest, true
		}
	}
	return "", false
}

// after returns what follows a form that a text begins with.
func after(text, form string) (rest string, ok bool) {
	if len(text) < len(form) {
		return "", false
	}
	for i := range len(form) {
		c := text[i]
		switch form[i] {
		case '0':
			ok = '0' <= c && c <= '9'
		case 'A':
			ok = 'a' <= c|0x20 && c|0x20 <= 'z'
		default:
			ok = c == form[i]
		}
		if !ok {
			return "", false
		}
	}
	return text[len(form):], true
}
