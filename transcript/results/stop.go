package results

import (
	"slices"
	"strings"

	"killick/view"
)

// stopsBefore begin the first line of a result, and stopsAfter are the last line after an empty
// one, where an agent ended the command before the command's own end.
var (
	stopsBefore = []struct {
		start string
		by    []*frame
	}{
		// qwen-code 0.24.4; Claude Code 1.0.128; pi, if there is no output; Droid 0.215.0
		{droidTimeout, []*frame{qwenFrame, claudeFrame, piFrame, droidFrame}},
		// qwen-code 0.24.4, gemini-cli 0.61.0
		{"Command was cancelled by user before it could complete.", []*frame{qwenFrame}},
		{"exit: killed (", []*frame{grokFrame}}, // Grok Build 1.0.41
		// gemini-cli 0.61.0
		{"Command was automatically cancelled because it exceeded the timeout of ",
			[]*frame{qwenFrame}},
	}
	stopsAfter = []struct {
		start, end string
		by         *frame
	}{
		{"Command aborted", "", piFrame},                               // pi 0.87.1
		{"Command timed out after ", " seconds", piFrame},              // pi 0.87.1
		{"Command terminated without an exit code", "", piFrame},       // pi 0.87.1
		{"[Command timed out after ", " of no output]", continueFrame}, // Continue 1.5.47
	}
)

// stopped returns the frames, of which one says that the agent ended the command, nil if there are
// none. The notice takes before bytes at the beginning of head, or after bytes at the end of tail.
func stopped(head, tail string) (by []*frame, before, after int) {
	if after = stoppedByClaw(head, tail); after > 0 {
		return []*frame{clawFrame}, 0, after
	}
	first, rest, more := strings.Cut(head, "\n")
	if before = len(first); more {
		before++
	}
	for _, s := range stopsBefore {
		if strings.HasPrefix(first, s.start) {
			return s.by, before, 0
		}
	}
	if strings.HasPrefix(first, "Wall time: ") && rest == "aborted by user" ||
		strings.HasPrefix(first, "aborted by user after ") && !more { // Codex 0.169
		return []*frame{codexFrame}, len(head), 0
	}
	if head == "Command timed out" { // Letta Code 0.25.9, without what the command printed
		return []*frame{lettaFrame}, len(head), 0
	}
	if strings.HasSuffix(tail, "</shell_metadata>") { // opencode 1.18.33
		i := strings.LastIndex(tail, "<shell_metadata>\n")
		if i >= 0 && (strings.Contains(tail[i:], "terminated command after exceeding timeout") ||
			strings.Contains(tail[i:], "\nUser aborted the command\n")) {
			return []*frame{opencodeFrame}, 0, len(tail) - i
		}
	}
	at := strings.LastIndexByte(tail, '\n') + 1
	for _, s := range stopsAfter {
		end := s.start + s.end
		if last := tail[at:]; len(last) >= len(end) && strings.HasPrefix(last, s.start) &&
			strings.HasSuffix(last, s.end) && (s.end != "" || last == end) &&
			(tail == head && at == 0 || strings.HasSuffix(tail[:at], "\n\n")) {
			return []*frame{s.by}, 0, len(last)
		}
	}
	return nil, 0, 0
}

// clawStops begin the line of OpenClaw (2026.9.6), after an empty one, for a command that it
// ended. Advice follows, or may follow, in paragraphs of their own.
var clawStops = []struct {
	start, advice string
	advised       bool
}{
	{"Command timed out", "The command was terminated, but external side effects may already " +
		"have completed.", true},
	{"Command aborted by signal ", "OpenClaw selected its Linux OOM-score wrapper, ", false},
	{"Command aborted before exit code was captured", "", false},
}

// stoppedByClaw returns how many bytes at the end of a result are such a line and what follows it.
func stoppedByClaw(head, tail string) int {
	if !strings.Contains(tail, "Command ") { // with which each of them begins
		return 0
	}
	for _, s := range clawStops {
		at := strings.LastIndex(tail, s.start)
		if at < 0 || !strings.HasSuffix(tail[:at], "\n\n") && (at > 0 || tail != head) {
			continue
		}
		_, advice, more := strings.Cut(tail[at:], "\n")
		if !more && !s.advised ||
			s.advice != "" && strings.HasPrefix(advice, "\n"+s.advice) {
			return len(tail) - at
		}
	}
	return 0
}

// cutStop returns how many bytes at either end of a result say that the agent ended the call.
func (c *Call) cutStop(m *view.Message, head, tail string) (before, after int) {
	by, before, after := stopped(head, tail)
	if !slices.ContainsFunc(by, func(f *frame) bool {
		return (c.Runs || f == codexFrame) && c.ofAgent(f, m)
	}) {
		return 0, 0
	}
	return before, after
}
