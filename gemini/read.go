package gemini

import (
	"math"

	"killick/rawjson"
	"killick/view"
)

// content is one element of the contents, as far as it is read.
type content struct {
	start, end  int
	role, parts rawjson.Span // relative to start
	list        []part
	holds       [kinds]bool // by kind: whether it has such a part
	nested      bool        // a part alone would look like a content
}

// read reads the content at an offset and returns the offset just past it.
func (c *content) read(b []byte, at int) (int, error) {
	c.start = at
	var err error
	if at >= len(b) || b[at] != '{' {
		c.end, err = rawjson.Skip(b, at)
		return c.end, err
	}
	c.end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		switch key.Of(b).Text() {
		case "role":
			return view.ReadOnce(&c.role, b, at, from, rawjson.Skip)
		case "parts":
			return view.ReadOnce(&c.parts, b, at, from, c.readParts)
		}
		return rawjson.Skip(b, from)
	})
	return c.end, err
}

func (c *content) readParts(b []byte, at int) (int, error) {
	if at >= len(b) || b[at] != '[' {
		return rawjson.Skip(b, at)
	}
	return rawjson.WalkArray(b, at, func(at int) (int, error) {
		var p part
		end, err := p.read(b, at)
		c.add(p)
		if err == nil && len(c.list) > view.MaxMessages {
			err = view.ErrTooMany // each may become a message
		}
		return end, err
	})
}

func (c *content) add(p part) {
	c.holds[p.kind] = true
	c.nested = c.nested || p.nested
	c.list = append(c.list, p)
}

// roleOf returns the author of a content. Results have the role function in older requests, and a
// content without a role is the user's.
func (c *content) roleOf(b []byte) view.Role {
	switch role := c.role.Of(b[c.start:]); {
	case role == nil, role.Is("user"), role.Is("function"):
		return view.User
	case role.Is("model"):
		return view.Assistant
	default:
		return view.Role(role.Text())
	}
}

func (format) Read(l *view.List, at int) (int, error) {
	var c content
	end, err := c.read(l.Body, at)
	switch {
	case err != nil:
		return end, err
	case c.parts.Of(l.Body[at:]).Kind() != rawjson.Array:
		return end, view.ErrNoMessages
	case c.roleOf(l.Body) != view.User || !c.holds[result] || c.nested:
		raw := l.Body[at:end:end]
		l.Add(view.NewMessage(Format, raw, c.message(l.Body)), at)
		return end, nil
	}
	answers := answersTo(l)
	for i := 0; i < len(c.list); {
		next, p := i+1, &c.list[i]
		var fields view.Fields
		if p.kind == result {
			fields = p.result()
			raw := l.Body[p.start:p.end]
			fields.Repeat = answers.repeat(p.name.Of(raw).Text(), p.id.Of(raw).Text())
		} else {
			for next < len(c.list) && c.list[next].kind != result {
				next++
			}
			fields = run(c.list[i:next])
		}
		from, to := p.start, c.list[next-1].end
		l.Add(view.NewMessage(Format, l.Body[from:to:to], fields), from)
		i = next
	}
	return end, nil
}

// Message implements [view.Format]. An object with parts is a content, one with a functionResponse
// is a result; anything else is a run of parts.
func (format) Message(raw []byte) (view.Message, error) {
	var c content
	end, err := c.read(raw, 0)
	if err == nil && end == len(raw) && c.parts.End != 0 {
		return view.NewMessage(Format, raw, c.message(raw)), nil
	}
	var list []part
	err = rawjson.WalkRun(raw, func(at int) (int, error) {
		var p part
		end, err := p.read(raw, at)
		list = append(list, p)
		return end, err
	})
	if err == nil && len(list) == 1 && list[0].kind == result {
		return view.NewMessage(Format, raw, list[0].result()), nil
	}
	return view.NewMessage(Format, raw, run(list)), err
}

// message returns the fields of a whole content.
func (c *content) message(b []byte) view.Fields {
	f := view.Fields{Role: c.roleOf(b), Content: c.parts}
	switch f.Role {
	case view.User:
		f.Flags = flagsOf(&c.holds, call, result, thought, own)
	case view.Assistant:
		f.Flags = flagsOf(&c.holds, result)
		if c.holds[call] {
			f.Calls = c.parts
		}
		if c.holds[own] {
			f.Flags |= view.Hosts
		}
	default:
		f.Flags = view.Unknown
	}
	return f
}

// run returns the fields of a run of parts beside results.
func run(list []part) view.Fields {
	var holds [kinds]bool
	for i := range list {
		holds[list[i].kind] = true
	}
	return view.Fields{
		Role: view.User, Flags: view.Several | flagsOf(&holds, call, result, thought, own),
	}
}

// result returns the fields of a functionResponse.
func (p *part) result() view.Fields {
	f := view.Fields{Role: view.Tool, Content: p.content, CallID: p.name}
	if p.content.End == 0 {
		f.Flags = view.Unknown
	}
	if p.failed {
		f.Flags |= view.Failed
	}
	return f
}

// flagsOf returns the flags that follow from the kinds of parts. Those in misplaced do not belong
// there.
func flagsOf(holds *[kinds]bool, misplaced ...kind) (f view.Flags) {
	if holds[unknown] {
		f = view.Unknown
	}
	for _, k := range misplaced {
		if holds[k] {
			f = view.Unknown
		}
	}
	return f
}

// answers tells the calls of a turn apart, which have names and often no ids. Clients give results
// ids of their own where the model gave the call none. A result without the id of a call answers
// the first call of its name that has no result yet.
type answers struct {
	turn  *view.Message   // the model's, nil if there is none
	calls map[string]int  // by name and id: how many calls of the name precede the call
	next  map[string]int  // by name: how many calls, from the first on, have results
	taken map[string]bool // the ids of the calls with results, as [view.RepeatedID] makes them
}

// answersTo returns the answers to the calls of the last model turn of a list.
func answersTo(l *view.List) *answers {
	a := &answers{next: map[string]int{}, taken: map[string]bool{}}
	for i := len(l.Messages) - 1; i >= max(0, len(l.Messages)-maxSplit); i-- {
		m := &l.Messages[i]
		if m.Role() == view.Assistant {
			a.turn = m
			break
		}
		if m.Role().Result() {
			a.taken[m.ToolCallID()] = true
		}
	}
	return a
}

// maxSplit is how many messages the results of one turn may be before a content with more of them.
// Clients send all results of a turn in one content, or each in its own.
const maxSplit = 32

// repeat returns how many calls of a name precede the one that a result answers.
func (a *answers) repeat(name, id string) uint16 {
	n, ok := a.withID(name, id)
	if !ok {
		for n = a.next[name]; a.taken[view.RepeatedID(name, n)]; n++ {
		}
		a.next[name] = n + 1
	}
	a.taken[view.RepeatedID(name, n)] = true
	return uint16(min(n, math.MaxUint16))
}

// withID returns how many calls of a name precede the one with an id. The calls are read once, and
// only if a result has an id.
func (a *answers) withID(name, id string) (n int, ok bool) {
	if id == "" || a.turn == nil {
		return 0, false
	}
	if a.calls == nil {
		a.calls = map[string]int{}
		before := map[string]int{}
		for _, c := range callsOf(a.turn) {
			name := c.Get("name").Text()
			if id := c.Get("id").Text(); id != "" {
				a.calls[name+"\x00"+id] = before[name]
			}
			before[name]++
		}
	}
	n, ok = a.calls[name+"\x00"+id]
	return n, ok
}
