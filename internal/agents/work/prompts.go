package work

import "fmt"

// FinalText is the end of each part of the work.
const FinalText = "That part is done: every check that should pass passes."

// Task stands in the first prompt, and must be in front of the model as long as nobody but the
// proxy compacts.
const Task = "Keep every amount in cents, and never touch go.mod."

// Prompt is what a person asks for in one part of the work.
func Prompt(part, parts int) string {
	if part == 1 {
		return fmt.Sprintf("Part 1 of %d: read the sources, raise the revision of each file, and "+
			"run check.sh after each edit. %s", parts, Task)
	}
	return fmt.Sprintf("Part %d of %d: go on with the next files.", part, parts)
}
