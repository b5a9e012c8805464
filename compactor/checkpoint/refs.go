package checkpoint

import "regexp"

// refPattern matches the ref of an original in placeholders, records and kept messages.
var refPattern = regexp.MustCompile(`ref=([a-z2-7]{16})`)

// Refs returns the refs in a stored checkpoint of any version: those of originals, and those of
// lists of originals.
func Refs(value []byte) (refs []string) {
	for _, m := range refPattern.FindAllSubmatch(value, -1) {
		refs = append(refs, string(m[1]))
	}
	return refs
}
