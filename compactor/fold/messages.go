package fold

import (
	"slices"

	"killick/transcript/speech"
	"killick/view"
)

// usersSide returns the user messages in [from, to): those of persons, and those that only the
// client wrote.
func (k *Keeper) usersSide(from, to int) (persons, others []int) {
	return k.folded(k.t.Persons(from, to)), k.folded(k.t.Clients(from, to))
}

// folded returns the messages of a list that a fold replaces.
func (k *Keeper) folded(messages []int) []int {
	if !k.v.AnyFixed() {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), k.v.Stays)
}

// records returns the newest records in [from, to). They always stay, since nothing else is left of
// the turns that they replaced. Clients send one for each time that they asked for compaction, at
// most; a text that imitates them must not make forms that only grow.
func (k *Keeper) records(from, to int) []int {
	records := k.folded(k.memo.records.In(from, to, func(i int) bool {
		return k.t.Messages[i].Role() == view.User && k.isRecord(i) &&
			k.t.Message(i).Speaker != speech.Person && k.t.Message(i).Text != ""
	}))
	return records[max(0, len(records)-maxRecords):]
}

// selected returns the messages of persons in [from, to) that the operator's pins select, with
// repetitions.
func (k *Keeper) selected(from, to int) []int {
	return k.folded(k.memo.pinned.In(from, to, func(i int) bool {
		return k.t.Messages[i].Role() == view.User &&
			k.t.Message(i).Speaker == speech.Person &&
			k.policy.Pins.OfPerson(k.t.Message(i).Words())
	}))
}

// short returns the messages of persons in [from, to) that are short enough to stay whole if there
// is room.
func (k *Keeper) short(from, to int) []int {
	return k.folded(k.memo.short.In(from, to, func(i int) bool {
		return k.mayStay(i, maxKeptMessage)
	}))
}

// brief returns the messages of persons in [from, to) that cost little to keep.
func (k *Keeper) brief(from, to int) []int {
	return k.folded(k.memo.brief.In(from, to, func(i int) bool {
		return k.mayStay(i, briefMessage)
	}))
}

// mayStay reports whether a person typed most of message i, which has at most most tokens.
func (k *Keeper) mayStay(i, most int) bool {
	return k.v.Tokens[i] <= most && k.t.Messages[i].Role() == view.User &&
		k.t.Message(i).Speaker == speech.Person && k.mostlyTyped(i)
}

// task returns the person's first message, -1 if there is none.
func (k *Keeper) task() int {
	m := k.memo
	for ; m.task < 0 && m.asked < len(k.t.Messages); m.asked++ {
		if k.t.Messages[m.asked].Role() == view.User &&
			k.t.Message(m.asked).Speaker == speech.Person {
			m.task = m.asked
		}
	}
	if m.task >= len(k.t.Messages) {
		return -1
	}
	return m.task
}

// isRecord reports whether a user message is one of our records and nothing else.
func (k *Keeper) isRecord(i int) bool {
	m := k.t.Message(i)
	return len(m.Spans) == 1 && m.Spans[0].Tag == "record"
}

// mostlyTyped reports whether a person typed most of a message.
func (k *Keeper) mostlyTyped(i int) bool {
	m := k.t.Message(i)
	return 2*len(m.Words()) >= len(m.Text)
}

// mostlyPersons reports whether most of a message is typed or a document, and not the client's.
func (k *Keeper) mostlyPersons(i int) bool {
	m, client := k.t.Message(i), 0
	for _, s := range m.Spans {
		if s.Kind == speech.Block {
			client += s.End - s.Start
		}
	}
	return 2*client <= len(m.Text)
}

// begins reports whether a message of the client begins with a block of one of some tags or labels.
func (k *Keeper) begins(i int, tags ...string) bool {
	spans := k.t.Message(i).Spans
	return len(spans) > 0 && slices.Contains(tags, spans[0].Tag)
}
