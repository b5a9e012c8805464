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
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimRight(lines[i], " \t\r")
		if isError(l[len(logPrefix.FindString(l)):]) {
			return quoted.Fold(l)
		}
	}
	return ""
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
