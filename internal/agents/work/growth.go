package work

// Prompts grow with every turn by what the turn adds, above all the files that are read. All
// figures are tokens of o200k, which is what the scripted upstreams count.
const (
	// RecordedGrowth is what recorded prompts grow by from one request to the next: for each
	// session (prompt 36 - prompt 1) / 35, and of these the median, 1,725, rounded. 19 sessions of
	// Claude Code, by the provider's own counts (median 1,632; as the provider counts, 1,949), and
	// 7 of Codex with at least 35 requests (median 1,819). Growth is uneven: half of the requests
	// of Claude Code add less than 700 of the provider's tokens, the mean is 1,965.
	RecordedGrowth = 1700
	// smallGrowth is about what prompts grow by with the smallest files.
	smallGrowth = 700
	// bytesPerToken is by how many bytes each file must be longer for prompts to grow by one more
	// token a turn: three of eight turns read a file.
	bytesPerToken = 10
	// room is what the turns of a run may add, so that with an agent's instructions and tools they
	// fit a window of 200,000 tokens: an agent that compacted its own conversation in the direct
	// run would leave nothing to compare with.
	room = 150_000
)

// GrowthOf returns by how much prompts grow in a run of so many turns: what was asked for, or if
// that is 0 what recorded ones grow by, where there is room for it.
func GrowthOf(asked, turns int) int {
	switch {
	case asked > 0:
		return asked
	case turns*RecordedGrowth <= room:
		return RecordedGrowth
	}
	return smallGrowth
}

// LongerBy returns by how many bytes the files are longer than the smallest for prompts to grow by
// about so many tokens a turn.
func LongerBy(growth int) int { return max(0, growth-smallGrowth) * bytesPerToken }
