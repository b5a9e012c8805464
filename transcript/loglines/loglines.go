// Package loglines finds lines of logs that state the level of an error, by the structure of the
// line. It never looks at the words of a message.
package loglines

import (
	"regexp"
	"strconv"
	"strings"

	"killick/rawjson"
)

// LastError returns the last line of a text that states by its structure that it is of level error
// or worse, "" if there is none.
func LastError(text string) string {
	for end := len(text); end > 0; {
		begin := strings.LastIndexByte(text[:end], '\n') + 1
		if line := strings.TrimSpace(text[begin:end]); isError(line) {
			return line
		}
		end = begin - 1
	}
	return ""
}

// isError reports whether a line states that it is of level error or worse. What shows logs may put
// the name of a container or a time before each line.
func isError(line string) bool {
	if mayHavePrefix(line) {
		line = line[len(before.FindString(line)):]
	}
	if line == "" {
		return false
	}
	switch line[0] {
	case '{':
		return ofObject(line)
	case '<':
		return ofPriority(line)
	case 'E', 'F':
		return header.MatchString(line)
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
var header = regexp.MustCompile(`^[EF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w./-]+:\d+\] `)

// members are the names under which loggers write a level into an object: zap, zerolog, logrus,
// slog, winston, pino and bunyan; Google Cloud's LogSeverity; python-json-logger; Elastic's common
// schema; Serilog's compact form; hclog.
var members = []string{"level", "severity", "levelname", "log.level", "@l", "@level"}

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

func ofObject(line string) bool {
	if !strings.Contains(line, "evel") && !strings.Contains(line, "severity") &&
		!strings.Contains(line, `"@l"`) {
		return false
	}
	object := rawjson.Only(line)
	if object == nil {
		return false
	}
	for i, level := range object.GetEach(members...) {
		switch level.Kind() {
		case rawjson.String:
			return worst[strings.ToLower(level.Text())]
		case rawjson.Number:
			n, err := strconv.Atoi(string(level))
			return err == nil && i == 0 && (n == numberOfError || n == numberOfFatal) &&
				object.Get("time") != nil && object.Get("msg") != nil
		}
	}
	return false
}

// priority begins a line of syslog (RFC 5424 and 3164) or of the kernel's messages: facility times
// eight and severity.
var priority = regexp.MustCompile(`^<(\d{1,3})>(?:1 |[A-Z][a-z]{2} [ \d]\d \d\d:|\[)`)

func ofPriority(line string) bool {
	const severities, errorSeverity, most = 8, 3, 191
	found := priority.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	n, _ := strconv.Atoi(found[1])
	return n <= most && n%severities <= errorSeverity
}

// pair is a field of logfmt, with what follows it.
var pair = regexp.MustCompile(`^([A-Za-z_][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"=]*)(?:\s+|$)`)

// ofPairs reads a line of logfmt: key=value, and nothing else.
func ofPairs(line string) bool {
	if !strings.Contains(line, "level=") && !strings.Contains(line, "lvl=") {
		return false
	}
	level, fields := "", 0
	for rest := line; rest != ""; fields++ {
		found := pair.FindStringSubmatch(rest)
		if found == nil {
			return false
		}
		if found[1] == "level" || found[1] == "lvl" {
			level = strings.ToLower(strings.Trim(found[2], `"`))
		}
		rest = rest[len(found[0]):]
	}
	return fields > 1 && (worst[level] || level == "eror") // log15 spells it so
}
