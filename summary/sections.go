package summary

// sections returns the sections of the record. dir is the folder that paths are relative to, room
// is what all sections may take: entries that cannot be shown may be empty, they are only counted.
func (sum *Summary) sections(dir string, room int) []section {
	several := sum.inSeveral()
	return []section{
		{title: TitleIntent, entries: sum.intent(), required: true, share: 8},
		{title: TitleWords, entries: sum.words(room), share: 20, dropped: sum.WordsLeftOut,
			above: sum.wordsAbove()},
		{title: TitleState, entries: sum.state(dir, room, len(sum.Words)), required: true,
			share: stateShare},
		{title: TitleNext, entries: sum.next(), required: true, share: 12},
		sum.open(dir, room, several),
		sum.unanswered(dir, room),
		{title: TitleFiles, entries: sum.files(dir, room), share: 16, older: sum.Older.Files},
		{title: TitleAttached, entries: sum.attachedBelow(dir, room), share: 4, most: maxData},
		{title: TitleCommands, entries: sum.commands(room, several), share: 10,
			most: maxCommands, older: sum.Older.Calls},
		{title: TitleDone, entries: sum.completed(room, len(sum.Words)), required: true,
			share: 12, most: maxDone, older: sum.Older.Reports},
		sum.data(room),
	}
}
