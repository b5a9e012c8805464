package groundcheck

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// output returns the output of a call: of a script's, where it prints the value that the call
// returned, the member of that.
func (c *call) output() string {
	var value struct{ Output *string }
	if c.hosted {
		return c.ran.text
	}
	if c.item != nil {
		return itemsOutput([]resultItem{*c.item})
	}
	if _, _, _, output, ok := c.task(); ok {
		return output
	}
	if items := itemsIn(strings.TrimSpace(c.result.text())); items != nil {
		return itemsOutput(items)
	}
	text := c.framed()
	if c.tool == "Task" || c.tool == "Agent" {
		text = agentEnd.ReplaceAllString(text, "")
	}
	if c.script && json.Unmarshal([]byte(text), &value) == nil && value.Output != nil {
		return *value.Output
	}
	return text
}

// framed returns the result of a call without the frame that clients put around it.
func (c *call) framed() string {
	text := added.ReplaceAllString(trusted(withoutReminders(c.result.text())), "")
	if out, ok := c.withoutOwnFrame(text); ok {
		return out
	} else if text = out; !c.onlyShows() {
		text = endedLast.ReplaceAllString(endedFirst.ReplaceAllString(text, ""), "")
	}
	text = exitOf.ReplaceAllString(text, "") // the output begins in the same line
	if inner, ok := reported(strings.TrimSpace(text)); ok && c.ended().failed {
		if text = kimiTask.ReplaceAllString(inner, ""); c.ended().stated {
			text = kimiExit.ReplaceAllString(text, "")
		}
	}
	return strings.Join(withoutFrameLines(strings.Split(text, "\n")), "\n")
}

// folderReset matches the line by which Claude Code states where its shell is again.
var folderReset = regexp.MustCompile(`(?:^|\n)Shell cwd was reset to [^\n]*$`)

// withoutOwnFrame removes the frame that a single client puts around the results of a tool. done
// reports whether that was all that can be around it.
func (c *call) withoutOwnFrame(text string) (out string, done bool) {
	if out, _, ok := printed(text); ok && c.tool == "bash" {
		return out, true
	}
	if c.tool == "Bash" && kimiRuns.MatchString(text) {
		return "", true
	}
	if strings.EqualFold(c.tool, "bash") && !c.onlyShows() {
		text = folderReset.ReplaceAllString(text, "")
	}
	if kimiTimed.MatchString(c.tool) && !strings.Contains(text, "\nOutput:\n") &&
		!kimiFailed.MatchString(text) {
		text = kimiTime.ReplaceAllString(text, "")
	}
	if c.tool == "Read" {
		text = kimiStatus.ReplaceAllString(text, "")
	}
	if c.ofDroid() {
		if out, ok := droidPrinted(text); ok {
			return out, true
		}
	}
	if c.tool == "execute" {
		if _, n, ok := deepEnd(text); ok {
			return text[:len(text)-n], true
		}
	}
	if c.tool == mastraShell && !c.onlyShows() {
		text = mastraExit.ReplaceAllString(strings.TrimSpace(text), "")
	}
	if out, ok := earlyCodex(text); ok && c.runs() && !c.onlyShows() {
		return out, true
	}
	if strings.HasPrefix(text, "<task-id>") && strings.Contains(text, "<status>running</status>") {
		return "", true // the client says where the command goes on
	}
	if c.tool == "exec" {
		if strings.HasPrefix(text, "Command still running (session ") {
			return "", true
		}
		text = notRun.ReplaceAllString(text, "")
	}
	return text, false
}

// earlyCodex returns the output in the JSON by which earlier versions of Codex answered.
func earlyCodex(text string) (out string, ok bool) {
	var framed struct {
		Output   string
		Metadata *json.RawMessage
	}
	ok = strings.HasPrefix(text, `{"output":`) && json.Unmarshal([]byte(text), &framed) == nil &&
		framed.Metadata != nil
	return framed.Output, ok
}

// withoutFrameLines removes the lines that several clients put around an output.
func withoutFrameLines(lines []string) []string {
	if frameLine.MatchString(lines[0]) {
		for i, l := range lines[:min(len(lines), 10)] {
			if strings.TrimSpace(l) == "Output:" {
				return lines[i+1:]
			}
		}
	}
	if listed := listedOutput(lines); listed != nil {
		return listed
	}
	if n := len(lines) - 1; stateLine.MatchString(lines[n]) || lines[n] == "bash-$" {
		for n >= 0 && (stateLine.MatchString(lines[n]) || lines[n] == "bash-$" ||
			editorLine.MatchString(lines[n]) || lines[n] == "") {
			n--
		}
		return lines[:n+1]
	}
	if _, framed := stated(exitBefore, lines[0]); framed {
		lines = lines[1:]
	}
	if n := len(lines) - 1; n >= 0 {
		if _, framed := stated(exitBehind, lines[n]); framed {
			lines = lines[:n]
		}
	}
	return lines
}

// lastLine returns the last line of a call's output.
func (c *call) lastLine() string {
	lines := strings.FieldsFunc(c.output(), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if l := fold(lines[i]); l != "" {
			return l
		}
	}
	return ""
}

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
)

// lastError returns the last line of a call's output that states that it is of level error or
// worse.
func (c *call) lastError() string {
	lines := strings.Split(c.output(), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		if isError(l[len(logPrefix.FindString(l)):]) {
			return fold(l)
		}
	}
	return ""
}

func isError(l string) bool {
	var object map[string]any
	if json.Unmarshal([]byte(l), &object) == nil {
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
