// Package partial reads which part of a long output an agent kept, from the notices that it wrote,
// and which results only refer to an earlier one.
//
// It knows no call, and never changes a result.
package partial

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"killick/view"
)

// Agents leave out a part of a long output, each in a form of its own. Which lines a result has is
// read from the notices that they write. A program may print the same lines: then less is known of
// its output than could be.

// Output is what an agent kept of an output, without its notices.
type Output struct {
	Head string // whole lines from the beginning on, as far as none is missing
	Tail string // whole lines up to the end, as far as none is missing
	Cut  bool   // lines are missing; else both are the output
}

// Of returns what an agent kept of an output.
func Of(output string) Output {
	for _, read := range []func(string) (Output, bool){
		keptByCodex, keptByLetta, keptByKimi, preview, keptByMastra, keptEnd, keptHead,
		keptBothEnds} {
		if k, ok := read(output); ok {
			k.Cut = true
			return k
		}
	}
	return Output{Head: output, Tail: output}
}

// near is within how many bytes a notice stands before what it is about.
const near = 2000

// WholeLines returns a text without its last line, which may be a part of one.
func WholeLines(text string) string { return text[:strings.LastIndexByte(text, '\n')+1] }

// keptByCodex reads the forms of Codex (0.169): notices before the output, and a mark in place of
// what is left out.
func keptByCodex(output string) (k Output, ok bool) {
	rest := output
	for {
		warning, after, _ := strings.Cut(rest, "\n")
		if !strings.HasPrefix(warning, "Warning: truncated output (original token count: ") {
			after = rest
		}
		counted, found := strings.CutPrefix(after, "Total output lines: ")
		if !found {
			break
		}
		_, rest, _ = strings.Cut(counted, "\n")
		rest = strings.TrimPrefix(rest, "\n")
	}
	if len(rest) == len(output) {
		return Output{}, false
	}
	before, after, found := strings.Cut(rest, " tokens truncated…")
	if !found {
		return Output{}, false
	}
	_, after, _ = strings.Cut(after, "\n")
	return Output{Head: WholeLines(before), Tail: after}, true
}

// keptByLetta reads the form of Letta Code (0.25.9): a notice after the beginning of an output, or
// after both ends with a mark between them.
func keptByLetta(output string) (k Output, ok bool) {
	at := LastIndex(output, "\n\n", "[Output truncated: showing ")
	if at < 0 {
		return Output{}, false
	}
	notice, path, saved := strings.Cut(output[at+len("\n\n"):], "\n")
	if !strings.HasSuffix(notice, " characters.]") ||
		saved && !strings.HasPrefix(path, "[Full output written to: ") {
		return Output{}, false
	}
	if k, ok = keptBothEnds(output[:at]); ok {
		return k, true
	}
	return Output{Head: WholeLines(output[:at])}, true
}

// LastIndex returns where before and notice are last in a text, -1 if they are not in it, as is
// nearly always so. Searching for a notice from the front is many times faster.
func LastIndex(text, before, notice string) int {
	if !strings.Contains(text, notice) {
		return -1
	}
	return strings.LastIndex(text, before+notice)
}

// keptByKimi reads the form of Kimi Code (2.1.0): lines about the output, its beginning and end.
// After the end is what else Kimi Code says of the command, so the end is not returned.
func keptByKimi(output string) (k Output, ok bool) {
	if !strings.HasPrefix(output, "Tool output exceeded ") {
		return Output{}, false
	}
	const preview = "\n\n[preview: chars ["
	_, shown, ok := strings.Cut(output[:min(len(output), 8*near)], preview+"0, ")
	_, shown, _ = strings.Cut(shown, "\n")
	shown, _, _ = strings.Cut(shown, "\n\n[elided: chars [")
	shown, _, _ = strings.Cut(shown, preview)
	return Output{Head: WholeLines(shown)}, ok
}

