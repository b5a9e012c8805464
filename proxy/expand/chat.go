package expand

import (
	"bytes"
	"strconv"

	"killick/rawjson"
)

// chatStream joins the rounds of a chat completion into one stream of chunks. The client gets one
// id, one role, and calls numbered from 0.
type chatStream struct {
	id      rawjson.Value // of the first chunk
	created rawjson.Value
	role    bool // was sent
	later   bool // a round after the first

	r    round
	said chatTurn
	held ending // chunks from the one with the finish_reason on
	done bool
	fail bool // the round shows an error
}

func (c *chatStream) ended() bool { return c.done }

func (c *chatStream) next() {
	*c = chatStream{id: c.id, created: c.created, role: c.role, later: true}
}

func (c *chatStream) event(dst []byte, e *event) []byte {
	data := bytes.TrimSpace(e.data)
	if string(data) == "[DONE]" {
		c.done = true
		c.held.add(e.clone())
		return dst
	}
	chunk := rawjson.Value(data)
	if chunk.Kind() != rawjson.Object {
		return append(dst, e.raw...)
	}
	c.fail = c.fail || chunk.Get("error").Kind() > rawjson.Null
	if c.id == nil {
		c.id, c.created = bytes.Clone(chunk.Get("id")), bytes.Clone(chunk.Get("created"))
	}
	choice, more := first(chunk.Get("choices"))
	if more {
		c.fail = true
	}
	next, keep := data, true
	if choice != nil {
		next, keep = c.chunk(data, choice)
	}
	if c.later {
		next = rawjson.WithMembers(next, c.shared(chunk))
	}
	if choice.Get("finish_reason").Kind() == rawjson.String || len(c.held.events) > 0 {
		if full := c.held.add(parse(appendEvent(nil, e, next))); full {
			c.done, c.fail = true, true
		}
		return dst
	}
	if !keep {
		return dst
	}
	return appendEvent(dst, e, next)
}

// shared are the members of a chunk that all chunks of a completion have in common.
func (c *chatStream) shared(chunk rawjson.Value) map[string]rawjson.Value {
	set := map[string]rawjson.Value{}
	if c.id != nil && chunk.Get("id") != nil {
		set["id"] = c.id
	}
	if c.created != nil && chunk.Get("created") != nil {
		set["created"] = c.created
	}
	return set
}

// chunk reads a chunk and returns it as the client gets it; keep is false if nothing is left.
func (c *chatStream) chunk(data []byte, choice rawjson.Value) (next []byte, keep bool) {
	delta := choice.Get("delta")
	c.said.add(delta)
	set, held := map[string]rawjson.Value{}, false
	if calls := delta.Get("tool_calls"); calls.Kind() == rawjson.Array {
		kept, dropped := c.said.addCalls(calls)
		held = dropped && kept == nil
		if dropped {
			set["tool_calls"] = kept
		}
	}
	if delta.Get("role") != nil {
		if c.role {
			set["role"] = nil
		}
		c.role = true
	}
	if len(set) == 0 {
		return data, true
	}
	edited := rawjson.Value(rawjson.WithMembers(delta, set))
	choice = rawjson.WithMembers(choice, map[string]rawjson.Value{"delta": edited})
	next = rawjson.WithMembers(data, map[string]rawjson.Value{"choices": arrayOf(choice)})
	return next, !held || says(edited)
}

// says reports whether a delta has a member that is not null.
func says(delta rawjson.Value) bool {
	for _, v := range delta.Members() {
		if v.Kind() > rawjson.Null {
			return true
		}
	}
	return false
}

func (c *chatStream) round() *round {
	reason := c.reason()
	c.r = round{proper: !c.fail && (reason.Is("tool_calls") || reason.Is("stop"))}
	for i := range c.said.calls {
		if c.said.calls[i].ours {
			c.r.calls = append(c.r.calls, c.said.call(i))
		} else {
			c.r.others++
		}
	}
	return &c.r
}

func (c *chatStream) reason() rawjson.Value {
	for i := range c.held.events {
		choice, _ := first(rawjson.Value(bytes.TrimSpace(c.held.events[i].data)).Get("choices"))
		if reason := choice.Get("finish_reason"); reason.Kind() == rawjson.String {
			return reason
		}
	}
	return nil
}

func (c *chatStream) turn() ([]byte, bool) { return c.said.message() }

func (c *chatStream) finish(dst []byte) []byte {
	stopped := len(c.r.calls) > 0 && c.r.others == 0
	for i := range c.held.events {
		e := &c.held.events[i]
		data := bytes.TrimSpace(e.data)
		choice, _ := first(rawjson.Value(data).Get("choices"))
		if !stopped || !choice.Get("finish_reason").Is("tool_calls") {
			dst = append(dst, e.raw...)
			continue
		}
		choice = rawjson.WithMembers(choice, map[string]rawjson.Value{
			"finish_reason": rawjson.Value(`"stop"`)})
		dst = appendEvent(dst, e, rawjson.WithMembers(data, map[string]rawjson.Value{
			"choices": arrayOf(choice)}))
	}
	return dst
}

// first returns the first element of an array, and whether there are more.
func first(array rawjson.Value) (v rawjson.Value, more bool) {
	for element := range array.Elements() {
		if v != nil {
			return v, true
		}
		v = element
	}
	return v, false
}

