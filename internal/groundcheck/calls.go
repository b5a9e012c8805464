package groundcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	callForm = regexp.MustCompile(`^(\d+) ([^(]*)\((.*)$`)
	// afterCall is what stands behind a call: how it ended, how often it was made, what
	// it said.
	afterCall = regexp.MustCompile(`^\)( → exit code -?\d+| → not let run| → reported an ` +
		`error)?(?:, made (\d+) times(?:, (\d+) failed)?)?(?:(; last line: | → )(.*))?$`)
	lastForm = "last call: "
)

// claim is what an entry says of a call.
type claim struct {
	of       *call
	status   string // "" if none is told
	times    int
	fails    int // -1 if none is told
	lastLine bool
	said     string // "" if nothing is
	has      bool   // something is said
}

// outcome checks how a call ended when it was made last.
func (c *checker) outcome(text string) bool {
	found := callForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindCall)
	number, _ := strconv.Atoi(found[1])
	calls := c.callsOf(number, found[2])
	if len(calls) == 0 {
		c.fault(RuleCall, "message %d calls no %q that was answered by message %d", number,
			found[2], c.rec.last)
		return true
	}
	claims := claimsOf(found[3], c.rec.folder, calls)
	if len(claims) == 0 {
		c.fault(RuleCall, "message %d calls %s otherwise: %s", number, found[2], excerpt(text))
		return true
	}
	// A command may hold what reads as its outcome, and a message may make two calls
	// that are told alike: one reading must hold.
	var best claim
	faults := c.fewest(len(claims), func(i int) {
		c.checkClaim(claims[i], text)
	}, func(i int) { best = claims[i] })
	c.report.Faults = append(c.report.Faults, faults...)
	c.rec.seen[best.of.id+best.of.whole()] = true
	if best.of.ended().stated {
		c.count(KindStatus)
	}
	if best.has && !best.lastLine {
		n, _ := tellsValues(best.said, best.of.output())
		c.report.Counts[KindValue] += n
	}
	return true
}

// fewest tries n readings and returns the faults of the one with the fewest; chosen is
// called with each that is the best so far.
func (c *checker) fewest(n int, try, chosen func(i int)) (least []Fault) {
	before := len(c.report.Faults)
	for i := range n {
		try(i)
		faults := slices.Clone(c.report.Faults[before:])
		c.report.Faults = c.report.Faults[:before]
		if i == 0 || len(faults) < len(least) {
			least = faults
			chosen(i)
		}
	}
	return least
}

// callsOf returns the calls of a tool that a message makes and that were answered
// within the record's span.
func (c *checker) callsOf(number int, tool string) (calls []*call) {
	for _, k := range c.client.between(1, c.rec.last) {
		if k.caller.number == number && matches(tool, fold(k.tool)) {
			calls = append(calls, k)
		}
	}
	return calls
}

// matches reports whether a text of a record is another one, credentials apart.
func matches(shown, text string) bool { return shown == text || quotes(shown, text) }

// claimsOf returns all ways to read what stands behind "tool(".
func claimsOf(rest, folder string, calls []*call) (claims []claim) {
	for at := len(rest) - 1; at >= 0; at-- {
		if rest[at] != ')' {
			continue
		}
		after := afterCall.FindStringSubmatch(rest[at:])
		if after == nil {
			continue
		}
		for _, k := range calls {
			if !k.calledWith(rest[:at], folder) {
				continue
			}
			cl := claim{of: k, status: after[1], times: 1, fails: -1,
				lastLine: strings.HasPrefix(after[4], ";"), said: after[5], has: after[4] != ""}
			if after[2] != "" {
				cl.times, _ = strconv.Atoi(after[2])
			}
			if after[3] != "" {
				cl.fails, _ = strconv.Atoi(after[3])
			}
			claims = append(claims, cl)
		}
	}
	return claims
}

// calledWith reports whether the arguments of the call may be told as shown: what it
// runs, a file or the files that it names, one argument, or all with their names.
// Paths may be relative to folder.
func (k *call) calledWith(shown, folder string) bool {
	if command := k.command(); command != "" && quotesAny(shown, command) {
		return true
	}
	var words, pairs []string
	for _, a := range k.args {
		words = append(words, relative(a.text, folder))
		pairs = append(pairs, a.path+"="+fold(a.text))
		if matches(shown, fold(a.text)) || isTailOf(shown, a.text) {
			return true
		}
	}
	paths := k.headerPaths()
	for i, p := range paths {
		paths[i] = relative(p, folder)
		if matches(shown, fold(p)) || isTailOf(shown, p) {
			return true
		}
	}
	for _, w := range append(words[:len(words):len(words)], paths...) {
		if matches(shown, fold(w)) {
			return true
		}
	}
	return shown == "" && len(k.args) == 0 ||
		quotesAny(shown, strings.Join(pairs, ", "), strings.Join(paths, ", ")) ||
		listsSome(shown, words)
}

// relative is a path as it is told beside the folder that it lies in.
func relative(path, folder string) string {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, folder+"/"); ok && folder != "" && rest != "" {
		return rest
	}
	return path
}

