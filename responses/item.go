package responses

import (
	"iter"

	"killick/rawjson"
	"killick/view"
)

// item is one item of the input.
type item struct {
	raw  rawjson.Value
	typ  string
	kind kind
	side side // the side of its kind, unless its members say otherwise
	role view.Role

	content, name, id, callID, approval, execution, caller rawjson.Span
	says                                                   rawjson.Span
}

// members are the members that decide how an item is read. None may be repeated.
type members struct {
	typ, role, content, name, id, callID, output, result, approval, execution, caller rawjson.Span
}

func (m *members) of(name []byte) *rawjson.Span {
	switch string(name) {
	case "type":
		return &m.typ
	case "role":
		return &m.role
	case "content":
		return &m.content
	case "name":
		return &m.name
	case "id":
		return &m.id
	case "call_id":
		return &m.callID
	case "output":
		return &m.output
	case "result":
		return &m.result
	case "approval_request_id":
		return &m.approval
	case "execution":
		return &m.execution
	case "caller":
		return &m.caller
	}
	return nil
}

// readItem reads the item that starts at b[at] and returns the offset just past it.
func readItem(b []byte, at int) (it item, end int, err error) {
	if at >= len(b) || b[at] != '{' {
		if end, err := rawjson.Skip(b, at); err != nil {
			return item{}, end, err
		}
		return item{}, at, view.ErrNoMessages
	}
	var m members
	var seen view.UniqueMembers
	end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		name := key.Of(b).TextBytes()
		if err := seen.Add(name); err != nil {
			return from, err
		}
		span := m.of(name)
		if span == nil {
			return rawjson.Skip(b, from)
		}
		return view.ReadOnce(span, b, at, from, skipValue)
	})
	if err != nil {
		return item{}, end, err
	}
	it.raw = b[at:end:end]
	it.classify(&m)
	return it, end, nil
}

// skipValue skips the value of a member, which holds parts, or outputs of commands.
func skipValue(b []byte, at int) (int, error) { return view.SkipUnique(b, at, 0) }

// classify sets the kind, side and role of an item with these members.
func (it *item) classify(m *members) {
	it.kind, it.typ = kindOf(m.typ.Of(it.raw))
	if kind := m.typ.Of(it.raw).Kind(); kind == rawjson.Absent || kind == rawjson.Null {
		switch { // EasyInputMessage, ItemReferenceParam
		case m.role.End != 0:
			it.typ = "message"
		case m.id.End != 0:
			it.typ = referenceType
		}
		it.kind = kinds[it.typ]
	}
	it.side = it.kind.side
	it.content, it.name, it.id, it.callID = m.content, m.name, m.id, m.callID
	it.approval, it.execution, it.caller = m.approval, m.execution, m.caller
	switch it.kind.says {
	case "output":
		it.says = m.output
	case "result":
		it.says = m.result
	}
	switch {
	case it.side == message:
		it.classifyMessage(view.RoleOf(m.role.Of(it.raw)))
	case it.kind.hosted && it.hosted():
		it.side = turn
	}
	switch it.side {
	case turn:
		it.role = view.Assistant
	case result:
		it.role = view.Tool
	case setting:
		it.role = view.Developer
	}
}

// classifyMessage sets the side and role of an item that is a message.
func (it *item) classifyMessage(role view.Role) {
	switch role {
	case view.Assistant:
		it.side = turn
	case view.User, view.System, view.Developer:
		it.role = role
	default:
		it.side = unknown
	}
}

// hosted reports whether the server makes the call and answers it.
func (it *item) hosted() bool {
	return len(it.callID.Of(it.raw).StringBody()) == 0 || it.execution.Of(it.raw).Is("server")
}

// byProgram reports whether the item is a call by a program that the API runs, or the result of
// one. Source: openai-go v3.95.0, ResponseFunctionToolCallCallerProgram and
// ResponseInputItemFunctionCallOutputCallerUnionParam.
func (it *item) byProgram() bool {
	return it.caller.End != 0 && it.caller.Of(it.raw).Get("type").Is("program")
}

// calls reports whether the item makes a call that another item answers.
func (it *item) calls() bool {
	return it.kind.call != nil && !(it.kind.hosted && it.hosted())
}

// isMessage reports whether the item is a message with a known role.
func (it *item) isMessage() bool { return it.typ == "message" && it.side != unknown }

// fields returns the fields of a message of the view that consists of this item alone.
func (it *item) fields() view.Fields {
	f := view.Fields{Role: it.role, Flags: it.flags()}
	if it.typ == reasoningType {
		f.Flags |= view.StartsSigned
	}
	if it.isMessage() {
		f.Content = it.content
	}
	if it.side == result {
		f.CallID, f.Name = it.answers(), it.name
		if it.kind.form != locked || it.typ == "computer_call_output" {
			f.Content = it.says
		}
	}
	if it.calls() {
		f.Calls = rawjson.SpanOf(0, len(it.raw))
	}
	return f
}

// answers returns the range of the id of the call that a result answers.
func (it *item) answers() rawjson.Span {
	switch {
	case it.approval.End != 0:
		return it.approval
	case it.callID.End == 0 && it.typ == "local_shell_call_output":
		return it.id // "the unique ID of the local shell tool call", as the call_id of the call
	}
	return it.callID
}

func (it *item) flags() (f view.Flags) {
	if it.kind.fixed {
		f |= view.Fixed
	}
	if it.side == unknown {
		f |= view.Unknown
	}
	if it.kind.ran != nil {
		f |= view.Hosts
	}
	if it.byProgram() {
		f |= view.Programmed
	}
	switch it.typ {
	case reasoningType:
		f |= view.Signed
	case referenceType:
		f |= view.Held
	}
	return f
}

// items yields the items in a message's raw text.
func items(raw []byte) iter.Seq[item] {
	return func(yield func(item) bool) {
		for at := rawjson.Space(raw, 0); at < len(raw); {
			it, end, err := readItem(raw, at)
			if err != nil || !yield(it) {
				return
			}
			if at = rawjson.Space(raw, end); at < len(raw) && raw[at] == ',' {
				at = rawjson.Space(raw, at+1)
			}
		}
	}
}
