package converse

import (
	"killick/rawjson"
	"killick/view"
)

// message is one element of the messages, as far as it is read.
type message struct {
	start, end    int
	role, content rawjson.Span // relative to start
	blocks        []block
	holds         [kinds]bool // by kind: whether it has such a block
	nested        bool        // a block alone would look like a message
	running       int         // how many calls of tools that the server runs have no result in it
}

// read reads the message at an offset and returns the offset just past it.
func (m *message) read(b []byte, at int) (int, error) {
	m.start = at
	var err error
	if at >= len(b) || b[at] != '{' {
		m.end, err = rawjson.Skip(b, at)
		return m.end, err
	}
	m.end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		switch key.Of(b).Text() {
		case "role":
			return view.ReadOnce(&m.role, b, at, from, rawjson.Skip)
		case "content":
			return view.ReadOnce(&m.content, b, at, from, m.readBlocks)
		}
		return rawjson.Skip(b, from)
	})
	return m.end, err
}

func (m *message) readBlocks(b []byte, at int) (int, error) {
	if at >= len(b) || b[at] != '[' {
		return rawjson.Skip(b, at)
	}
	return rawjson.WalkArray(b, at, func(at int) (int, error) {
		var k block
		end, err := k.read(b, at, levels-1)
		m.add(k)
		if err == nil && len(m.blocks) > view.MaxMessages {
			err = view.ErrTooMany // each may become a message
		}
		return end, err
	})
}

func (m *message) add(k block) {
	m.holds[k.kind] = true
	m.nested = m.nested || k.nested
	m.blocks = append(m.blocks, k)
	switch k.kind {
	case hosted:
		m.running++
	case hostedEnd:
		m.running--
	}
}

// whole reports whether b is one message with a content.
func (m *message) whole(b []byte, end int) bool {
	return end == len(b) && m.content.Of(b[m.start:]).Kind() == rawjson.Array
}

func (format) Read(l *view.List, at int) (int, error) {
	var m message
	end, err := m.read(l.Body, at)
	switch {
	case err != nil:
		return end, err
	case m.content.Of(l.Body[at:]).Kind() != rawjson.Array,
		m.role.Of(l.Body[at:]).Kind() != rawjson.String:
		return end, view.ErrNoMessages
	case m.nested || !m.holds[result] || view.RoleOf(m.role.Of(l.Body[at:])) != view.User:
		raw := l.Body[at:end:end]
		l.Add(view.NewMessage(Format, raw, m.fields(l.Body)), at)
		return end, nil
	}
	for i := 0; i < len(m.blocks); {
		next := i + 1
		var fields view.Fields
		if m.blocks[i].kind == result {
			for next < len(m.blocks) && m.blocks[next].kind == mark {
				next++
			}
			fields = m.blocks[i].result(l.Body)
		} else {
			for next < len(m.blocks) && m.blocks[next].kind != result {
				next++
			}
			fields = run(m.blocks[i:next])
		}
		from, to := m.blocks[i].start, m.blocks[next-1].end
		l.Add(view.NewMessage(Format, l.Body[from:to:to], fields), from)
		i = next
	}
	return end, nil
}

// Message implements [view.Format]. An object with a content is a message, one with a toolResult is
// a result, with the cache points after it; anything else is a run of blocks.
func (format) Message(raw []byte) (view.Message, error) {
	var m message
	end, err := m.read(raw, 0)
	if err == nil && m.whole(raw, end) {
		return view.NewMessage(Format, raw, m.fields(raw)), nil
	}
	var list []block
	err = rawjson.WalkRun(raw, func(at int) (int, error) {
		var k block
		end, err := k.read(raw, at, levels-1)
		list = append(list, k)
		return end, err
	})
	if err == nil && list[0].kind == result && onlyMarks(list[1:]) {
		return view.NewMessage(Format, raw, list[0].result(raw)), nil
	}
	return view.NewMessage(Format, raw, run(list)), err
}

// fields returns the fields of a whole message.
func (m *message) fields(b []byte) view.Fields {
	f := view.Fields{Role: view.RoleOf(m.role.Of(b[m.start:])), Content: m.content}
	switch f.Role {
	case view.User:
		f.Flags = flagsOf(&m.holds, call, result, signed, hosted, hostedEnd)
	case view.Assistant:
		f.Flags = flagsOf(&m.holds, result)
		if m.running != 0 {
			f.Flags |= view.Unknown // the other half is in a message beside it
		}
		if m.holds[signed] {
			f.Flags |= view.Signed
			if m.blocks[0].kind == signed {
				f.Flags |= view.StartsSigned
			}
		}
		if m.holds[call] {
			f.Calls = m.content
		}
		if m.holds[hosted] {
			f.Flags |= view.Hosts
		}
	default:
		f.Flags = view.Unknown
	}
	return f
}

// run returns the fields of a run of blocks beside results. Cache points before all of them belong
// to no block, and the API may not take them elsewhere.
func run(list []block) view.Fields {
	var holds [kinds]bool
	for i := range list {
		holds[list[i].kind] = true
	}
	f := view.Fields{Role: view.User, Flags: view.Several |
		flagsOf(&holds, call, result, signed, hosted, hostedEnd)}
	if onlyMarks(list) {
		f.Flags |= view.Unknown
	}
	return f
}

// onlyMarks reports whether all blocks are cache points.
func onlyMarks(list []block) bool {
	for i := range list {
		if list[i].kind != mark {
			return false
		}
	}
	return true
}
