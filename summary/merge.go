package summary

import (
	"cmp"
	"slices"
)

// Merge adds the summary of newer turns to the summary of all turns before them. Nothing is
// summarized twice: a quote is kept unchanged or dropped, counts add up, and of each call the last
// outcome is kept. Persons' messages, names and pins are taken from neither summary: the caller
// fills them in for all turns.
func Merge(old, newer Summary) Summary {
	if old.Last == 0 {
		return newer
	}
	all := newer
	all.First, all.Folds = old.First, old.Folds+newer.Folds
	all.Task = cmp.Or(old.Task, newer.Task)
	all.Latest = cmp.Or(newer.Latest, old.Latest)
	var files fileList
	files.makeRoom(len(old.Files) + len(newer.Files))
	for _, list := range [][]File{old.Files, newer.Files} {
		for _, file := range slices.Backward(list) {
			files.add(file)
		}
		files.left = old.Older.Files
	}
	all.Files, all.Older.Files = files.newestFirst()
	var outcomes outcomeList
	for _, list := range [][]Outcome{old.Calls, newer.Calls} {
		for _, outcome := range slices.Backward(list) {
			outcomes.add(outcome)
		}
		outcomes.left = old.Older.Calls
	}
	all.Calls, all.Older.Calls = outcomes.newestFirst()
	all.Unanswered = append(slices.Clip(newer.Unanswered), old.Unanswered...)
	all.Older.Unanswered = all.Older.Unanswered || len(all.Unanswered) > maxEntries
	all.Unanswered = all.Unanswered[:min(len(all.Unanswered), maxEntries)]
	all.Reports = append(slices.Clip(newer.Reports), old.Reports...)
	all.Older.Reports = len(all.Reports) > maxEntries
	all.Reports = all.Reports[:min(len(all.Reports), maxEntries)]
	all.Cited = append(slices.Clip(newer.Cited), old.Cited...)
	all.Older.Cited = all.Older.Cited || len(all.Cited) > maxEntries
	all.Cited = all.Cited[:min(len(all.Cited), maxEntries)]
	all.Attached = append(slices.Clip(newer.Attached), old.Attached...)
	all.Attached = all.Attached[:min(len(all.Attached), maxEntries)]
	all.Older = all.Older.or(old.Older).or(newer.Older)
	if all.State == nil {
		all.State = old.State
	}
	if all.LastCall == nil {
		all.LastCall = old.LastCall
	}
	return all
}
