package probe

import (
	"slices"
	"strings"

	"killick/chat"
)

// failureHeads begin a line that reports an error, folded.
var failureHeads = []string{
	"error", "fatal:", "fatal error", "panic:", "traceback (most recent call last)", "exit code ", "command failed",
	"command exited with code", "process exited with code", "exited with code", "failed", "fail", "--- fail", "permission denied",
	"exception", "uncaught ", "unhandled ", "npm err!", "npm error", "bash: ", "sh: ", "zsh: ", "make: ***", "make[", "e   ",
	"no such file", "cannot ", "could not ", "syntaxerror", "<tool_use_error>", "invalid ", "enoent", "oserror", "err!",
	"assertionerror", "undefined:", "unknown ", "timed out", "timeout", "[error]", "✗", "❌", "×",
}

// failureFirst are the bytes that a failure head begins with, in either case.
var failureFirst [0x80]bool

func init() {
	for _, h := range failureHeads {
		if c := h[0]; c < 0x80 {
			failureFirst[c] = true
			if 'a' <= c && c <= 'z' {
				failureFirst[c-'a'+'A'] = true
			}
		}
	}
}

// uncarried say that a call was not carried out, benign ones that it found nothing: neither is an error that stays open.
var (
	uncarried = []string{
		"sibling tool call errored", "doesn't want to proceed", "user rejected", "file has not been read yet",
		"has been modified since", "the user doesn't want", "user doesn't want", "operation cancelled", "operation aborted",
		"was auto-denied", "has been auto-denied",
	}
	benign = []string{"no files found", "no matches found", "request interrupted", "no changes to make"}
)

// edge is how much of a result's beginning and end is looked at for an error.
const edge = 2000

// failure returns the line of a tool result that tells what went wrong, "" where the call was merely not carried out. The result of a mere look (looked) is full of
// other people's errors: only its first line counts, in a short result.
func failure(result string, looked bool) (line string, ok bool) {
	head := strings.TrimSpace(clip(result, edge))
	if head == "" {
		return "", false
	}
	first, _, _ := strings.Cut(head, "\n")
	opening := fold(clip(head, 300))
	if refused(opening) {
		return "", true
	}
	for _, b := range benign {
		if strings.Contains(opening, b) {
			return "", false
		}
	}
	if head[0] == '{' {
		return jsonFailure(result, opening)
	}
	if looked {
		if len(result) > 600 || !failureLine(first) {
			return "", false
		}
		return cutWords(untag(first), maxFact), true
	}
	text := head
	if len(result) > 2*edge {
		for _, mark := range [...]string{"\n--- FAIL: ", "\nFAIL", "\nE   "} { // in the middle of a long run
			if i := strings.Index(result, mark); i >= 0 {
				text += "\n" + clip(result[i+1:], 400)
				break
			}
		}
	}
	if len(result) > edge {
		text += "\n" + result[len(result)-min(len(result)-edge, edge):]
	}
	return errorLine(text)
}

// refused reports whether the folded beginning of a result says that its call was not carried out.
func refused(opening string) bool {
	return slices.ContainsFunc(uncarried, func(u string) bool { return strings.Contains(opening, u) })
}

// errorLine picks of the lines that report an error the one that says most, "" if they say only that there was one.
func errorLine(text string) (best string, found bool) {
	score := 1
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if !failureLine(line) {
			continue
		}
		found = true
		n := min(len(strings.Fields(line)), 12)
		if strings.Contains(clip(strings.ToLower(line), 40), "exit") { // only that it failed
			n = 0
		}
		if strings.Contains(line, "rror: ") || strings.Contains(line, "panic:") || strings.Contains(line, "--- FAIL: ") {
			n += 12
		}
		if n > score {
			best, score = line, n
		}
	}
	return cutWords(withoutTiming(untag(best)), maxFact), found
}

// withoutTiming cuts the duration that test runners put behind a name: "--- FAIL: TestLogin (0.04s)".
func withoutTiming(line string) string {
	i := strings.LastIndexByte(line, '(')
	if i > 0 && strings.HasSuffix(line, "s)") && strings.Trim(line[i+1:len(line)-2], "0123456789.m") == "" {
		return strings.TrimSpace(line[:i])
	}
	return line
}

// failureLine reports whether a line begins as the report of an error does, or names one: "TypeError: …", "x.go:4: error".
func failureLine(line string) bool {
	if line == "" || len(line) > 4*edge {
		return false
	}
	if first := line[0]; first < 0x80 && !failureFirst[first] && !strings.Contains(line, "rror") && !strings.Contains(line, "RROR") &&
		!strings.Contains(line, "xception") {
		return false
	}
	low := fold(clip(line, 200))
	if strings.HasPrefix(low, "exit code 0") || strings.HasPrefix(low, "exited with code 0") || strings.HasPrefix(low, "error: none") {
		return false
	}
	for _, h := range failureHeads {
		if strings.HasPrefix(low, h) && headEnds(low, h) {
			return true
		}
	}
	word, _, found := strings.Cut(line, ": ")
	if found && !strings.ContainsAny(word, " \t") && hasAnySuffix(word, "Error", "Exception", "error") {
		return true
	}
	return strings.Contains(low, ": error") || strings.Contains(low, "] error ")
}

