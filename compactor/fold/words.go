package fold

import (
	"strings"
	"unsafe"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
	"killick/summary/names"
)

// TextOfKept returns the text of the kept messages.
func TextOfKept(h *history.History, kept []checkpoint.Kept) string {
	var b strings.Builder
	for i := range kept {
		b.WriteString(textOf(h, &kept[i]) + "\n")
	}
	return b.String()
}

// textOf returns the text of a kept message.
func textOf(h *history.History, kept *checkpoint.Kept) string {
	if kept.Raw == nil {
		return h.Transcript.Message(kept.Index).Text
	}
	m, err := h.View.Parse(kept.Raw)
	if err != nil {
		return ""
	}
	return m.Text()
}

// wordsOfKept returns the references in kept messages, a list for each.
func (k *Keeper) wordsOfKept(h *history.History, kept []checkpoint.Kept) (lists [][]string) {
	for i := range kept {
		key := wordsKey{kept[i].Index, unsafe.SliceData(kept[i].Raw)}
		lists = append(lists, k.words(key, func() []string {
			return names.Words(textOf(h, &kept[i]))
		}))
	}
	return lists
}

// wordsOf returns the references in records, a list for each.
func (k *Keeper) wordsOf(records []checkpoint.Record) (lists [][]string) {
	for i := range records {
		key := wordsKey{-1, unsafe.SliceData(records[i].Raw)}
		lists = append(lists, k.words(key, func() []string {
			return summary.References(checkpoint.Text(records[i : i+1]))
		}))
	}
	return lists
}

func (k *Keeper) words(key wordsKey, read func() []string) []string {
	words, ok := k.memo.words[key]
	if !ok {
		words = read()
		k.memo.words[key] = words
	}
	return words
}