// preview reads the forms of agents that save an output in a file and show its beginning: Claude
// Code 2.1.330, Copilot CLI 1.0.102. deepagents (1.14.1) numbers the lines that it shows, those of
// the frame too.
func preview(output string) (k Output, ok bool) {
	if strings.HasPrefix(output, "Tool result too large, the result of this tool call ") {
		return Output{}, true
	}
	const notice = "\nPreview (first "
	for _, start := range []string{"<persisted-output>\nOutput too large (",
		"Output too large to read at once ("} {
		if strings.HasPrefix(output, start) {
			_, shown, _ := strings.Cut(output[:min(len(output), 8*near)], notice)
			_, shown, _ = strings.Cut(shown, "\n")
			shown = strings.TrimSuffix(shown, "\n...\n</persisted-output>")
			return Output{Head: WholeLines(shown)}, true
		}
	}
	return Output{}, false
}

// keptEnd reads the forms of agents that save an output in a file and show its end: opencode
// 1.18.33, pi 0.87.1.
func keptEnd(output string) (k Output, ok bool) {
	const notice = "...output truncated...\n\nFull output saved to: "
	if rest, found := strings.CutPrefix(output, notice); found {
		_, shown, _ := strings.Cut(rest, "\n\n")
		return Output{Tail: shown}, true
	}
	output = strings.TrimRight(output, "\n")
	at := strings.LastIndexByte(output, '\n') + 1
	if last := output[at:]; strings.HasPrefix(last, "[Showing ") &&
		strings.Contains(last, ". Full output: ") && strings.HasSuffix(last, "]") {
		return Output{Tail: strings.TrimSuffix(output[:at], "\n")}, true
	}
	return Output{}, false
}

// keptByMastra reads the notices of Mastra (1.71.0) before the end of an output, from which more
// may be left out in the middle.
func keptByMastra(output string) (k Output, ok bool) {
	notice, shown, _ := strings.Cut(output, "\n")
	if strings.HasPrefix(notice, "[output truncated: showing last ~") &&
		strings.HasSuffix(notice, " tokens]") {
		_, shown, _ = strings.Cut(shown, "\n") // a part of a line
		return Output{Tail: shown}, true
	}
	if !strings.HasPrefix(notice, "[showing last ") || !strings.HasSuffix(notice, " lines]") {
		return Output{}, false
	}
	if k, ok = keptBothEnds(shown); ok {
		return Output{Tail: k.Tail}, true
	}
	return Output{Tail: shown}, true
}

// headNotices are last lines after the beginning of an output: deepagents 1.14.1, Vercel's
// bash-tool 1.3.19.
var headNotices = []struct{ start, end string }{
	{"\n\n... Output truncated at ", " bytes."},
	{"\n\n[stdout truncated: ", " characters removed]"},
	{"\n[output truncated: showing first ~", " tokens]"}, // Mastra 1.71.0
}

// keptHead reads those, and the form of OpenClaw (2026.9.6): a notice at the end, and a mark in
// place of what is left out before it. What is after the mark may have been cut once more.
func keptHead(output string) (k Output, ok bool) {
	for _, cut := range headNotices {
		if strings.HasSuffix(output, cut.end) {
			at := strings.LastIndex(output, cut.start)
			if at >= 0 && !strings.Contains(output[at+len(cut.start):], "\n") {
				return Output{Head: WholeLines(output[:at])}, true
			}
		}
	}
	const notice, mark = " more characters truncated; rerun with narrower args if needed]",
		"\n\n⚠️ [... middle content omitted — showing head and tail ...]\n\n"
	shown, ok := strings.CutSuffix(output, notice)
	if !ok {
		return Output{}, false
	}
	at := strings.LastIndex(shown, "[... ")
	if at < 0 {
		return Output{}, false
	}
	counted := strings.TrimSpace(shown[at+len("[... "):])
	if _, err := strconv.Atoi(counted); err != nil {
		return Output{}, false
	}
	before, _, _ := strings.Cut(shown[:at], mark)
	return Output{Head: WholeLines(before)}, true
}

