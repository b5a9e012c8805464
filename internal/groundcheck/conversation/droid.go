package conversation

import (
	"slices"
	"strconv"
	"strings"
)

// ofDroid reports whether the call runs a command with Droid's tool.
func (c *Call) ofDroid() bool {
	return c.Tool == "Execute" && slices.ContainsFunc(c.Args, func(a Argument) bool {
		return a.Path == "riskLevel"
	})
}

// droidCode reads the exit code after an output of Droid's.
func droidCode(text string) (code int, ok bool) {
	found := droidEnd.FindStringSubmatch(text)
	if found == nil || strings.HasPrefix(text, "Command timed out after ") ||
		strings.HasPrefix(text, "Error: Command terminated by signal: ") {
		return 0, false
	}
	code, err := strconv.Atoi(found[1])
	return code, err == nil
}

// droidPrinted returns what a command printed, by a result of Droid's.
func droidPrinted(text string) (output string, ok bool) {
	text = strings.TrimSpace(text)
	if found := droidStopped.FindStringSubmatch(text); found != nil {
		return droidAdded.ReplaceAllString(found[1], ""), true
	}
	_, ended := droidCode(text)
	if !ended && !strings.HasPrefix(text, "Error: Command terminated by signal: ") {
		return "", false
	}
	if ended {
		text = droidEnd.ReplaceAllString(text, "")
	}
	text = droidAdded.ReplaceAllString(droidAdded.ReplaceAllString(text, ""), "")
	if droidBegin.MatchString(text) {
		text = droidHint.ReplaceAllString(droidBegin.ReplaceAllString(text, ""), "")
	}
	if text == "Command completed successfully" {
		text = ""
	}
	return text, true
}
