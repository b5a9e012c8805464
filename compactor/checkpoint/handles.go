package checkpoint

import "regexp"

// handle matches the name of an original in placeholders, records and kept messages.
var handle = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// Handles returns the handles in a stored checkpoint of any version: those of originals, and those
// of lists of originals.
func Handles(value []byte) (handles []string) {
	for _, m := range handle.FindAllSubmatch(value, -1) {
		handles = append(handles, string(m[1]))
	}
	return handles
}
