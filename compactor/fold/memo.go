package fold

import (
	"slices"
	"unsafe"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/internal/series"
	"killick/summary"
	"killick/transcript/speech"
	"killick/view"
)

// memo caches what the folds of one request determine about its messages, so that each message is
// inspected once and not again at every fold.
type memo struct {
	short   series.Matches // messages of persons that may stay if there is room
	brief   series.Matches // those of them that are brief
	records series.Matches
	pinned  series.Matches // messages of persons that the operator's pins select
	cuts    map[cutKey]cutForm
	words   map[wordsKey][]string
	asked   int // how many messages were searched for the task
	task    int // its index; -1 until it is found
}

func newMemo() *memo {
	return &memo{cuts: map[cutKey]cutForm{}, words: map[wordsKey][]string{}, task: -1}
}

// cutKey identifies a message that is cut to at most so many tokens.
type cutKey struct{ index, most int }

// cutForm is the kept form of a message, and its original if the form shows a ref of it.
type cutForm struct {
	kept     checkpoint.Kept
	original checkpoint.Original // without content if there is none
}

// message returns the kept form of a message with at most most tokens. It is cut once for all folds
// of a request.
func (k *Keeper) message(i, most int) checkpoint.Kept {
	key := cutKey{i, most}
	cut, ok := k.memo.cuts[key]
	if !ok {
		cut = k.cut(i, most)
		k.memo.cuts[key] = cut
	}
	if len(cut.original.Content) > 0 {
		k.keep(cut.original)
	}
	return cut.kept
}

// wordsKey identifies a record, or a message that is sent beside one, by its address in memory. raw
// is nil for message index as received.
type wordsKey struct {
	index int
	raw   *byte
}

// wordsOfKept returns the references in kept messages, a list for each.
func (k *Keeper) wordsOfKept(h *history.History, kept []checkpoint.Kept) (lists [][]string) {
	for i := range kept {
		key := wordsKey{kept[i].Index, unsafe.SliceData(kept[i].Raw)}
		lists = append(lists, k.words(key, func() string { return textOf(h, &kept[i]) }))
	}
	return lists
}

// wordsOf returns the references in records, a list for each.
func (k *Keeper) wordsOf(records []checkpoint.Record) (lists [][]string) {
	for i := range records {
		key := wordsKey{-1, unsafe.SliceData(records[i].Raw)}
		text := func() string { return checkpoint.Text(records[i : i+1]) }
		lists = append(lists, k.words(key, text))
	}
	return lists
}

func (k *Keeper) words(key wordsKey, text func() string) []string {
	words, ok := k.memo.words[key]
	if !ok {
		words = summary.Words(text())
		k.memo.words[key] = words
	}
	return words
}

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