// headEnds tells "fail\tpkg" and "error:" from "failover" and "error_test.go".
func headEnds(low, head string) bool {
	last := head[len(head)-1]
	if !('a' <= last && last <= 'z') || len(low) == len(head) {
		return true
	}
	c := low[len(head)]
	return !isAlnum(c) && c != '_' && c != '-' && c != '.' && c != '/' && c != '('
}

// jsonFailure reads the result of an API: it failed if its "error" is not empty or it says so otherwise.
func jsonFailure(result, opening string) (line string, ok bool) {
	compact := blanks.Replace(clip(opening, 200))
	for _, h := range [...]string{`{"is_error":true`, `{"success":false`, `{"ok":false`, `{"status":"error"`} {
		ok = ok || strings.HasPrefix(compact, h)
	}
	rest, found := strings.CutPrefix(compact, `{"error":`)
	ok = ok || found && !strings.HasPrefix(rest, `""`) && !strings.HasPrefix(rest, "null") &&
		!strings.HasPrefix(rest, "false") && !strings.HasPrefix(rest, "{}")
	if !ok || len(result) > maxArguments {
		return "", false
	}
	object := chat.Value(strings.TrimSpace(result))
	for _, v := range [...]chat.Value{object.Get("error").Get("message"), object.Get("error"), object.Get("message")} {
		if text := strings.TrimSpace(v.Text()); text != "" {
			first, _, _ := strings.Cut(text, "\n")
			return cutWords(first, maxFact), true
		}
	}
	return cutWords(strings.TrimSpace(clip(result, edge)), maxFact), true
}

// Made once, since they are used for every result and command.
var (
	toolErrorTags = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "")
	commandBreaks = strings.NewReplacer("&&", "\n", ";", "\n", "||", "\n")
	blanks        = strings.NewReplacer(" ", "", "\n", "", "\t", "")
)

func untag(s string) string {
	s = toolErrorTags.Replace(s)
	return strings.TrimSpace(strings.TrimPrefix(s, "E   "))
}

// subjects say what a call is a try of: the same tool on the same file, or the same commands. A later success at one of
// them closes an error.
func (c *call) subjects() []string {
	if command := c.args.Get("command").Text(); command != "" && len(c.paths()) == 0 {
		var out []string
		for part := range strings.SplitSeq(commandBreaks.Replace(clip(command, 4000)), "\n") {
			if h := commandHead(part); h != "" && len(out) < maxPaths {
				out = append(out, h)
			}
		}
		return out
	}
	out := []string{}
	for _, p := range c.paths() {
		out = append(out, c.name+" "+p)
	}
	if len(out) == 0 {
		out = append(out, c.name+" "+clip(string(c.args), 400))
	}
	return out
}

// commandHead reduces a command to its program and verb: "GOFLAGS=x go test ./... | tail" is "go test".
func commandHead(part string) string {
	part, _, _ = strings.Cut(part, "|")
	var head []string
	for _, f := range strings.Fields(part) {
		if len(head) == 0 && (strings.Contains(f, "=") || f == "sudo" || f == "time" || f == "env") {
			continue
		}
		if strings.HasPrefix(f, "-") {
			continue
		}
		if head = append(head, f); len(head) == 2 {
			break
		}
	}
	if len(head) == 0 || head[0] == "cd" || head[0] == "echo" || head[0] == "export" || head[0] == "set" {
		return ""
	}
	return strings.Join(head, " ")
}

// recentFailures bounds, in messages, how far back an error without a later success still counts as open.
const recentFailures = 120

// failures asks for the errors whose call did not succeed later, newest first.
func (t *transcript) failures() []Question {
	type failureAt struct {
		at   int
		line string
	}
	open := map[string]failureAt{}
	for i := range t.calls {
		c := &t.calls[i]
		if !c.done {
			continue
		}
		subjects := c.subjects()
		if !c.failed {
			for _, s := range subjects {
				delete(open, s)
			}
			continue
		}
		if len(subjects) > 0 && !c.reads {
			open[subjects[len(subjects)-1]] = failureAt{c.at, c.fault}
		}
	}
	var left []failureAt
	for _, f := range open {
		if f.at >= t.length-recentFailures && f.line != "" {
			left = append(left, f)
		}
	}
	slices.SortFunc(left, func(a, b failureAt) int {
		if a.at != b.at {
			return b.at - a.at
		}
		return strings.Compare(a.line, b.line)
	})
	var out []Question
	for _, f := range left[:min(len(left), maxFailures)] {
		out = append(out, Question{Category: Continuation, Kind: Failure, Weight: 1, Expected: f.line, Source: f.line,
			Prompt: "Which error is still open?"})
	}
	return out
}
