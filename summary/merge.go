package summary

import "slices"

// Merge adds the summary of newer turns to the summary of all turns before them. Nothing is
// summarized twice: a quote stays as it is or is dropped whole, counts add up, and the last outcome
// of each call counts. Persons' messages, names and pins are taken from neither: the caller fills
// them in for the whole.
func Merge(old, newer Summary) Summary {
	if old.Last == 0 {
		return newer
	}
	all := newer
	all.First, all.Folds = old.First, old.Folds+newer.Folds
	all.Task = firstOf(old.Task, newer.Task)
	all.Latest = firstOf(newer.Latest, old.Latest)
	var files fileList
	for i := len(old.Files) - 1; i >= 0; i-- {
		files.add(old.Files[i])
	}
	for i := len(newer.Files) - 1; i >= 0; i-- {
		files.add(newer.Files[i])
	}
	all.Files, all.Older.Files = files.newestFirst()
	var outcomes outcomeList
	for i := len(old.Calls) - 1; i >= 0; i-- {
		outcomes.add(old.Calls[i])
	}
	for i := len(newer.Calls) - 1; i >= 0; i-- {
		outcomes.add(newer.Calls[i])
	}
	all.Calls, all.Older.Calls = outcomes.newestFirst()
	all.Reports = append(slices.Clip(newer.Reports), old.Reports...)
	all.Older.Reports = len(all.Reports) > maxEntries
	all.Reports = all.Reports[:min(len(all.Reports), maxEntries)]
	all.Older = all.Older.or(old.Older).or(newer.Older)
	if all.State == nil {
		all.State = old.State
	}
	if all.LastCall == nil {
		all.LastCall = old.LastCall
	}
	return all
}

func firstOf(numbers ...int) int {
	for _, n := range numbers {
		if n > 0 {
			return n
		}
	}
	return 0
}
