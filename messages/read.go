package messages

import (
	"killick/rawjson"
	"killick/view"
)

// object is a message or a block, as far as it is read.
type object struct {
	start, end int
	// Spans of members, relative to start. A message has a role, a block a type.
	role, typ, id, content, caller rawjson.Span

	kind   kind
	blocks []object        // of a message: those of its content, nil if that is not an array
	holds  [manyKinds]bool // by kind: whether the content has such a block

	// Of a message: how many calls that the API runs have no result in it, whether it has a result
	// of a call that is not in it, and whether code of the API's made calls in it.
	running             int
	resumes, programmed bool
}

// levels is the number of nested contents that are read: that of a message, and that of a result.
const levels = 2

// read reads the value at an offset, with contents to a depth, and returns the offset just past it.
// A value that is not an object has neither role nor type.
func (o *object) read(b []byte, at, depth int) (int, error) {
	o.start = at
	var err error
	if at >= len(b) || b[at] != '{' {
		o.end, err = rawjson.Skip(b, at)
		return o.end, err
	}
	var seen view.UniqueMembers
	o.end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		var member *rawjson.Span
		name := key.Of(b).TextBytes()
		if err := seen.Add(name); err != nil {
			return from, err
		}
		switch string(name) {
		case "role":
			member = &o.role
		case "type":
			member = &o.typ
		case "tool_use_id":
			member = &o.id
		case "content":
			member = &o.content
		case "caller":
			member = &o.caller
		default:
			return rawjson.Skip(b, from)
		}
		return view.ReadOnce(member, b, at, from, func(b []byte, from int) (int, error) {
			return o.value(b, from, depth, member == &o.content)
		})
	})
	o.kind = kindOf(o.typ.Of(b[at:]))
	return o.end, err
}

// value reads the value of a member.
func (o *object) value(b []byte, from, depth int, content bool) (int, error) {
	if !content || depth == 0 || from >= len(b) || b[from] != '[' {
		return rawjson.Skip(b, from)
	}
	return rawjson.WalkArray(b, from, func(at int) (int, error) {
		var block object
		end, err := block.read(b, at, depth-1)
		if o.hold(b, &block, depth); err == nil && len(o.blocks) > view.MaxMessages {
			err = view.ErrTooMany // each may become a message
		}
		return end, err
	})
}

// hold records a block of the content.
func (o *object) hold(b []byte, block *object, depth int) {
	o.holds[block.kind] = true
	if depth < levels {
		return
	}
	o.blocks = append(o.blocks, *block)
	switch block.kind {
	case call:
		o.programmed = o.programmed || isProgram(block.caller.Of(b[block.start:]))
	case hosted:
		o.running++
	case hostedEnd, found:
		if o.running == 0 {
			o.resumes = true
		} else {
			o.running--
		}
	}
}

// Message implements [view.Format]. An object with a role is a message, one with the type of a
// result is a result; anything else is a run of blocks.
func (format) Message(raw []byte) (view.Message, error) {
	var first object
	end, err := first.read(raw, 0, levels)
	switch {
	case err != nil:
		return view.Message{}, err
	case end == len(raw) && first.role.End != 0:
		return view.NewMessage(Format, raw, first.message(raw)), nil
	case end == len(raw) && first.kind == result:
		return view.NewMessage(Format, raw, first.result()), nil
	}
	var blocks []object
	err = rawjson.WalkRun(raw, func(at int) (int, error) {
		if at == 0 {
			blocks = append(blocks, first)
			return end, nil
		}
		var next object
		end, err := next.read(raw, at, levels)
		blocks = append(blocks, next)
		return end, err
	})
	return view.NewMessage(Format, raw, run(blocks)), err
}

func (format) Read(l *view.List, at int) (int, error) {
	var o object
	end, err := o.read(l.Body, at, levels)
	switch {
	case err != nil:
		return end, err
	case o.role.Of(l.Body[at:]).Kind() != rawjson.String:
		return end, view.ErrNoMessages
	case !o.splits(l.Body):
		raw := l.Body[at:end:end]
		l.Add(view.NewMessage(Format, raw, o.message(raw)), at)
		return end, nil
	}
	for i := 0; i < len(o.blocks); {
		next, fields := i+1, o.blocks[i].result()
		if o.blocks[i].kind != result {
			for next < len(o.blocks) && o.blocks[next].kind != result {
				next++
			}
			fields = run(o.blocks[i:next])
		}
		from, to := o.blocks[i].start, o.blocks[next-1].end
		l.Add(view.NewMessage(Format, l.Body[from:to:to], fields), from)
		i = next
	}
	return end, nil
}

// splits reports whether a message becomes several messages of the view: it is the user's, has
// results, and each of its blocks can be read on its own.
func (o *object) splits(body []byte) bool {
	if !o.holds[result] || !o.role.Of(body[o.start:]).Is(string(view.User)) {
		return false
	}
	for i := range o.blocks {
		if o.blocks[i].role.End != 0 || o.blocks[i].typ.End == 0 {
			return false
		}
	}
	return true
}

// message returns the fields of a whole message.
func (o *object) message(raw []byte) view.Fields {
	f := view.Fields{Role: view.RoleOf(o.role.Of(raw)), Content: o.content}
	switch f.Role {
	case view.User:
		f.Flags = o.flags(call, result, signed)
	case view.System:
		f.Flags = o.flags(call, result, signed)
	case view.Assistant:
		f.Flags = o.flags(result)
		if o.holds[signed] {
			f.Flags |= view.Signed
			if o.blocks[0].kind == signed {
				f.Flags |= view.StartsSigned
			}
		}
		if o.holds[call] {
			f.Calls = o.content
		}
		if o.holds[hosted] || o.holds[hostedEnd] {
			f.Flags |= view.Hosts
		}
		if o.running > 0 {
			f.Flags |= view.Defers
		}
		if o.resumes {
			f.Flags |= view.Resumes
		}
		if o.programmed {
			f.Flags |= view.Programmed
		}
	default:
		f.Flags = view.Unknown
	}
	return f
}

// flags returns the flags that follow from the blocks of the content. Blocks of the kinds in
// misplaced do not belong there.
func (o *object) flags(misplaced ...kind) (f view.Flags) {
	if o.holds[fixed] || o.holds[found] {
		f |= view.Fixed
	}
	if o.holds[unknown] {
		f |= view.Unknown
	}
	for _, k := range misplaced {
		if o.holds[k] {
			f |= view.Unknown
		}
	}
	return f
}

// result returns the fields of a tool_result.
func (o *object) result() view.Fields {
	return view.Fields{
		Role: view.Tool, Content: o.content, CallID: o.id, Flags: o.flags(call, result, signed),
	}
}

// run returns the fields of a run of blocks beside results.
func run(blocks []object) view.Fields {
	var all object
	for i := range blocks {
		all.holds[blocks[i].kind] = true
	}
	return view.Fields{Role: view.User, Flags: view.Several | all.flags(call, result, signed)}
}
