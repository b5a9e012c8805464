package conversation

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/groundcheck/quoted"
)

var (
	// what docker compose, kubectl and docker put before the lines of a log
	logPrefix = regexp.MustCompile(`^(?:[\w.-]+ +\| )?(?:\[pod/\S+\] )?` +
		`(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]{5}) )?`)
	logHeader = regexp.MustCompile(`^[EF]\d{4} [\d:]{8}\.\d{6} +\d+ \S+:\d+\] `)
	logNumber = regexp.MustCompile(`^<(\d{1,3})>`)
	logFields = regexp.MustCompile(`^(?:[^\s="]+=(?:"(?:\\.|[^"\\])*"|[^\s"=]*)\s*)+$`)
	logLevel  = regexp.MustCompile(`(?i)(?:^|\s)(?:level|lvl)="?(?:error|err|eror|critical|crit|` +
		`fatal|panic|dpanic|alert|emergency|emerg)"?(?:\s|$)`)
	levelName = regexp.MustCompile(`(?i)^(?:error|err|critical|crit|fatal|panic|dpanic|alert|` +
		`emergency|emerg)$`)
	messageNames = strings.Fields("msg message @m @mt @message event textPayload jsonPayload")
)

// LastError returns the last line of a call's output that states that it is of level error or
// worse.
func (c *Call) LastError() string {
	lines := strings.Split(c.Output(), "\n")
	words := levelsInText(lines)
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimRight(lines[i], " \t\r")
		if isError(l[len(logPrefix.FindString(l)):]) || errorInText.MatchString(words[i]) {
			return quoted.Fold(l)
		}
	}
	return ""
}

// A line of plain text: a time or two, up to three words, and a level in capitals or in brackets.
const (
	dayTime = `\[?(?:\d\d(?:\d\d)?[-/](?:\d\d|[A-Za-z]{3})[-/]\d\d(?:\d\d)?[T :])?` +
		`\d\d:\d\d:\d\d(?:[.,]\d*)?(?:Z| ?[+-]\d{4}|[+-]\d\d:\d\d)?\]?\s+`
	textLevels = `TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|VERBOSE|CONFIG|FINE|FINER|FINEST|DEBU|` +
		`DBUG|TRC|DBG|INF|WRN|VRB|LOG|STATEMENT|DETAIL|HINT|CONTEXT|` + textErrors
	textErrors = `ERROR|ERR|CRITICAL|CRIT|FATAL|PANIC|DPANIC|ALERT|EMERGENCY|EMERG|SEVERE|ERRO|` +
		`EROR|FTL`
)

var (
	textLine = regexp.MustCompile(`^(?:[\w.-]+ +\| |\[pod/\S+\] )?(?:` + dayTime +
		`){1,2}((?:\S+\s+){0,3}?)([|:\]]*(?:` + textLevels + `)[\[\]|:]*|\[[\[\]|:]*(?i:` +
		textLevels + `)[\[\]|:]*)(?:\s|$)`)
	textTime    = regexp.MustCompile(`^(?:[\w.-]+ +\| |\[pod/\S+\] )?` + dayTime)
	errorInText = regexp.MustCompile(`(?i)^(?:` + textErrors + `)$`)
)

// levelsInText returns the levels that lines of plain text name in the same column after their
// time, if most lines with a time do, and if these levels differ.
func levelsInText(lines []string) []string {
	timed := 0
	byColumn := map[int][]string{}
	for i, l := range lines {
		if !textTime.MatchString(l + " ") {
			continue
		}
		timed++
		if found := textLine.FindStringSubmatch(l); found != nil {
			column := len(strings.Fields(found[1]))
			if byColumn[column] == nil {
				byColumn[column] = make([]string, len(lines))
			}
			byColumn[column][i] = strings.Trim(found[2], "[]|:")
		}
	}
	for column := range 4 {
		named, kinds := 0, map[string]bool{}
		for _, name := range byColumn[column] {
			if name != "" {
				named++
				kinds[strings.ToLower(name)] = true
			}
		}
		if named*2 > timed && len(kinds) > 1 {
			return byColumn[column]
		}
	}
	return make([]string, len(lines))
}

func isError(l string) bool {
	var object map[string]any
	if json.Unmarshal([]byte(l), &object) == nil {
		if !slices.ContainsFunc(messageNames, func(name string) bool {
			return object[name] != nil
		}) {
			return false
		}
		for _, name := range []string{"level", "severity", "levelname", "log.level", "@l",
			"@level"} {
			switch level := object[name].(type) {
			case string:
				return levelName.MatchString(level)
			case float64:
				return name == "level" && (level == 50 || level == 60)
			}
		}
		return false
	}
	if found := logNumber.FindStringSubmatch(l); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n%8 <= 3
	}
	return logHeader.MatchString(l) || logFields.MatchString(l) && logLevel.MatchString(l)
}
