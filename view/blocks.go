package view

import (
	"bytes"
	"iter"

	"killick/rawjson"
)

// Blocks yields the blocks of a message, as read reads the one at an offset and returns the offset
// just past it. run: Raw is a run of blocks. Otherwise the content is a list of them, or has none.
func Blocks[B any](
	m *Message, run bool, read func(b []byte, at int) (block B, end int, err error),
) iter.Seq[B] {
	return func(yield func(B) bool) {
		one := func(at int) (int, error) {
			block, end, err := read(m.Raw, at)
			if err == nil && !yield(block) {
				err = rawjson.ErrStop
			}
			return end, err
		}
		if run {
			_ = rawjson.WalkRun(m.Raw, one)
		} else if m.Content().Kind() == rawjson.Array {
			_, _ = rawjson.WalkArray(m.Raw, int(m.fields.Content.Start), one)
		}
	}
}

// WithBlocks returns the message with a list of blocks as its content. A run of blocks loses the
// brackets. It cannot be empty, so for an empty list the message is returned unchanged.
func (m *Message) WithBlocks(list []byte) []byte {
	if !m.Is(Several) {
		return rawjson.Replace(m.Raw, m.fields.Content, list)
	}
	if inside := inList(list); inside != nil {
		return inside
	}
	return m.Raw
}

// inList returns what is between the brackets of a list, nil if that is nothing.
func inList(list rawjson.Value) []byte {
	if list.Kind() != rawjson.Array {
		return nil
	}
	if inside := bytes.TrimSpace(list[1 : len(list)-1]); len(inside) > 0 {
		return inside
	}
	return nil
}

// WithoutBlocks returns a message whose content is a list of blocks without those that drop, nil if
// none is left. kept is how many before a block stay.
func (m *Message) WithoutBlocks(drop func(block rawjson.Value, kept int) bool) []byte {
	list := int(m.fields.Content.Start)
	last := list + 1 // the end of the previous block, or of the bracket
	out := append(make([]byte, 0, len(m.Raw)), m.Raw[:last]...)
	kept := 0
	_, _ = rawjson.WalkArray(m.Raw, list, func(at int) (int, error) {
		end, err := rawjson.Skip(m.Raw, at)
		if err != nil {
			return end, err
		}
		before := m.Raw[last:at]
		if last = end; drop(m.Raw[at:end], kept) {
			return end, nil
		}
		if kept == 0 {
			before = before[bytes.IndexByte(before, ',')+1:]
		}
		kept++
		out = append(append(out, before...), m.Raw[at:end]...)
		return end, nil
	})
	if kept == 0 {
		return nil
	}
	return append(out, m.Raw[last:]...)
}