// leftOut are the lines in place of what is left out: Cline 3.0.65, qwen-code 0.24.4, gemini-cli
// 0.61.0; of Grok Build 1.0.41; of Droid 0.215.0; the last of Mastra 1.71.0. They may stand within
// a line of the output, of which both parts are then left out.
var leftOut = regexp.MustCompile(`\n\.\.\. ?\[(?:truncated \d+ chars|CONTENT TRUNCATED|` +
	`[\d.,'\x{a0}\x{202f}]+ characters omitted)\] ?\.\.\.\n|` +
	`\n\n\.\.\. \(output truncated\) \.\.\.\n|` +
	`\n\n\[\.\.\. truncated \d+ (?:bytes|characters) from middle section \.\.\.\]\n\n|` +
	`\n\[\.\.\.output truncated — showing first ~\d+ \+ last ~\d+ of ~\d+ tokens` +
	`\.\.\.\]\n`)

// keptBothEnds reads those forms. Of several commands, some outputs may be whole; what is between
// the first and the last such line is not returned.
func keptBothEnds(output string) (k Output, ok bool) {
	if !strings.Contains(output, "\n...") && !strings.Contains(output, "\n[...") ||
		!strings.Contains(output, "]...\n") && !strings.Contains(output, "] ...\n") &&
			!strings.Contains(output, "(output truncated) ...\n") &&
			!strings.Contains(output, " from middle section ...]\n") &&
			!strings.Contains(output, " tokens...]\n") {
		return Output{}, false
	}
	places := leftOut.FindAllStringIndex(output, -1)
	if len(places) == 0 {
		return Output{}, false
	}
	before := strings.TrimSuffix(output[:places[0][0]], "\n")
	after := strings.TrimPrefix(output[places[len(places)-1][1]:], "\n")
	_, after, _ = strings.Cut(after, "\n")
	return Output{Head: WholeLines(before), Tail: after}, true
}

// AfterNotice returns a result without the notice that qwen-code (0.24.4) and gemini-cli (0.61.0)
// put before one that is too large: its frame is after it.
func AfterNotice(result string) string {
	if strings.HasPrefix(result, "Tool output was too large and has been truncated.\n") {
		head := result[:min(len(result), near)]
		if i := strings.Index(head, "\nTruncated part of the output:\n"); i >= 0 {
			return result[i+len("\nTruncated part of the output:\n"):]
		}
	}
	if strings.HasPrefix(result, "Output too large. Showing first ") {
		if _, rest, ok := strings.Cut(result, "\n"); ok {
			return rest
		}
	}
	return result
}

// stubs are the answers of agents to a read of an unchanged file: instead of the content, they
// refer to the earlier result. If that result is no longer sent, the model cannot see the content
// at all.
var stubs = []struct{ start, has string }{
	{"Wasted call", "unchanged since your last Read"},                  // Claude Code 2.1.330
	{"File unchanged since last read", ""},                             // Claude Code 2.1.330
	{"<system-reminder>This file is already in your context", ""},      // Claude Code 2.1.330
	{"<system-reminder>Wasted call", "unchanged since your last Read"}, // as a block of its own
	// qwen-code 0.24.4 and 0.15.10
	{"[File ", "unchanged since last read"},
}

// maxStub limits a stub, in bytes: a longer result has content.
const maxStub = 600

// beginsAsStub is a quick test of an escaped content. body is nil if the content has several parts.
func beginsAsStub(body []byte) bool {
	if body == nil {
		return true
	}
	body = bytes.TrimLeft(body, " ")
	return len(body) > 0 && bytes.IndexByte([]byte(`WF<[\`), body[0]) >= 0
}

// IsStub reports whether a result refers to an earlier one instead of having the content. A
// reminder that the client appended does not count as content.
func IsStub(m *view.Message) bool {
	if len(m.Content()) > 16*maxStub || !beginsAsStub(m.Content().StringBody()) {
		return false
	}
	text := strings.TrimSpace(m.Text())
	if i := strings.Index(text, "\n<system-reminder>"); i > 0 &&
		strings.HasSuffix(text, "</system-reminder>") {
		text = text[:i]
	}
	if len(text) > maxStub {
		return false
	}
	for _, s := range stubs {
		if strings.HasPrefix(text, s.start) && strings.Contains(text, s.has) {
			return true
		}
	}
	return false
}
