package fold

import (
	"killick/compactor/checkpoint"
	"killick/series"
)

// memo caches what the folds of one request determine about its messages, so that each message is
// inspected once and not again at every fold.
type memo struct {
	short   candidates // messages of persons that may stay if there is room
	brief   candidates // those of them that are brief
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

// wordsKey identifies a record, or a message that is sent beside one, by its address in memory. raw
// is nil for message index as received.
type wordsKey struct {
	index int
	raw   *byte
}
