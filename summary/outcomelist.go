package summary

import (
	"cmp"
	"slices"

	"killick/transcript"
)

// outcomeList holds the last outcome of each distinct call.
type outcomeList struct {
	list      []Outcome
	index     map[string]int
	unsettled map[string]bool // calls of earlier turns: see unsettled

	sessions map[string]int // of list, by the session in which the command was running
	before   []Outcome      // of earlier turns
	left     bool           // whether calls of earlier turns were left out
}

// unsettled returns the calls whose last run failed, or may have failed to access a file.
func unsettled(calls []Outcome) map[string]bool {
	keys := map[string]bool{}
	for i := range calls {
		if o := &calls[i]; o.Failed() || o.FileAccess && o.Output != "" {
			keys[o.Key] = true
		}
	}
	return keys
}

// keeps reports whether an outcome is recorded. Successful reads and writes of files are shown
// elsewhere; they are recorded only if the same call failed, or may have failed, before.
func (l *outcomeList) keeps(o *Outcome) bool {
	if o == nil {
		return false
	}
	_, known := l.index[o.Key]
	return !o.FileAccess || o.Failed() || o.Output != "" || known || l.unsettled[o.Key]
}

// goesOn returns the outcome o of a call. If the call reads what an earlier command printed since,
// that is how that command goes on, unless the same command was run again meanwhile.
func (l *outcomeList) goesOn(c *transcript.Call, o *Outcome) Outcome {
	began := l.running(c.Polls())
	if began == nil {
		return *o
	}
	end := *began
	end.Background = false // its output is in this result
	end.At, end.Began = o.At, cmp.Or(began.Began, began.At)
	end.Status, end.Exit, end.Session = o.Status, o.Exit, o.Session
	end.Output, end.Logged, end.Whole = o.Output, o.Logged, o.Whole
	end.Times, end.Fails, end.FailedAt = 0, o.Fails, o.FailedAt
	return end
}

// running returns the command that was still running in a session, nil if none is known.
func (l *outcomeList) running(session string) *Outcome {
	if session == "" {
		return nil
	}
	if i, ok := l.sessions[session]; ok && l.list[i].Session == session {
		return &l.list[i]
	}
	for i := range l.before {
		if o := &l.before[i]; o.Session == session {
			if _, again := l.index[o.Key]; again {
				return nil
			}
			return o
		}
	}
	return nil
}

// stop notes that a call ended what was running in a session.
func (l *outcomeList) stop(c *transcript.Call) {
	began := l.running(c.Stops)
	if began == nil {
		return
	}
	end := *began
	if c.Stopped {
		end.Status = transcript.Stopped
	}
	if end.Session, end.Times, end.Fails = "", 0, 0; end.Background {
		end.Output = "" // that it goes on
	}
	l.add(end)
}

// end notes that a message says how the command or the sub-agent that was running in a session has
// ended. The output of a command is not in the message; report is what a sub-agent answered.
func (l *outcomeList) end(at int, said transcript.Ended, report string) {
	began := l.running(said.Session)
	if began == nil {
		return
	}
	end := *began
	end.Background, end.Session, end.Output, end.Logged = false, "", report, false
	end.Whole = false
	end.At, end.Began = at, cmp.Or(began.Began, began.At)
	end.Status, end.Exit, end.Times, end.Fails = said.Status, said.Exit, 0, 0
	if said.Status == transcript.Failed {
		end.Fails, end.FailedAt = 1, at
	}
	l.add(end)
}

// drop removes the script that was still running in a session: it has ended, and its calls are
// recorded.
func (l *outcomeList) drop(session string) {
	if i, ok := l.sessions[session]; ok && l.list[i].Session == session {
		delete(l.index, l.list[i].Key)
		l.list[i] = Outcome{}
	}
}

// add adds a newer outcome.
func (l *outcomeList) add(o Outcome) {
	if l.index == nil {
		l.index, l.sessions = map[string]int{}, map[string]int{}
	}
	i, ok := l.index[o.Key]
	if ok {
		old := &l.list[i]
		o.Times, o.Fails = o.Times+old.Times, o.Fails+old.Fails
		o.Recent = o.Recent || old.Recent
		o.FailedAt = cmp.Or(o.FailedAt, old.FailedAt)
		*old = o
	} else {
		o.Recent = o.Recent || l.left
		i, l.index[o.Key] = len(l.list), len(l.list)
		l.list = append(l.list, o)
	}
	if o.Session != "" {
		l.sessions[o.Session] = i
	}
}

// newestFirst returns the outcomes. If there are too many, left is true, and the oldest are
// dropped, failed ones last, and none of a call that earlier turns have: its outcome there is not
// the last one.
func (l *outcomeList) newestFirst() (list []Outcome, left bool) {
	order := make([]int, len(l.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(l.list[j].At-l.list[i].At, i-j) })
	list = slices.Grow(list, len(order))
	for _, i := range order {
		if l.list[i].Key != "" {
			list = append(list, l.list[i])
		}
	}
	over := len(list) - 2*maxEntries
	if over <= 0 {
		return list, false
	}
	earlier := map[string]bool{}
	for i := range l.before {
		earlier[l.before[i].Key] = true
	}
	list, gone := dropOldest(list, over, func(o *Outcome) bool {
		return o.Failed() || earlier[o.Key]
	})
	list, failed := dropOldest(list, over-gone, func(o *Outcome) bool { return earlier[o.Key] })
	return list, gone+failed > 0
}

// dropOldest drops the last n entries of a list that do not stay, and returns how many there were.
func dropOldest[E any](list []E, n int, stays func(*E) bool) (rest []E, dropped int) {
	slices.Reverse(list)
	rest = slices.DeleteFunc(list, func(e E) bool {
		if dropped == n || stays(&e) {
			return false
		}
		dropped++
		return true
	})
	slices.Reverse(rest)
	return rest, dropped
}
