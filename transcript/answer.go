package transcript

import (
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/transcript/partial"
	"killick/transcript/results"
	"killick/transcript/speech"
	"killick/view"
)

// writtenName is the name of calls in text, whatever their tool is. It is in no table.
const writtenName = "call"

// writtenCall returns a call that the model wrote as text, which is its only argument unless it is
// JSON, and which message result answers. How it ended is not known without an exit code.
func writtenCall(o *speech.Observed, result int) Call {
	raw := strings.TrimSpace(o.Call)
	if o.Command {
		raw = `{"command":` + string(rawjson.AppendQuoted(nil, raw)) + `}`
	}
	c := readCall(writtenName, raw, result-1)
	c.Written, c.Result, c.doubtful = true, result, true
	if exit, err := strconv.Atoi(o.Exit); err == nil {
		c.Status, c.Exit, c.doubtful = OK, max(exit, -1), false
		if exit != 0 { // it is negative if a signal or the agent ended the command
			c.Status = Failed
		}
	}
	return c
}

// answer records the result of the call, message i, whose text decode returns.
func (c *Call) answer(m *view.Message, i int, decode func() string) {
	c.Result = i
	if c.answerScript(m, i) {
		return
	}
	read := c.reading()
	c.Status, c.Exit, c.doubtful = read.Status(m, decode)
	c.readSession(read.Session(m, decode))
	c.readInterrupt()
	c.readHashResult(decode)
	c.readItems(m)
	c.Stub = partial.IsStub(m)
}

// RefusalWords returns what a person typed when they did not let a call run, by the result of the
// call, "" if it holds no words (Claude Code 2.1.330).
func RefusalWords(result string) string { return results.RefusalWords(result) }

// reading describes the call to the package that reads results.
func (c *Call) reading() *results.Call {
	return &results.Call{
		Name: c.Name, Tool: c.tool, Command: c.Command,
		Runs: c.Effect == Runs, Reads: c.Effect == Reads,
		Writes:  c.Known() && (c.Effect == Writes || c.Effect == Deletes),
		Patches: knownTools[c.tool] == patches, Beside: c.InBackground(),
		Arguments: c, Failed: c.Failed(), Exited: c.Exit >= 0,
	}
}