// chatTurn is the message of a model, gathered from its deltas.
type chatTurn struct {
	texts   [len(chatTexts)][]byte // escaped, without quotes
	details []byte                 // elements of reasoning_details
	calls   []chatCall
	at      map[int]int // in calls, by the upstream's number
	others  int         // calls that the client gets
	size    int
}

// chatTexts are the members of a message that come in pieces. Some upstreams demand the reasoning
// of a running turn back: https://api-docs.deepseek.com/guides/thinking_mode.
var chatTexts = [...]string{"content", "refusal", "reasoning_content", "reasoning"}

type chatCall struct {
	index     int    // as the upstream numbers it
	ours      bool   // it is a call of the tool
	number    int    // of those that the client gets
	entry     []byte // its first delta, without what later ones add
	arguments []byte // escaped, without quotes
}

func (t *chatTurn) add(delta rawjson.Value) {
	for i, name := range chatTexts {
		if piece := delta.Get(name).StringBody(); piece != nil && t.room(piece) {
			t.texts[i] = append(t.texts[i], piece...)
		}
	}
	for element := range delta.Get("reasoning_details").Elements() {
		if t.room(element) {
			t.details = appendElement(t.details, element)
		}
	}
}

// room reports whether the turn has room for a piece.
func (t *chatTurn) room(piece []byte) bool {
	t.size += len(piece)
	return t.size <= maxReply
}

// addCalls takes the pieces of calls in a delta and returns those that are the client's, nil for
// none. changed says that they are not the array that came.
func (t *chatTurn) addCalls(array rawjson.Value) (kept rawjson.Value, changed bool) {
	for piece := range array.Elements() {
		call := t.addCall(piece)
		if call.ours {
			changed = true
			continue
		}
		if call.number != call.index {
			changed = true
			piece = rawjson.WithMembers(piece, map[string]rawjson.Value{
				"index": strconv.AppendInt(nil, int64(call.number), 10)})
		}
		kept = appendElement(kept, piece)
	}
	if kept != nil {
		kept = arrayOf(kept)
	}
	return kept, changed
}

func (t *chatTurn) addCall(piece rawjson.Value) *chatCall {
	index, numbered := piece.Get("index").Int()
	function := piece.Get("function")
	if !numbered { // some upstreams send whole calls without one
		index = len(t.calls)
	}
	at, known := t.at[index]
	if !known {
		at = t.beginCall(index, numbered, function.Get("name").Is(Name))
	}
	call := &t.calls[at]
	if !t.room(piece) {
		return call
	}
	call.arguments = append(call.arguments, function.Get("arguments").StringBody()...)
	if call.entry == nil {
		call.entry = bytes.Clone(piece)
		return call
	}
	more := map[string]rawjson.Value{}
	for key, value := range piece.Members() {
		name := key.Text()
		if name != "index" && name != "function" && value.Kind() > rawjson.Null {
			more[name] = value
		}
	}
	if len(more) > 0 {
		call.entry = rawjson.WithMembers(call.entry, more)
	}
	return call
}

// beginCall adds a call and returns its place in calls.
func (t *chatTurn) beginCall(index int, numbered, ours bool) (at int) {
	c := chatCall{index: index, number: t.others, ours: ours}
	if !numbered {
		c.number = index // nothing is numbered again
	}
	if !ours {
		t.others++
	}
	if t.at == nil {
		t.at = map[int]int{}
	}
	at = len(t.calls)
	t.at[index] = at
	t.calls = append(t.calls, c)
	return at
}

// call returns call i as a call of the tool.
func (t *chatTurn) call(i int) call {
	c := &t.calls[i]
	text := rawjson.Value(append(append([]byte{'"'}, c.arguments...), '"')).Text()
	id := rawjson.Value(c.entry).Get("id")
	if len(id.StringBody()) == 0 {
		id = rawjson.AppendQuoted(nil, "call_"+strconv.Itoa(i))
	}
	return call{id: id, arguments: wholeJSON([]byte(text))}
}

// wholeJSON returns text if it is one JSON object, else an empty one.
func wholeJSON(text []byte) []byte {
	start := rawjson.Space(text, 0)
	end, err := rawjson.Skip(text, start)
	if err != nil || rawjson.Space(text, end) != len(text) || text[start] != '{' {
		return []byte("{}")
	}
	return text[start:end]
}

// message returns the turn as a message.
func (t *chatTurn) message() ([]byte, bool) {
	if t.size > maxReply {
		return nil, false
	}
	b := []byte(`{"role":"assistant"`)
	for i, name := range chatTexts {
		switch {
		case len(t.texts[i]) > 0:
			b = append(append(append(b, `,"`...), name...), `":"`...)
			b = append(append(b, t.texts[i]...), '"')
		case name == "content":
			b = append(b, `,"content":null`...)
		}
	}
	if len(t.details) > 0 {
		b = append(append(append(b, `,"reasoning_details":[`...), t.details...), ']')
	}
	b = append(b, `,"tool_calls":[`...)
	for i := range t.calls {
		if i > 0 {
			b = append(b, ',')
		}
		made := t.call(i)
		entry := rawjson.Value(t.calls[i].entry)
		function := rawjson.WithMembers(entry.Get("function"), map[string]rawjson.Value{
			"arguments": rawjson.AppendQuoted(nil, string(made.arguments))})
		b = append(b, rawjson.WithMembers(entry, map[string]rawjson.Value{
			"index": nil, "id": made.id, "function": function})...)
	}
	return append(b, `]}`...), true
}
