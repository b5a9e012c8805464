package groundcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	callForm = regexp.MustCompile(`^(?:(\d+)-)?(\d+) ([^(]*)\((.*)$`)
	// afterCall matches what follows a call: how it ended, how often it was made, its output.
	afterCall = regexp.MustCompile(`^\)( → exit code -?\d+| → not let run| → reported an ` +
		`error| → still running then, ID (?:cell )?[\w-]+)?(, later \S+ of this file \(\d+\))?` +
		`(?:, made (\d+) times(?:, (\d+) failed)?)?` +
		`(?:(; last line: |; last line of level error or worse: |; it returned: |` +
		`; the user said: | → )(.*))?$`)
	// counted is the mark of a cut that counts the lines of the whole output.
	counted = regexp.MustCompile(`\[… (\d+) lines in all …\]`)
)

// claim is what an entry states about a call.
type claim struct {
	of       *call
	what     string // the description of its arguments
	status   string // "" if none is stated
	later    string // a later use of its file, "" if none is stated
	times    int
	fails    int // -1 if none is stated
	lastLine bool
	logged   bool   // that is the last one of a log that states an error
	output   string // "" if none is stated
	has      bool   // an output is stated
	refusal  bool   // it is what a person said who did not let the call run
}

// outcome checks the outcome of the last run of a call.
func (c *checker) outcome(text string) bool {
	found := callForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindCall)
	number, _ := strconv.Atoi(found[2])
	began, _ := strconv.Atoi(found[1])
	calls := c.callsOf(began, number, found[3])
	if len(calls) == 0 {
		c.fault(RuleCall, "message %d calls no %q that was answered by message %d", number,
			found[3], c.rec.last)
		return true
	}
	claims := claimsOf(found[4], c.rec.folder, calls)
	if len(claims) == 0 {
		c.fault(RuleCall, "message %d calls %s otherwise: %s", number, found[3], excerpt(text))
		return true
	}
	// A command may contain text that looks like an outcome, and a message may make two calls with
	// the same description: one reading must be true.
	var best claim
	faults := c.fewest(len(claims), func(i int) {
		c.checkClaim(claims[i], text)
	}, func(i int) { best = claims[i] })
	c.report.Faults = append(c.report.Faults, faults...)
	c.rec.seen[best.of.id+best.of.identity()] = true
	if best.of.ended().stated {
		c.count(KindStatus)
	}
	if best.has && !best.lastLine && !best.refusal {
		n, _ := listsValues(best.output, best.of.output())
		c.report.Counts[KindValue] += n
	}
	return true
}

// fewest tries n readings and returns the faults of the one with the fewest; chosen is called for
// each that is the best so far.
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

// callsOf returns the calls of a tool that a message makes and that have a result within the
// record's span; if began is not 0, those that read on what a call of the tool in that message
// began.
func (c *checker) callsOf(began, number int, tool string) (calls []*call) {
	for _, k := range c.client.between(1, c.rec.last) {
		of := k
		if began > 0 {
			if of = k.began; of == nil || of.caller.number != began {
				continue
			}
		}
		if k.caller.number == number && matches(tool, fold(of.tool)) {
			calls = append(calls, k)
		}
	}
	return calls
}

// matches reports whether a text in a record is the same as another, except for redacted
// credentials.
func matches(shown, text string) bool { return shown == text || quotes(shown, text) }

// claimsOf returns all ways to read what follows "tool(".
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
			of := k
			if k.began != nil {
				of = k.began
			}
			if !of.calledWith(rest[:at], folder) {
				continue
			}
			cl := claim{of: k, what: rest[:at], status: after[1], later: after[2],
				times: 1, fails: -1, output: after[6], has: after[5] != "",
				lastLine: strings.HasPrefix(after[5], "; last"),
				logged:   strings.HasPrefix(after[5], "; last line of level"),
				refusal:  strings.HasPrefix(after[5], "; the user")}
			if after[3] != "" {
				cl.times, _ = strconv.Atoi(after[3])
			}
			if after[4] != "" {
				cl.fails, _ = strconv.Atoi(after[4])
			}
			claims = append(claims, cl)
		}
	}
	return claims
}

