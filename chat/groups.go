package chat

// Group is a range [Start, End) of messages that move together: an assistant
// message that calls tools with all of its results and whatever stands between
// them, or one message on its own.
type Group struct {
	Start, End int
	// Open is set when a call of the group has no result: the answer is still
	// to come, so the group must stay as it is.
	Open bool
}

// Groups splits msgs into groups, in order and without gaps. A result belongs
// to the nearest earlier call of its id that has none yet, so ids that a client
// uses again in a later turn are told apart. Calls whose results interleave
// become one group.
func Groups(msgs []Message) []Group {
	groups := make([]Group, 0, len(msgs))
	waiting := map[string][]int{} // call → messages that make it, unanswered, in order
	unanswered := make(map[int]int)
	for i := range msgs {
		m := &msgs[i]
		groups = append(groups, Group{Start: i, End: i + 1})
		if m.Role().Result() {
			key := resultKey(m)
			callers := waiting[key]
			if len(callers) == 0 {
				continue // an orphan in what the client sent: it stands alone
			}
			caller := callers[len(callers)-1]
			waiting[key] = callers[:len(callers)-1]
			if unanswered[caller]--; unanswered[caller] == 0 {
				delete(unanswered, caller)
			}
			groups = joinFrom(groups, caller)
			continue
		}
		if m.Role() != Assistant {
			continue
		}
		for _, call := range m.ToolCalls() {
			key := callKey(call)
			waiting[key] = append(waiting[key], i)
			unanswered[i]++
		}
	}
	for g := range groups {
		for i := groups[g].Start; i < groups[g].End && len(unanswered) > 0; i++ {
			if unanswered[i] > 0 {
				groups[g].Open = true
			}
		}
	}
	return groups
}

// joinFrom makes one group of all from the one that holds message i to the
// last. Each group is joined away once at most, so the sum over a request is
// linear.
func joinFrom(groups []Group, i int) []Group {
	g := len(groups) - 1
	for groups[g].Start > i {
		g--
	}
	groups[g].End = groups[len(groups)-1].End
	return groups[:g+1]
}

// Keys of the two kinds of calls never meet: an id is prefixed by a letter.
func callKey(c ToolCall) string {
	if c.Legacy {
		return "f" + c.Name
	}
	return "t" + c.ID
}

func resultKey(m *Message) string {
	if m.Role() == Function {
		return "f" + m.Name()
	}
	return "t" + m.ToolCallID()
}
