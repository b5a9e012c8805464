package compactor

import (
	"strings"

	"killick/chat"
)

// extraction is what the extractive summariser finds in a span of turns. It
// quotes and counts; it never invents, and it asks no model.
type extraction struct {
	Summary
	succeeded map[string]bool // targets of calls that went well: they resolve older errors
	asked     bool            // the user said something, so older questions are answered
	planned   bool            // Todos is a newer list than any before, even if it is empty
}

// extract reads the turns of v in [from, to), whose groups are whole, and the calls
// that they make.
func extract(v *view, calls []call, from, to int) extraction {
	x := extraction{succeeded: map[string]bool{}}
	stale, unresolved := judge(calls)
	x.readFiles(calls)
	x.readErrors(v, calls, stale, unresolved)
	x.Todos, x.planned = readTodos(calls)
	data := newDataTable()
	for i := from; i < to; i++ {
		m := &v.msgs[i]
		switch m.Role() {
		case chat.User:
			if isRequest(m) {
				x.readRequest(m)
				data.mentioned(v.redact.of(m.Text()), byUser)
			}
		case chat.Assistant:
			text := m.Text()
			x.readAssistant(text, m.HasCalls())
			data.mentioned(v.redact.of(text), byAssistant)
		}
	}
	for i := from; i < to; i++ {
		if m := &v.msgs[i]; m.Role().Result() {
			data.recurred(m.Text())
		}
	}
	x.Data = data.best(x.knowsFile)
	if x.State == "" && len(calls) > 0 {
		last := &calls[len(calls)-1]
		x.State = "The last replaced turn called " + last.describe(200) + "."
	}
	return x
}

func (x *extraction) readRequest(m *chat.Message) {
	text := strings.ToValidUTF8(m.Text(), "\uFFFD")
	x.asked = true
	x.Rules = appendNew(x.Rules, rulesIn(text)...)
	for i := range x.Requests {
		x.Requests[i].Done = true // the user went on to something else
	}
	if line := oneLine(text, maxEntry); line != "" {
		x.Requests = prepend(x.Requests, Request{Text: line})
	}
	// What the assistant asked before is answered now.
	x.Open = without(x.Open, func(q Question) bool { return q.Target == "" })
}

// readAssistant reads what the assistant said: a text with calls says what it
// is about to do, one without reports.
func (x *extraction) readAssistant(text string, calling bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	var next, questions []string
	sentences(text, func(s string) bool {
		if len(s) < 12 || len(s) > 2*maxEntry {
			return true
		}
		entry := oneLine(s, maxEntry)
		low := strings.ToLower(entry)
		switch {
		case strings.HasSuffix(entry, "?"):
			questions = append(questions, entry)
		case isFailedAttempt(low):
			x.Failed = prependNew(x.Failed, entry)
		case isDecision(low):
			x.Decisions = prepend(x.Decisions, Decision{Text: entry})
		case isCompletion(low, entry):
			x.Completed = prependNew(x.Completed, entry)
		case isNextStep(low):
			next = append(next, entry)
		}
		return true
	})
	x.State = oneLine(text, maxEntry)
	if len(next) > 0 {
		x.Next = next[:min(len(next), 8)]
	}
	if calling {
		return
	}
	if len(x.Requests) > 0 {
		x.Requests[0].Done = len(questions) == 0
	}
	x.Open = without(x.Open, func(q Question) bool { return q.Target == "" })
	for _, q := range questions[:min(len(questions), 4)] {
		x.Open = append(x.Open, Question{Text: q})
	}
}

var (
	decisionWords = []string{
		"decided", "instead of", "rather than", "chose", "choosing", "we'll use", "i'll use", "let's use", "we will use", "going with",
		"go with", "switch to", "switched to", "settled on", "rejected", "ruled out", "prefer", "the right approach", "the best approach",
		"trade-off", "the reason",
	}
	failureWords    = []string{"didn't work", "doesn't work", "did not work", "does not work", "failed because", "that failed", "still fails", "still failing", "won't work", "not possible"}
	completionHeads = []string{
		"i've ", "i have ", "fixed", "added", "created", "updated", "implemented", "removed", "refactored", "replaced", "renamed", "moved",
		"done", "all tests pass", "tests pass", "the tests pass", "the fix", "committed", "pushed", "installed", "perfect", "excellent", "great",
	}
	completionWords = []string{"all tests pass", "tests are passing", "successfully", "is now", "are now", "now passes", "builds cleanly"}
	nextHeads       = []string{"next", "then ", "now let me", "let me", "i'll ", "i will ", "i need to", "we need to", "we should", "remaining", "todo", "to do", "step "}
)

func isDecision(low string) bool { return hasAnyWord(low, decisionWords) }

func isFailedAttempt(low string) bool { return hasAnyWord(low, failureWords) }

func isCompletion(low, entry string) bool {
	return startsWithAny(low, completionHeads) && len(entry) >= 20 || hasAnyWord(low, completionWords)
}

func isNextStep(low string) bool { return startsWithAny(low, nextHeads) }

func startsWithAny(s string, heads []string) bool {
	for _, head := range heads {
		if strings.HasPrefix(s, head) {
			return true
		}
	}
	return false
}

// readErrors notes which calls failed: those repeated with success since are
// attempts not to be made again, the others are open.
func (x *extraction) readErrors(v *view, calls []call, stale []staleness, unresolved []bool) {
	for i := range calls {
		c := &calls[i]
		if c.result < 0 {
			continue
		}
		if !c.failed {
			x.succeeded[c.target()] = true
			continue
		}
		what := c.describe(160) + ": " + oneLine(errorLine(v.msgs[c.result].Text()), 300)
		switch {
		case unresolved[i]:
			// A later failure on the same target takes the place of an earlier one.
			target := c.target()
			x.Open = without(x.Open, func(q Question) bool { return q.Target == target })
			x.Open = append(x.Open, Question{Text: cut(what, maxEntry), Target: target})
		case stale[i] == retried:
			x.Failed = prependNew(x.Failed, cut(what+" (resolved later)", maxEntry))
		}
	}
}
