package conversation

import (
	"encoding/json"
	"regexp"
	"strings"

	"killick/internal/groundcheck/quoted"
)

// Output returns the output of a call: of a script's, where it prints the value that the call
// returned, the member of that.
func (c *Call) Output() string {
	var value struct{ Output *string }
	if c.Hosted {
		return c.Ran.Text
	}
	if c.Written {
		return c.Result.Text()
	}
	if c.Item != nil {
		return itemsOutput([]resultItem{*c.Item})
	}
	if _, _, _, output, ok := c.task(); ok {
		return output
	}
	if items := itemsIn(strings.TrimSpace(c.Result.Text())); items != nil {
		return itemsOutput(items)
	}
	text := c.framed()
	if c.Tool == "Task" || c.Tool == "Agent" {
		if found := kimiReport.FindStringSubmatch(text); found != nil {
			return found[1]
		}
		text = agentEnd.ReplaceAllString(text, "")
	}
	if c.Script && json.Unmarshal([]byte(text), &value) == nil && value.Output != nil {
		return *value.Output
	}
	return text
}

// framed returns the result of a call without the frame that clients put around it.
func (c *Call) framed() string {
	text := c.received()
	if out, ok := c.withoutOwnFrame(text); ok {
		return out
	} else if text = out; !c.OnlyShows() {
		text = endedLast.ReplaceAllString(endedFirst.ReplaceAllString(text, ""), "")
	}
	text = exitOf.ReplaceAllString(text, "") // the output begins in the same line
	if inner, ok := reported(strings.TrimSpace(text)); ok && c.Ended().Failed {
		if text = kimiTask.ReplaceAllString(inner, ""); c.Ended().Stated {
			text = kimiExit.ReplaceAllString(text, "")
		}
	}
	return withoutFrameLines(text)
}

// kimiReport matches what a sub-agent of Kimi Code returns that came to its end.
var kimiReport = regexp.MustCompile(`(?s)^agent_id: .*?\nactual_subagent_type: .*?\n` +
	`status: completed\nstop_reason: completed\n\n\[summary\]\n(.*)\n\nresume_hint: .*$`)

// folderReset matches the line by which Claude Code states where its shell is again.
var folderReset = regexp.MustCompile(`(?:^|\n)Shell cwd was reset to [^\n]*$`)

// withoutOwnFrame removes the frame that a single client puts around the results of a tool. done
// reports whether that was all that can be around it.
func (c *Call) withoutOwnFrame(text string) (out string, done bool) {
	if out, _, ok := printed(text); ok && c.Tool == "bash" {
		return out, true
	}
	if c.Tool == "Bash" && kimiRuns.MatchString(text) {
		return "", true
	}
	if strings.EqualFold(c.Tool, "bash") && !c.OnlyShows() {
		text = folderReset.ReplaceAllString(text, "")
	}
	if kimiTimed.MatchString(c.Tool) && !strings.Contains(text, "\nOutput:\n") &&
		!kimiFailed.MatchString(text) {
		text = kimiTime.ReplaceAllString(text, "")
	}
	if c.Tool == "bash" && c.Named("i") != "" {
		text = ohMyTime.ReplaceAllString(text, "$1")
	}
	if c.Tool == "Read" {
		text = kimiStatus.ReplaceAllString(text, "")
	}
	if c.ofDroid() {
		if out, ok := droidPrinted(text); ok {
			return out, true
		}
	}
	if c.Tool == "execute" {
		if _, n, ok := deepEnd(text); ok {
			return text[:len(text)-n], true
		}
	}
	if c.Tool == mastraShell && !c.OnlyShows() {
		text = mastraExit.ReplaceAllString(strings.TrimSpace(text), "")
	}
	if out, ok := earlyCodex(text); ok && c.Runs() && !c.OnlyShows() {
		return out, true
	}
	if strings.HasPrefix(text, "<task-id>") && strings.Contains(text, "<status>running</status>") {
		return "", true // the client says where the command goes on
	}
	if c.Tool == "exec" {
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

// LastLine returns the last line of a call's output.
func (c *Call) LastLine() string {
	lines := strings.FieldsFunc(c.Output(), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if l := quoted.Fold(lines[i]); l != "" {
			return l
		}
	}
	return ""
}
