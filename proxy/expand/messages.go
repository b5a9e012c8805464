package expand

import (
	"bytes"
	"slices"
	"strconv"

	"killick/rawjson"
)

// messagesStream joins the rounds of a message into one stream: one message_start, blocks numbered
// from 0, one message_delta and one message_stop.
type messagesStream struct {
	dropThinking bool
	later        bool // a round after the first
	sent         int  // blocks that the client got, of all rounds
	// The client got thinking of this round, and of one before. After that it gets none: to models
	// of any age it would be a turn whose thinking was changed.
	thought, thoughtBefore bool

	r      round
	blocks []block
	number map[int]int // of the client, by the round's index; -1 for what it does not get
	at     map[int]int // in blocks
	called bool        // a call of the tool has begun
	held   ending      // from message_delta on
	stop   bool        // the message asks for results
	done   bool
	broken bool // something was received that cannot be reproduced
	size   int
}

func (m *messagesStream) ended() bool { return m.done }

func (m *messagesStream) next() {
	*m = messagesStream{dropThinking: m.dropThinking, later: true, sent: m.sent,
		thoughtBefore: m.thoughtBefore || m.thought}
}

func (m *messagesStream) event(dst []byte, e *event) []byte {
	data := rawjson.Value(bytes.TrimSpace(e.data))
	index, _ := data.Get("index").Int()
	switch kind := data.Get("type").Text(); kind {
	case "message_start":
		if m.later {
			return dst
		}
	case "content_block_start":
		m.start(index, data.Get("content_block"))
		return m.indexed(dst, e, data, index)
	case "content_block_delta":
		m.delta(index, data.Get("delta"))
		return m.indexed(dst, e, data, index)
	case "content_block_stop":
		return m.indexed(dst, e, data, index)
	case "message_delta":
		m.stop = data.Get("delta").Get("stop_reason").Is("tool_use")
		if full := m.held.add(e.clone()); full {
			m.done, m.broken = true, true
		}
		return dst
	case "message_stop":
		m.done = true
		m.held.add(e.clone())
		return dst
	case "error":
		m.broken = true
	}
	return append(dst, e.raw...)
}

// indexed appends an event of a block with the number that it has for the client.
func (m *messagesStream) indexed(dst []byte, e *event, data rawjson.Value, index int) []byte {
	number, known := m.number[index]
	switch {
	case !known || number == index:
		return append(dst, e.raw...)
	case number < 0:
		return dst
	}
	return appendEvent(dst, e, rawjson.WithMembers(data, map[string]rawjson.Value{
		"index": strconv.AppendInt(nil, int64(number), 10)}))
}

// start begins a block.
func (m *messagesStream) start(index int, content rawjson.Value) {
	if m.number == nil {
		m.number, m.at = map[int]int{}, map[int]int{}
	}
	b := block{start: bytes.Clone(content), typ: content.Get("type").Text()}
	b.ours = b.typ == "tool_use" && content.Get("name").Is(Name)
	m.called = m.called || b.ours
	m.at[index] = len(m.blocks)
	m.blocks = append(m.blocks, b)
	m.take(content)
	thinking := isThinking(b.typ)
	if b.ours || thinking && (m.thoughtBefore || m.dropThinking && (m.later || m.called)) {
		m.number[index] = -1
		return
	}
	m.thought = m.thought || thinking
	m.number[index] = m.sent
	m.sent++
}

func isThinking(typ string) bool { return typ == "thinking" || typ == "redacted_thinking" }

// take counts what is held.
func (m *messagesStream) take(piece []byte) {
	m.size += len(piece)
	m.broken = m.broken || m.size > maxReply
}

// delta adds to a block. Unknown deltas cannot be reproduced.
func (m *messagesStream) delta(index int, delta rawjson.Value) {
	at, ok := m.at[index]
	if m.take(delta); !ok || m.broken {
		return
	}
	b := &m.blocks[at]
	switch kind := delta.Get("type"); {
	case kind.Is("text_delta"):
		b.add("text", delta.Get("text"))
	case kind.Is("thinking_delta"):
		b.add("thinking", delta.Get("thinking"))
	case kind.Is("signature_delta"):
		b.add("signature", delta.Get("signature"))
	case kind.Is("input_json_delta"):
		b.input = delta.Get("partial_json").AppendText(b.input)
	case kind.Is("citations_delta"):
		b.citations = appendElement(b.citations, delta.Get("citation"))
	default:
		m.broken = true
	}
}

func (m *messagesStream) round() *round {
	m.r = round{proper: m.stop && !m.broken}
	for i := range m.blocks {
		switch b := &m.blocks[i]; {
		case b.ours:
			m.r.calls = append(m.r.calls, call{id: rawjson.Value(b.start).Get("id"),
				arguments: wholeJSON(b.arguments())})
		case b.typ == "tool_use":
			m.r.others++
		}
	}
	return &m.r
}

func (m *messagesStream) turn() ([]byte, bool) {
	var content []byte
	for i := range m.blocks {
		b, ok := m.blocks[i].whole()
		if !ok {
			m.broken = true
		}
		if b != nil {
			content = appendElement(content, b)
		}
	}
	return slices.Concat([]byte(`{"role":"assistant","content":[`), content, []byte(`]}`)),
		!m.broken
}

func (m *messagesStream) finish(dst []byte) []byte {
	for i := range m.held.events {
		e := &m.held.events[i]
		data := rawjson.Value(bytes.TrimSpace(e.data))
		if delta := data.Get("delta"); len(m.r.calls) > 0 && m.r.others == 0 &&
			delta.Get("stop_reason").Is("tool_use") {
			data = rawjson.WithMembers(data, map[string]rawjson.Value{"delta": rawjson.WithMembers(
				delta, map[string]rawjson.Value{"stop_reason": rawjson.Value(`"end_turn"`)})})
		}
		dst = appendEvent(dst, e, data)
	}
	return dst
}

// block is a block of a message, gathered from its events.
type block struct {
	typ       string
	ours      bool
	start     []byte // as content_block_start has it
	texts     map[string][]byte
	input     []byte // JSON text
	citations []byte // elements
}

// add adds a piece of a text, as it is escaped.
func (b *block) add(name string, piece rawjson.Value) {
	if b.texts == nil {
		b.texts = map[string][]byte{}
	}
	b.texts[name] = append(b.texts[name], piece.StringBody()...)
}

// arguments are the input of a call.
func (b *block) arguments() []byte {
	if len(b.input) == 0 {
		return rawjson.Value(b.start).Get("input")
	}
	return b.input
}

// whole returns the complete block of a message, nil for an empty text, which no upstream accepts.
func (b *block) whole() (raw []byte, ok bool) {
	set := map[string]rawjson.Value{}
	for name, text := range b.texts {
		had := rawjson.Value(b.start).Get(name).StringBody()
		set[name] = append(append(append([]byte{'"'}, had...), text...), '"')
	}
	if len(b.citations) > 0 {
		set["citations"] = arrayOf(b.citations)
	}
	if len(b.input) > 0 {
		input := wholeJSON(b.input)
		if len(input) < len(bytes.TrimSpace(b.input)) && !b.ours {
			return nil, false
		}
		set["input"] = input
	}
	raw = rawjson.WithMembers(b.start, set)
	if b.typ == "text" && len(rawjson.Value(raw).Get("text").StringBody()) == 0 {
		return nil, true
	}
	return raw, true
}