// calledWith reports whether shown describes the arguments of the call: what it runs, a file or the
// files that it names, one argument, or all with their names. Paths may be relative to folder.
func (k *call) calledWith(shown, folder string) bool {
	if k.command() != "" {
		if quotesAny(shown, k.commandShown()...) {
			return true
		}
		if len(k.beside()) > 0 {
			return false // it would be taken for the same command somewhere else
		}
	}
	var words, pairs, telling []string
	for _, a := range k.args {
		words = append(words, relative(a.text, folder))
		pairs = append(pairs, a.path+"="+fold(a.text))
		if a.tells() {
			telling = append(telling, pairs[len(pairs)-1])
		}
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
	if strings.Contains(shown, ", ") || isCut(shown) { // what was looked for, and where
		for _, what := range k.args {
			for _, where := range k.args {
				if quotesAny(shown, what.text+", "+relative(where.text, folder),
					what.text+", "+where.text) {
					return true
				}
			}
		}
	}
	return shown == "" && len(k.args) == 0 ||
		quotesAny(shown, strings.Join(pairs, ", "), strings.Join(paths, ", ")) ||
		(k.runs() || k.tool == "write_stdin") && k.command() == "" &&
			quotesAny(shown, strings.Join(telling, ", ")) ||
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
		strings.HasSuffix(fold(path), rest)
}

// listsSome reports whether shown is several of the words in order, separated by commas.
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

// checkClaim compares a claim with the result of its call and with other runs of the call.
func (c *checker) checkClaim(cl claim, text string) {
	ended := cl.of.ended()
	c.laterUse(cl)
	if want := c.statusOf(cl.of, ended); cl.status != want {
		c.fault(RuleStatus, "%q, want %q: %s", cl.status, want, excerpt(text))
	}
	if open := c.rec.section == openTitle; c.rec.section != alsoTitle && ended.bad() != open {
		c.fault(RuleStatus, "failed or refused: %t, but it stands under %q: %s", ended.bad(),
			c.rec.section, excerpt(text))
	}
	if c.rec.section != alsoTitle {
		c.times(cl, ended, text)
	}
	if c.rec.section != alsoTitle && c.rec.seen[cl.of.id+cl.of.identity()] {
		c.fault(RuleTwice, "%s", excerpt(text))
	}
	c.output(cl, text)
}

// statusOf returns the words for an outcome.
func (c *checker) statusOf(k *call, o outcome) string {
	switch {
	case o.stated:
		return fmt.Sprintf(" → exit code %d", o.exit)
	case o.refused:
		return " → not let run"
	case o.failed:
		return " → reported an error"
	case k.stopped != nil && k.stopped.result.number <= c.rec.last:
	case k.session() != "" && !k.isShell():
		return " → still running then, ID " + k.session()
	}
	return ""
}

// times checks how often the call was made and failed in the record's span, and that this was its
// last run.
func (c *checker) times(cl claim, ended outcome, text string) {
	n, fails, last := 0, 0, cl.of
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		if k.identity() != cl.of.identity() {
			continue
		}
		if k.began == nil || k.shared && k.cell != "" {
			n++
		}
		if k.ended().failed {
			fails++
		}
		last = k
	}
	// The successes of tools that read and write are not counted, so no count is stated.
	uncounted := cl.times == 1 && (n == 0 || ended.bad() && cl.of.command() == "" &&
		cl.of.began == nil)
	if cl.times != n && !uncounted {
		c.fault(RuleTimes, "made %d times, want %d: %s", cl.times, n, excerpt(text))
	}
	if all := ended.bad() && fails == n; cl.fails >= 0 && cl.fails != fails ||
		cl.fails < 0 && fails > 0 && !all && !uncounted {
		c.fault(RuleTimes, "%d failed, want %d: %s", cl.fails, fails, excerpt(text))
	}
	if last.caller != cl.of.caller {
		c.fault(RuleLatest, "made again in message %d: %s", last.caller.number, excerpt(text))
	}
}

// output checks what is stated of the result: the last line, values, or all of it.
func (c *checker) output(cl claim, text string) {
	last := cl.of.lastLine()
	switch {
	case !cl.has:
	case cl.refusal:
		_, said, _ := strings.Cut(withoutReminders(cl.of.result.text()), "the user said:\n")
		if !cl.of.ended().refused || !quotes(cl.output, fold(said)) {
			c.fault(RuleLastLine, "%s; want %s", excerpt(cl.output), excerpt(said))
		}
	case cl.logged:
		if want := cl.of.lastError(); want == "" || !quotes(cl.output, want) {
			c.fault(RuleLastLine, "%s; want %s", excerpt(cl.output), excerpt(want))
		}
	case cl.lastLine:
		if !quotes(cl.output, last) {
			c.fault(RuleLastLine, "%s; want %s", excerpt(cl.output), excerpt(last))
		}
	case cl.of.hosted:
		c.hostedOutput(cl, text)
	default:
		texts := []string{cl.of.output()}
		if cl.of.onlyShows() { // what looks like a frame may be what it shows
			texts = append(texts, withoutReminders(cl.of.result.text()))
		}
		if _, ok := listsValues(cl.output, texts[0]); !ok &&
			!quotesAny(cl.output, texts...) && !cl.of.hasEnds(cl.output) {
			c.fault(RuleValue, "the result holds something else: %s", excerpt(text))
		}
	}
}

// hasEnds reports whether a quote is of both ends of what a failed command printed. Without a
// number of lines, notices of the client that left out a part may be before it, behind it or in
// between.
func (k *call) hasEnds(quote string) bool {
	how, output := k.ended(), k.output()
	if !how.failed || !how.stated && !k.runs() {
		return false
	}
	if found := counted.FindStringSubmatch(quote); found != nil {
		lines := strings.Split(strings.TrimSpace(output), "\n")
		return found[1] == strconv.Itoa(len(lines)) &&
			quotesAny(strings.Replace(quote, found[0], mark, 1), output)
	}
	return isCut(quote) && quotesAny(mark+quote+mark, output)
}

// openCalls counts the calls whose last run in the record's span failed, except calls that maintain
// the todo list.
func (c *checker) openCalls() (n int) {
	last := map[string]*call{}
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		if !k.keepsList() {
			last[k.identity()] = k
		}
	}
	for _, k := range last {
		if k.ended().bad() {
			n++
		}
	}
	return n
}

// distinctCalls counts the distinct calls in the record's span that did not fail and were allowed.
func (c *checker) distinctCalls() int {
	well := map[string]bool{}
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		well[k.identity()] = !k.ended().bad()
	}
	n := 0
	for _, ok := range well {
		if ok {
			n++
		}
	}
	return n
}
