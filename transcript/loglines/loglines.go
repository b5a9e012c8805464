// Package loglines finds lines of logs that state the level of an error, by the structure of the
// line, or by the column of levels that the lines of a text have. It never looks at the words of a
// message.
package loglines

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/rawjson"
)

// Lines reads the levels of the lines of one text.
type Lines struct {
	text   string
	column column // of levels, in plain text
}

// Of returns a reader of the lines of a text.
func Of(text string) Lines { return Lines{text, columnOf(text)} }

// IsError reports whether a line of the text states by its structure, or by its column, that it is
// of level error or worse. An indented line is part of something else, such as a diff.
func (l Lines) IsError(line string) bool { return l.levelOf(line) == failing }

func (l Lines) levelOf(line string) level {
	line = strings.TrimRight(line, space)
	if found := levelOf(line); found != none {
		return found
	}
	return l.column.levelOf(line)
}

// LastError returns the last line of level error or worse, "" if there is none.
func (l Lines) LastError() string {
	for end := len(l.text); end > 0; {
		begin := strings.LastIndexByte(l.text[:end], '\n') + 1
		if line := l.text[begin:end]; l.IsError(line) {
			return strings.TrimRight(line, space)
		}
		end = begin - 1
	}
	return ""
}

// Begin reports whether the first line states a level. That of a file which only quotes lines of
// logs does not.
func (l Lines) Begin() bool {
	first, _, _ := strings.Cut(l.text, "\n")
	return l.levelOf(first) != none
}

// space may stand after a line.
const space = " \t\r\n"

// level is what a line states of its level.
type level byte

const (
	none    level = iota // nothing
	stated               // some level
	failing              // error or worse
)

func levelIf(isError bool) level {
	if isError {
		return failing
	}
	return stated
}

// levelOf returns what a line states of its level. What shows logs may put the name of a container
// or a time before each line.
func levelOf(line string) level {
	if mayHavePrefix(line) {
		line = line[len(before.FindString(line)):]
	}
	if line == "" {
		return none
	}
	switch line[0] {
	case '{':
		return ofObject(line)
	case '<':
		return ofPriority(line)
	case 'E', 'F', 'I', 'W':
		if header.MatchString(line) {
			return levelIf(line[0] == 'E' || line[0] == 'F')
		}
	}
	return ofPairs(line)
}

// before is what tools put before each line: docker compose the name of a container, kubectl
// (--prefix) those of a pod, both (--timestamps) a time.
var before = regexp.MustCompile(`^(?:[\w.-]+ +\| |\[pod/[\w./-]+\] )?` +
	`(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d) )?`)

// mayHavePrefix reports whether before may match: most lines need not be matched.
func mayHavePrefix(line string) bool {
	const year, date = len("2006"), len("2006-01-02")
	return len(line) > date && line[year] == '-' && line[date] == 'T' ||
		strings.HasPrefix(line, "[pod/") || strings.Contains(line, " | ")
}

// header is that of glog and klog: the level, the date and the time, the thread, the place.
var header = regexp.MustCompile(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w./-]+:\d+\] `)

// members are the names under which loggers write a level into an object: zap, zerolog, logrus,
// slog, winston, pino and bunyan; Google Cloud's LogSeverity; python-json-logger; Elastic's common
// schema; Serilog's compact form; hclog.
var members = []string{"level", "severity", "levelname", "log.level", "@l", "@level"}

// messages are the names under which they write the message: those of the same, and structlog. An
// object without one is no line of a log, whatever is called its level or severity.
var messages = []string{"msg", "message", "@m", "@mt", "@message", "textPayload", "jsonPayload",
	"event"}

var membersAndMessages = slices.Concat(members, messages)

// worst are the names of level error and of those above it, in lower case.
var worst = map[string]bool{
	"error": true, "err": true, "critical": true, "crit": true, "fatal": true, "panic": true,
	"dpanic": true, "alert": true, "emergency": true, "emerg": true,
}

// The numbers of levels of pino and bunyan, whose lines have a time and a message, too.
const (
	numberOfError = 50
	numberOfFatal = 60
)

func ofObject(line string) level {
	if !strings.Contains(line, "evel") && !strings.Contains(line, "severity") &&
		!strings.Contains(line, `"@l"`) {
		return none
	}
	object := rawjson.Only(line)
	if object == nil {
		return none
	}
	values := object.GetEach(membersAndMessages...)
	if !slices.ContainsFunc(values[len(members):], func(v rawjson.Value) bool { return v != nil }) {
		return none
	}
	for i, v := range values[:len(members)] {
		switch v.Kind() {
		case rawjson.String:
			return levelIf(worst[strings.ToLower(v.Text())])
		case rawjson.Number:
			n, err := strconv.Atoi(string(v))
			if err != nil || i > 0 || object.Get("time") == nil || object.Get("msg") == nil {
				return none
			}
			return levelIf(n == numberOfError || n == numberOfFatal)
		}
	}
	return none
}

// priority begins a line of syslog (RFC 5424 and 3164) or of the kernel's messages: facility times
// eight and severity.
var priority = regexp.MustCompile(`^<(\d{1,3})>(?:1 |[A-Z][a-z]{2} [ \d]\d \d\d:|\[)`)

func ofPriority(line string) level {
	const severities, errorSeverity, most = 8, 3, 191
	found := priority.FindStringSubmatch(line)
	if found == nil {
		return none
	}
	n, _ := strconv.Atoi(found[1])
	if n > most {
		return none
	}
	return levelIf(n%severities <= errorSeverity)
}

// ofPairs reads a line of logfmt: key=value, and nothing else.
func ofPairs(line string) level {
	if !strings.Contains(line, "level=") && !strings.Contains(line, "lvl=") {
		return none
	}
	name, fields := "", 0
	for rest := line; rest != ""; fields++ {
		key, value, after, ok := pair(rest)
		if !ok {
			return none
		}
		if key == "level" || key == "lvl" {
			name = strings.ToLower(strings.Trim(value, `"`))
		}
		rest = after
	}
	if name == "" || fields < 2 {
		return none
	}
	return levelIf(worst[name] || name == "eror") // log15 spells it so
}

// pair returns the field of logfmt at the beginning of a text, and what follows it and spaces.
func pair(text string) (key, value, rest string, ok bool) {
	n := 0
	for n < len(text) && inKey(text[n], n) {
		n++
	}
	if n == 0 || n == len(text) || text[n] != '=' {
		return "", "", "", false
	}
	key, text = text[:n], text[n+1:]
	if n = 0; strings.HasPrefix(text, `"`) {
		for n++; n < len(text) && text[n] != '"'; n++ {
			if text[n] == '\\' {
				n++
			}
		}
		if n++; n > len(text) {
			return "", "", "", false
		}
	} else {
		for n < len(text) && text[n] > ' ' && text[n] != '"' && text[n] != '=' {
			n++
		}
	}
	value, text = text[:n], text[n:]
	rest = strings.TrimLeft(text, space)
	return key, value, rest, text == "" || len(rest) < len(text)
}

// inKey reports whether a byte may be in a key of logfmt, as its byte i.
func inKey(c byte, i int) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' ||
		i > 0 && ('0' <= c && c <= '9' || strings.IndexByte(".@/-", c) >= 0)
}
