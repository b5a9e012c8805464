package groundcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
	"killick/internal/groundcheck/todolist"
)

var (
	callForm = regexp.MustCompile(`^(?:(\d+)-)?(\d+) ([^(]*)\((.*)$`)

	// counted is the mark of a cut that counts the lines of the whole output.
	counted = regexp.MustCompile(`\[… (\d+) lines in all …\]`)
)

// outcome checks the outcome of the last run of a call.
func (c *checker) outcome(text string) bool {
	found := callForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindCall)
	number, _ := strconv.Atoi(found[2])
	began, _ := strconv.Atoi(found[1])
	calls := c.callsOf(began, number, found[3])
	if len(calls) == 0 {
		c.fault(ruleCall, "message %d calls no %q that was answered by message %d", number,
			found[3], c.rec.last)
		return true
	}
	claims := claimsOf(found[4], c.rec.folder, calls)
	if len(claims) == 0 {
		c.fault(ruleCall, "message %d calls %s otherwise: %s", number, found[3], excerpt(text))
		return true
	}
	// A command may contain text that looks like an outcome, and a message may make two calls with
	// the same description: one reading must be true.
	var best claim
	faults := c.fewest(len(claims), func(i int) {
		c.checkClaim(claims[i], text)
	}, func(i int) { best = claims[i] })
	c.report.Faults = append(c.report.Faults, faults...)
	c.rec.seen[best.of.ID+best.of.Identity()] = true
	if best.of.Ended().Stated {
		c.count(kindStatus)
	}
	if best.has && !best.lastLine && !best.refusal {
		n, _ := listsValues(best.output, best.of.Output())
		c.report.Counts[kindValue] += n
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

// checkClaim compares a claim with the result of its call and with other runs of the call.
func (c *checker) checkClaim(cl claim, text string) {
	ended := cl.of.Ended()
	c.laterUse(cl)
	c.calledAgain(cl)
	if want := c.statusOf(cl.of, ended); cl.status != want {
		c.fault(ruleStatus, "%q, want %q: %s", cl.status, want, excerpt(text))
	}
	if open := c.rec.section == openTitle; c.rec.section != alsoTitle && ended.Bad() != open {
		c.fault(ruleStatus, "failed or refused: %t, but it stands under %q: %s", ended.Bad(),
			c.rec.section, excerpt(text))
	}
	if c.rec.section != alsoTitle {
		c.times(cl, ended, text)
	}
	if c.rec.section != alsoTitle && c.rec.seen[cl.of.ID+cl.of.Identity()] {
		c.fault(ruleTwice, "%s", excerpt(text))
	}
	c.output(cl, text)
}

// statusOf returns the words for an outcome.
func (c *checker) statusOf(k *conversation.Call, o conversation.Outcome) string {
	switch {
	case o.Stated:
		return fmt.Sprintf(" → exit code %d", o.Exit)
	case o.Refused:
		return " → not let run"
	case o.Failed:
		return " → reported an error"
	case o.Stopped, k.StoppedBy(c.rec.last):
		return " → stopped"
	case k.Stopped != nil && k.Stopped.Result.Number <= c.rec.last:
	case k.Session() != "" && !k.IsShell():
		return " → still running then, ID " + k.Session()
	}
	return ""
}

// times checks how often the call was made and failed in the record's span, and that this was its
// last run.
func (c *checker) times(cl claim, ended conversation.Outcome, text string) {
	n, fails, failed, last := 0, 0, 0, cl.of
	for _, k := range c.client.Between(c.rec.first, c.rec.last) {
		if k.Identity() != cl.of.Identity() {
			continue
		}
		if k.Began == nil || k.Shared && k.Cell != "" {
			n++
		}
		if k.Ended().Failed {
			fails++
			failed = k.Caller.Number
		}
		last = k
	}
	// The successes of tools that read and write are not counted, so no count is stated.
	uncounted := cl.times == 1 && (n == 0 || (ended.Bad() || mayNameFile(cl.of)) &&
		cl.of.Command() == "" && cl.of.Began == nil)
	// Nor is one stated if earlier calls are not listed, but at least how many.
	if cl.fails < 0 && (cl.least || cl.times == 1) && cl.times <= n && c.rec.forgets() {
		uncounted = true
	}
	if cl.times != n && !uncounted {
		c.fault(ruleTimes, "made %d times, want %d: %s", cl.times, n, excerpt(text))
	}
	if all := ended.Bad() && fails == n; cl.fails >= 0 && cl.fails != fails ||
		cl.fails < 0 && fails > 0 && !all && !uncounted {
		c.fault(ruleTimes, "%d failed, want %d: %s", cl.fails, fails, excerpt(text))
	}
	began := cl.of
	if began.Began != nil {
		began = began.Began
	}
	states := fails > 0 && !ended.Bad() && !uncounted && began.Command() == ""
	if states != (cl.failed > 0) || states && cl.failed != failed {
		c.fault(ruleTimes, "failed last in message %d, want %d: %s", cl.failed, failed,
			excerpt(text))
	}
	if last.Caller != cl.of.Caller {
		c.fault(ruleLatest, "made again in message %d: %s", last.Caller.Number, excerpt(text))
	}
}

// mayNameFile reports whether an argument of a call may be a path.
func mayNameFile(k *conversation.Call) bool {
	return slices.ContainsFunc(k.Args, func(a conversation.Argument) bool {
		return strings.ContainsAny(a.Text, "/.") && !strings.ContainsAny(a.Text, " \n")
	})
}

// output checks what is stated of the result: the last line, values, or all of it.
func (c *checker) output(cl claim, text string) {
	last := cl.of.LastLine()
	switch {
	case !cl.has:
	case cl.refusal:
		result := conversation.WithoutReminders(cl.of.Result.Text())
		_, said, _ := strings.Cut(result, "the user said:\n")
		if !cl.of.Ended().Refused || !quoted.Is(cl.output, quoted.Fold(said)) {
			c.fault(ruleLastLine, "%s; want %s", excerpt(cl.output), excerpt(said))
		}
	case cl.logged:
		if want := cl.of.LastError(); want == "" || !quoted.Is(cl.output, want) {
			c.fault(ruleLastLine, "%s; want %s", excerpt(cl.output), excerpt(want))
		}
	case cl.lastLine:
		if !quoted.Is(cl.output, last) {
			c.fault(ruleLastLine, "%s; want %s", excerpt(cl.output), excerpt(last))
		}
		if only := strings.TrimSpace(cl.of.Output()); !strings.ContainsAny(only, "\r\n") &&
			cl.of.Began == nil && cl.of.Session() == "" && !strings.Contains(only, "truncated") {
			c.fault(ruleLastLine, "it is the only line: %s", excerpt(text))
		}
	case cl.of.Hosted:
		c.hostedOutput(cl, text)
	default:
		texts := []string{cl.of.Output()}
		if cl.of.OnlyShows() { // what looks like a frame may be what it shows
			texts = append(texts, conversation.WithoutReminders(cl.of.Result.Text()))
		}
		if _, ok := listsValues(cl.output, texts[0]); !ok &&
			!quoted.IsAny(cl.output, texts...) && !hasEnds(cl.of, cl.output) {
			c.fault(ruleValue, "the result holds something else: %s", excerpt(text))
		}
	}
}

// hasEnds reports whether a quote is of both ends of what a failed command printed. Without a
// number of lines, notices of the client that left out a part may be before it, after it or in
// between.
func hasEnds(k *conversation.Call, quote string) bool {
	how, output := k.Ended(), k.Output()
	if !how.Failed || !how.Stated && !k.Runs() {
		return false
	}
	if found := counted.FindStringSubmatch(quote); found != nil {
		lines := strings.Split(strings.TrimSpace(output), "\n")
		return found[1] == strconv.Itoa(len(lines)) &&
			quoted.IsAny(strings.Replace(quote, found[0], quoted.Mark, 1), output)
	}
	return quoted.IsCut(quote) && quoted.IsAny(quoted.Mark+quote+quoted.Mark, output)
}

// openCalls counts the calls whose last run in the record's span failed, except calls that maintain
// the todo list.
func (c *checker) openCalls() (n int) {
	last := map[string]*conversation.Call{}
	for _, k := range c.client.Between(c.rec.first, c.rec.last) {
		if !todolist.IsSetBy(k) {
			last[k.Identity()] = k
		}
	}
	for _, k := range last {
		if k.Ended().Bad() {
			n++
		}
	}
	return n
}

// distinctCalls counts the distinct calls in the record's span that did not fail and were allowed.
func (c *checker) distinctCalls() int {
	well := map[string]bool{}
	for _, k := range c.client.Between(c.rec.first, c.rec.last) {
		well[k.Identity()] = !k.Ended().Bad()
	}
	n := 0
	for _, ok := range well {
		if ok {
			n++
		}
	}
	return n
}
