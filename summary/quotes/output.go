package quotes

import (
	"strings"

	"killick/rawjson"
	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/transcript"
	"killick/transcript/loglines"
	"killick/transcript/partial"
)

// Outputs quotes what calls of some turns returned.
type Outputs struct {
	*Source
	cites map[string]bool // identities of the sources that replies of the turns cite
}

// Outputs returns quotes of what calls returned in the turns [from, to).
func (s *Source) Outputs(from, to int) *Outputs { return &Outputs{s, s.cites(from, to)} }

// Of returns the part of a result that a later turn may need. logged reports whether that is a line
// of a log that states an error, whole whether it is all that a command printed.
func (s *Outputs) Of(c *transcript.Call) (text string, logged, whole bool) {
	if text = s.loggedError(c); text != "" {
		return text, true, false
	}
	if text = s.shortOutput(c); text != "" {
		return text, false, true
	}
	return s.output(c), false, false
}

// output returns the part of a result that a later turn may need: what a person said who did not
// let the call run, the last line of a command's output if it has words, the values that another
// call returned and that are not among its arguments, or else the beginning of its output: its end
// may be about something else, and beside the beginning would seem to continue it.
func (s *Outputs) output(c *transcript.Call) string {
	if c.Status == transcript.Refused {
		words := transcript.RefusalWords(s.Text(c.Result))
		return excerpt.Quote(s.Redacted(words), describe.MaxArguments)
	}
	runs := c.Effect == transcript.Runs
	if FailedRun(c.Status, c.Exit, runs, c.InBackground()) {
		return s.printed(c)
	}
	text := strings.TrimSpace(s.SafeOutput(c))
	if runs && c.OnlyReads() && !c.InBackground() {
		return "" // of a long output, no line says what was shown
	}
	if (runs || c.Polls() != "") && !c.InBackground() {
		if last := transcript.LastLine(partial.Of(text).Tail); excerpt.HasWords(last) {
			return excerpt.Quote(last, describe.MaxOutput)
		}
		return ""
	}
	if c.Session != "" && transcript.ReturnsReport(c.Name) {
		return "" // it goes on, and its report comes later
	}
	if transcript.ReturnsReport(c.Name) && !c.Failed() {
		return excerpt.Quote(text, MaxReport) // its end is often the conclusion
	}
	if c.Hosted {
		return s.hostedOutput(c, s.cites)
	}
	return describe.Output(c, text)
}

// loggedError returns the last line of what a call printed that states that it is of level error or
// worse, "" if there is none, if lines after it may be missing, or if the call failed.
func (s *Source) loggedError(c *transcript.Call) string {
	if c.Failed() || c.Hosted || c.InBackground() || c.Effect != transcript.Runs &&
		c.Effect != transcript.Other || transcript.ReturnsReport(c.Name) {
		return ""
	}
	text := strings.TrimSpace(s.SafeOutput(c))
	if c.Effect == transcript.Other && rawjson.Only(text) != nil {
		return "" // what a call returned is no log
	}
	kept := partial.Of(text)
	if c.Shows().Lines && !loglines.Of(kept.Head).Begin() {
		return "" // a file, which may quote lines of logs
	}
	return excerpt.Quote(loglines.Of(kept.Tail).LastError(), describe.MaxArguments)
}

// shortOutput returns what a command that did not fail printed if that is short, or one line: a
// version, a port or a count may be what the command was for.
func (s *Source) shortOutput(c *transcript.Call) string {
	if c.Effect != transcript.Runs || c.Failed() || c.InBackground() || c.Polls() != "" ||
		c.Session != "" {
		return ""
	}
	text := strings.TrimSpace(s.SafeOutput(c))
	if len(text) > describe.MaxOutput && (c.OnlyReads() || strings.ContainsAny(text, "\r\n")) ||
		!excerpt.HasWords(text) || partial.Of(text).Cut ||
		!c.OnlyReads() && transcript.LastLine(text) == "" {
		return ""
	}
	return excerpt.Quote(text, describe.MaxOutput)
}
