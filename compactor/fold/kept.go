package fold

import (
	"maps"
	"slices"

	"killick/compactor/checkpoint"
)

// choose returns the messages of [from, to) that stay: the first of persons, the task before all
// others; the latest request; the last user message unless it is the result of a call; the newest
// of persons, as many as make alwaysKept with those after to; pinned messages; what the client
// wrote before the task; the newest records that the client sent; and others that fit. earlier has
// the tokens of what stays of the turns before. If the error is ErrPins, nothing may be folded.
func (k *Keeper) choose(from, to, earlier int) ([]checkpoint.Kept, error) {
	if k.all {
		return k.allOf(from, to), nil
	}
	persons, others := k.usersSide(from, to)
	limit := limits{}
	task, newest := k.task(), alwaysKept-len(k.t.Persons(to, k.end))
	for _, i := range persons[min(max(0, len(persons)-newest), len(persons)):] {
		limit.allow(i, maxKeptMessage)
	}
	if from == 0 {
		for _, i := range persons[:min(firstKept, len(persons))] {
			limit.allow(i, maxKeptMessage)
		}
	}
	if len(persons) > 0 {
		limit.allow(persons[len(persons)-1], k.policy.MaxTaskTokens)
	}
	if _, found := slices.BinarySearch(persons, task); found {
		limit.allow(task, k.policy.MaxTaskTokens)
	}
	for _, i := range k.records(from, to) {
		limit.allow(i, k.v.Tokens[i])
	}
	k.allowOthers(limit, others, task)
	n := len(others)
	if n > 0 && (len(persons) == 0 || others[n-1] > persons[len(persons)-1]) &&
		!k.begins(others[n-1], "result", "tool_response") {
		limit.allow(others[n-1], k.policy.MaxTaskTokens)
	}
	pinned, err := k.pinned(from, to)
	if err != nil {
		return nil, err
	}
	for _, i := range pinned {
		limit.allow(i, k.v.Tokens[i]+1)
	}
	k.fillWhole(limit.among(persons), limit, earlier)
	k.fillBrief(from, to, limit)
	k.fillShort(from, to, limit)
	kept := make([]checkpoint.Kept, 0, len(limit))
	for _, i := range slices.Sorted(maps.Keys(limit)) {
		kept = append(kept, k.message(i, limit[i]))
	}
	return kept, nil
}

// allOf returns the user messages in [from, to) that are not records.
func (k *Keeper) allOf(from, to int) (kept []checkpoint.Kept) {
	persons, others := k.usersSide(from, to)
	for i := from; i < to; i++ {
		switch {
		case len(persons) > 0 && persons[0] == i:
			persons = persons[1:]
			kept = append(kept, checkpoint.Kept{Index: i, Tokens: k.v.Tokens[i]})
		case len(others) > 0 && others[0] == i:
			others = others[1:]
			if !k.isRecord(i) {
				kept = append(kept, checkpoint.Kept{Index: i, Tokens: k.v.Tokens[i], Client: true})
			}
		}
	}
	return kept
}

// limits are the most tokens that messages may take, by their indexes.
type limits map[int]int

func (l limits) allow(i, tokens int) { l[i] = max(l[i], tokens) }

// among returns the messages that have a limit, in order.
func (l limits) among(messages []int) []int {
	limited := make([]int, 0, len(l))
	for i := range l {
		if _, found := slices.BinarySearch(messages, i); found {
			limited = append(limited, i)
		}
	}
	slices.Sort(limited)
	return limited
}

// allowOthers allows what the client wrote before the task: descriptions of the project and its
// rules, and the text of one skill, since the agent can load other skills again.
func (k *Keeper) allowOthers(limit limits, others []int, task int) {
	skills := 0
	for n, i := range others {
		if n >= maxBeforeTask || task >= 0 && i > task {
			return
		}
		if k.begins(i, "skill") {
			if skills++; skills > 1 {
				limit.allow(i, maxKeptMessage)
				continue
			}
		}
		limit.allow(i, k.policy.MaxTaskTokens)
	}
}

// fillWhole allows the whole of messages that persons wrote or pasted, the task first and then the
// newest, while all that stays takes at most half of what the window leaves for the turns: nobody
// can fetch again what stood in them.
func (k *Keeper) fillWhole(messages []int, limit limits, earlier int) {
	room := (k.budget.Window-k.v.PreambleRounded())/2 - earlier
	for i, n := range limit {
		room -= min(n, k.v.Tokens[i])
	}
	allow := func(i int) {
		if need := k.v.Tokens[i] - limit[i]; need > 0 && need <= room && k.mostlyPersons(i) {
			room -= need
			limit[i] = k.v.Tokens[i]
		}
	}
	if task := k.task(); slices.Contains(messages, task) {
		allow(task)
	}
	for _, i := range slices.Backward(messages) {
		allow(i)
	}
}

// fillBrief allows brief messages of persons in half of the target for the turns. They may hold
// rules, and say more for their tokens than all else that is kept.
func (k *Keeper) fillBrief(from, to int, limit limits) {
	k.fill(&k.memo.brief, k.brief(from, to), limit, k.budget.Turns()/2, from == 0)
}

// fillShort allows other short messages of persons in an eighth of the target for the turns.
func (k *Keeper) fillShort(from, to int, limit limits) {
	k.fill(&k.memo.short, k.short(from, to), limit, k.budget.Turns()/8, from == 0)
}

// fill allows whole messages in a room, the newest first. If they begin the conversation, the first
// ones that fit in half of the room come before: names, terms and rules are agreed on early. Those
// that a later one repeats are left out.
func (k *Keeper) fill(c *candidates, messages []int, limit limits, room int, begin bool) {
	c.link(messages, k.contentOf)
	allow := func(i int, room *int) bool {
		if c.repeated(i, messages[len(messages)-1]) {
			return true
		}
		need := max(k.v.Tokens[i]-limit[i], 0)
		if need <= *room {
			*room -= need
			limit.allow(i, k.v.Tokens[i])
		}
		return need <= *room
	}
	if begin {
		half := room / 2
		room -= half
		for _, i := range messages {
			if !allow(i, &half) {
				break
			}
		}
		room += half
	}
	for _, i := range slices.Backward(messages) {
		if !allow(i, &room) {
			break
		}
	}
}

// contentOf returns the content of a message. One with more than text has content of its own.
func (k *Keeper) contentOf(i int) content {
	m := &k.v.Messages[i]
	if !m.OnlyText() {
		return content{message: i}
	}
	return content{name: m.Name(), words: k.t.Message(i).Words(), message: -1}
}

// keptTokens returns the tokens of the messages that stay beside records.
func keptTokens(records []checkpoint.Record) (n int) {
	for i := range records {
		for k := range records[i].Kept {
			n += records[i].Kept[k].Tokens
		}
	}
	return n
}