// isTailOf reports whether what is shown is a path without folders at its beginning.
func isTailOf(shown, path string) bool {
	rest, ok := strings.CutPrefix(shown, "…/")
	return ok && rest != "" && strings.HasSuffix(fold(path), "/"+rest)
}

// listsSome reports whether what is shown is several of the words in their order,
// with commas between them.
func listsSome(shown string, words []string) bool {
	if !strings.Contains(shown, ", ") && !isCut(shown) {
		return false
	}
	var some []string
	for _, w := range words {
		if w != "" && len(w) <= 300 &&
			(strings.Contains(shown, fold(w)) || isCut(shown) && strings.ContainsAny(w, "/.") &&
				!strings.Contains(w, "\n")) {
			some = append(some, w)
		}
	}
	return len(some) > 1 && quotesAny(shown, strings.Join(some, ", "))
}

// checkClaim holds what is said of a call against its result and its likes.
func (c *checker) checkClaim(cl claim, text string) {
	ended := cl.of.ended()
	if want := statusOf(ended); cl.status != want {
		c.fault(RuleStatus, "%q, want %q: %s", cl.status, want, excerpt(text))
	}
	if open := c.rec.section == openTitle; c.rec.section != alsoTitle && ended.failed != open {
		c.fault(RuleStatus, "failed: %t, but it stands under %q: %s", ended.failed, c.rec.section,
			excerpt(text))
	}
	if ended.refused && c.rec.section != alsoTitle && c.rec.section != commandsTitle {
		c.fault(RuleStatus, "it was not let run, but it stands under %q: %s", c.rec.section,
			excerpt(text))
	}
	if c.rec.section != alsoTitle {
		c.times(cl, ended, text)
	}
	if c.rec.section != alsoTitle && c.rec.seen[cl.of.id+cl.of.whole()] {
		c.fault(RuleTwice, "%s", excerpt(text))
	}
	c.said(cl, text)
}

// statusOf is how an outcome is told.
func statusOf(o outcome) string {
	switch {
	case o.stated:
		return fmt.Sprintf(" → exit code %d", o.exit)
	case o.refused:
		return " → not let run"
	case o.failed:
		return " → reported an error"
	}
	return ""
}

// times checks how often the call was made and failed in the record's span, and that
// it was not made again since.
func (c *checker) times(cl claim, ended outcome, text string) {
	n, fails, last := 0, 0, cl.of
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		if k.whole() != cl.of.whole() {
			continue
		}
		n++
		if k.ended().bad() {
			fails++
		}
		last = k
	}
	if cl.times != n {
		c.fault(RuleTimes, "made %d times, want %d: %s", cl.times, n, excerpt(text))
	}
	if all := ended.bad() && fails == n; cl.fails >= 0 && cl.fails != fails ||
		cl.fails < 0 && fails > 0 && !all {
		c.fault(RuleTimes, "%d failed, want %d: %s", cl.fails, fails, excerpt(text))
	}
	if last.caller != cl.of.caller {
		c.fault(RuleLatest, "made again in message %d: %s", last.caller.number, excerpt(text))
	}
}

// said checks what is told of the result: the last line, values, or all of it.
func (c *checker) said(cl claim, text string) {
	last := cl.of.lastLine()
	switch {
	case !cl.has:
	case cl.lastLine:
		if !quotes(cl.said, last) {
			c.fault(RuleLastLine, "%s; want %s", excerpt(cl.said), excerpt(last))
		}
	default:
		if _, ok := tellsValues(cl.said, cl.of.output()); !ok &&
			!quotesAny(cl.said, cl.of.output()) {
			c.fault(RuleValue, "the result holds something else: %s", excerpt(text))
		}
	}
}

// lastCall checks which call was made last.
func (c *checker) lastCall(text string) bool {
	rest, ok := strings.CutPrefix(text, lastForm)
	found := callForm.FindStringSubmatch(rest)
	if !ok || found == nil || !strings.HasSuffix(found[3], ")") {
		return false
	}
	c.count(KindLastCall)
	number, _ := strconv.Atoi(found[1])
	calls := c.client.between(1, c.rec.last)
	if len(calls) == 0 || calls[len(calls)-1].caller.number != number {
		c.fault(RuleLatest, "message %d does not make the last call", number)
		return true
	}
	for _, k := range c.callsOf(number, found[2]) {
		if k.calledWith(strings.TrimSuffix(found[3], ")"), c.rec.folder) {
			return true
		}
	}
	c.fault(RuleCall, "message %d makes no such call: %s", number, excerpt(text))
	return true
}

// openCalls is how many calls of the record's span failed when they were made last,
// but for those that keep the list of what is to be done.
func (c *checker) openCalls() (n int) {
	last := map[string]*call{}
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		if !k.keepsList() {
			last[k.whole()] = k
		}
	}
	for _, k := range last {
		if k.ended().failed {
			n++
		}
	}
	return n
}

// distinctCalls is how many different calls of the record's span did not fail.
func (c *checker) distinctCalls() int {
	well := map[string]bool{}
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		well[k.whole()] = !k.ended().failed
	}
	n := 0
	for _, ok := range well {
		if ok {
			n++
		}
	}
	return n
}
