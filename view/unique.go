package view

import "killick/rawjson"

// uniqueMembers are the members of parts and calls that formats read. If one is given twice, one
// program reads the first and another the last.
var uniqueMembers = [...]string{
	"type", "text", "refusal", "id", "function", "custom", "name", "arguments", "input", "stdout",
	"stderr",
}

// UniqueMembers records which members of one object were read.
type UniqueMembers uint16

// Add records a member by its decoded name. It returns ErrDuplicate for a repeated member that must
// be read unambiguously.
func (o *UniqueMembers) Add(name []byte) error {
	for i := range uniqueMembers {
		if string(name) == uniqueMembers[i] {
			if *o&(1<<i) != 0 {
				return ErrDuplicate
			}
			*o |= 1 << i
		}
	}
	return nil
}

// ReadOnce reads the value of a member at an offset, notes its place relative to start, and returns
// the offset just past it. It fails with ErrDuplicate if the member was read before.
func ReadOnce(
	member *rawjson.Span, b []byte, start, at int, read func(b []byte, at int) (int, error),
) (int, error) {
	if member.End != 0 {
		return at, ErrDuplicate
	}
	end, err := read(b, at)
	if err == nil {
		*member = rawjson.SpanOf(at-start, end-start)
	}
	return end, err
}

// SkipUnique returns the offset just past the value at i, an array of parts or calls, or one of
// them. It fails with ErrDuplicate if one of these objects, or of the objects in them to the given
// number of levels, repeats a member that must be read unambiguously.
func SkipUnique(b []byte, i, levels int) (int, error) {
	switch {
	case i < len(b) && b[i] == '[':
		return rawjson.WalkArray(b, i, func(at int) (int, error) {
			if at < len(b) && b[at] == '{' {
				return SkipUnique(b, at, levels)
			}
			return rawjson.Skip(b, at)
		})
	case levels < 0 || i >= len(b) || b[i] != '{':
		return rawjson.Skip(b, i)
	}
	var seen UniqueMembers
	return rawjson.WalkObject(b, i, func(key rawjson.Span, at int) (int, error) {
		if err := seen.Add(key.Of(b).TextBytes()); err != nil {
			return at, err
		}
		if at < len(b) && b[at] == '{' {
			return SkipUnique(b, at, levels-1)
		}
		return rawjson.Skip(b, at)
	})
}
