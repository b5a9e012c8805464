package groundcheck

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// afterCall matches what follows a call: how it ended, how often it was made, its output.
var afterCall = regexp.MustCompile(`^\)( → exit code -?\d+| → not let run| → reported an ` +
	`error| → stopped| → still running then, ID (?:cell )?[\w-]+)?` +
	`(, later \S+ of this file \(\d+\))?(?:, called again \((\d+)\) without a result)?` +
	`(?:, made (at least )?(\d+) times(?:, (\d+) failed(?: \(last: (\d+)\))?)?)?` +
	`(?:(; last line: |; last line of level error or worse: |; it returned: |` +
	`; the user said: | → )(.*))?$`)

// claim is what an entry states about a call.
type claim struct {
	of       *conversation.Call
	what     string // the description of its arguments
	status   string // "" if none is stated
	later    string // a later use of its file, "" if none is stated
	again    int    // the message of a later call without a result, 0 if none is stated
	times    int
	least    bool // or more
	fails    int  // -1 if none is stated
	failed   int  // the message of the last run that failed, 0 if none is stated
	lastLine bool
	logged   bool   // that is the last one of a log that states an error
	output   string // "" if none is stated
	has      bool   // an output is stated
	refusal  bool   // it is what a person said who did not let the call run
}

// matches reports whether a text in a record is the same as another, except for redacted
// credentials.
func matches(shown, text string) bool { return shown == text || quoted.Is(shown, text) }

// claimsOf returns all ways to read what follows "tool(".
func claimsOf(rest, folder string, calls []*conversation.Call) (claims []claim) {
	for at := len(rest) - 1; at >= 0; at-- {
		if rest[at] != ')' {
			continue
		}
		after := afterCall.FindStringSubmatch(rest[at:])
		if after == nil {
			continue
		}
		for _, k := range calls {
			of := k
			if k.Began != nil {
				of = k.Began
			}
			if !calledWith(of, rest[:at], folder) {
				continue
			}
			cl := claim{of: k, what: rest[:at], status: after[1], later: after[2],
				times: 1, fails: -1, output: after[9], has: after[8] != "",
				least:    after[4] != "",
				lastLine: strings.HasPrefix(after[8], "; last"),
				logged:   strings.HasPrefix(after[8], "; last line of level"),
				refusal:  strings.HasPrefix(after[8], "; the user")}
			cl.again, _ = strconv.Atoi(after[3])
			if after[5] != "" {
				cl.times, _ = strconv.Atoi(after[5])
			}
			if after[6] != "" {
				cl.fails, _ = strconv.Atoi(after[6])
				cl.failed, _ = strconv.Atoi(after[7])
			}
			claims = append(claims, cl)
		}
	}
	return claims
}

// calledWith reports whether shown describes the arguments of the call: what it runs, a file or the
// files that it names, one argument, or all with their names. Paths may be relative to folder.
func calledWith(k *conversation.Call, shown, folder string) bool {
	if k.Command() != "" {
		if quoted.IsAny(shown, k.CommandShown()...) {
			return true
		}
		if len(k.Beside()) > 0 {
			return false // it would be taken for the same command somewhere else
		}
	}
	var words, pairs, telling []string
	for _, a := range k.Spelled() {
		words = append(words, relative(a.Text, folder))
		value := quoted.Fold(a.Text)
		if spelled, err := json.Marshal(a.Text); value == "" && a.Text != "" && err == nil {
			value = string(spelled)
		}
		pairs = append(pairs, a.Path+"="+value)
		if a.Tells() {
			telling = append(telling, pairs[len(pairs)-1])
		}
		if matches(shown, quoted.Fold(a.Text)) || isTailOf(shown, a.Text) {
			return true
		}
	}
	paths := k.HeaderPaths()
	for i, p := range paths {
		paths[i] = relative(p, folder)
		if matches(shown, quoted.Fold(p)) || isTailOf(shown, p) {
			return true
		}
	}
	for _, w := range append(words[:len(words):len(words)], paths...) {
		if matches(shown, quoted.Fold(w)) {
			return true
		}
	}
	if strings.Contains(shown, ", ") || quoted.IsCut(shown) { // what was looked for, and where
		for _, what := range k.Args {
			for _, where := range k.Args {
				if quoted.IsAny(shown, what.Text+", "+relative(where.Text, folder),
					what.Text+", "+where.Text) {
					return true
				}
			}
		}
	}
	return shown == "" && len(k.Args) == 0 ||
		quoted.IsAny(shown, strings.Join(pairs, ", "), strings.Join(paths, ", ")) ||
		(k.Runs() || k.Tool == "write_stdin") && k.Command() == "" &&
			quoted.IsAny(shown, strings.Join(telling, ", ")) ||
		listsSome(shown, words)
}

// relative returns a path relative to a folder that contains it.
func relative(path, folder string) string {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, folder); ok && rest != "" {
		return rest
	}
	return path
}

// isTailOf reports whether shown is path without leading folders.
func isTailOf(shown, path string) bool {
	rest, ok := strings.CutPrefix(shown, "…")
	return ok && len(rest) > 1 && strings.ContainsAny(rest[:1], `/\`) &&
		strings.HasSuffix(quoted.Fold(path), rest)
}

// listsSome reports whether shown is several of the words in order, separated by commas.
func listsSome(shown string, words []string) bool {
	if !strings.Contains(shown, ", ") && !quoted.IsCut(shown) {
		return false
	}
	var some []string
	for _, w := range words {
		if w != "" && len(w) <= 300 &&
			(strings.Contains(shown, quoted.Fold(w)) || quoted.IsCut(shown) &&
				strings.ContainsAny(w, "/.") && !strings.Contains(w, "\n")) {
			some = append(some, w)
		}
	}
	return len(some) > 1 && quoted.IsAny(shown, strings.Join(some, ", "))
}

// callsOf returns the calls of a tool that a message makes and that have a result within the
// record's span; if began is not 0, those that read on what a call of the tool in that message
// began.
func (c *checker) callsOf(began, number int, tool string) (calls []*conversation.Call) {
	for _, k := range c.client.Between(1, c.rec.last) {
		of := k
		if began > 0 {
			if of = k.Began; of == nil || of.Caller.Number != began {
				continue
			}
		}
		if k.Caller.Number == number && matches(tool, quoted.Fold(of.Tool)) {
			calls = append(calls, k)
		}
	}
	return calls
}
