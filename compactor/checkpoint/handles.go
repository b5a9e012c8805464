package checkpoint

import "regexp"

// handle is how placeholders, records and kept messages name an original.
var handle = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// Handles returns the handles that a stored checkpoint names, whatever its version: of what it
// hides, and of lists of that.
func Handles(value []byte) (handles []string) {
	for _, m := range handle.FindAllSubmatch(value, -1) {
		handles = append(handles, string(m[1]))
	}
	return handles
}
