package expand

import (
	"bytes"
	"strconv"
	"time"

	"killick/rawjson"
)

// responsesStream joins the rounds of a response into one stream: one id, items numbered from 0,
// events numbered without a gap.
//
// Reasoning is held back until the next item begins. The API rejects a reasoning item that is sent
// back without the item that it was made for, so the client must not get reasoning that a call of
// the tool follows. While waiting the client gets a keepalive now and then: some clients abort a
// stream without events (Codex after five minutes), and OpenAI sends these too (openai-node#1964,
// openai-java#776).
type responsesStream struct {
	now      func() time.Time
	quiet    time.Time     // since when anything is held, or time of the last keepalive
	later    bool          // a round after the first
	id       rawjson.Value // of the first round's response
	sequence int           // of the next event
	numbered bool          // the first event was seen
	visible  []byte        // items that the client got, of all rounds, as elements
	sent     int           // how many they are

	r       round
	items   []item
	number  map[int]int // of the client, by the round's index; -1 for what it does not get
	held    []event     // of reasoning
	holding map[int]bool
	last    []event // the event that ends the response

	done, completed bool
	broken          bool
	size            int
}

// item is an item of the round's output.
type item struct {
	index int
	typ   string
	ours  bool
	raw   []byte // once it is whole
}

func (s *responsesStream) ended() bool { return s.done }

func (s *responsesStream) next() {
	*s = responsesStream{now: s.now, later: true, id: s.id, sequence: s.sequence,
		numbered: s.numbered, visible: s.visible, sent: s.sent}
}

func (s *responsesStream) event(dst []byte, e *event) []byte {
	data := rawjson.Value(bytes.TrimSpace(e.data))
	if data.Kind() != rawjson.Object {
		return append(dst, e.raw...)
	}
	if n, ok := data.Get("sequence_number").Int(); ok && !s.numbered {
		s.sequence, s.numbered = n, true
	}
	kind := data.Get("type").Text()
	switch kind {
	case "response.created", "response.queued", "response.in_progress":
		if s.later {
			return dst
		}
		if id := data.Get("response").Get("id"); s.id == nil && id != nil {
			s.id = bytes.Clone(id)
		}
	case "response.completed", "response.incomplete", "response.failed", "error":
		s.done, s.completed = true, kind == "response.completed"
		s.last = append(s.last, e.clone())
		return dst
	case "response.output_item.added":
		dst = s.added(dst, data)
	case "response.output_item.done":
		s.whole(data)
	}
	at := data.Get("output_index")
	if at == nil {
		return s.numberedAnew(dst, e, data, nil)
	}
	index, _ := at.Int()
	if s.holding[index] {
		if s.take(e.raw); !s.broken {
			s.held = append(s.held, e.clone())
			return s.keepAlive(dst)
		}
		dst = s.release(dst)
	}
	return s.emit(dst, e, data, index)
}

// keepAliveAfter is the interval of keepalives while reasoning is held.
const keepAliveAfter = time.Minute

// keepAlive appends an empty event, if the client has got none for a while.
func (s *responsesStream) keepAlive(dst []byte) []byte {
	now := s.now()
	if s.quiet.IsZero() {
		s.quiet = now
	}
	if now.Sub(s.quiet) < keepAliveAfter {
		return dst
	}
	s.quiet = now
	dst = append(dst, "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":"...)
	dst = strconv.AppendInt(dst, int64(s.sequence), 10)
	s.sequence++
	return append(dst, "}\n\n"...)
}

// emit appends an event of an item with the numbers that it has for the client.
func (s *responsesStream) emit(dst []byte, e *event, data rawjson.Value, index int) []byte {
	number, known := s.number[index]
	switch {
	case known && number < 0:
		return dst
	case !known || number == index:
		return s.numberedAnew(dst, e, data, nil)
	}
	return s.numberedAnew(dst, e, data, map[string]rawjson.Value{
		"output_index": strconv.AppendInt(nil, int64(number), 10)})
}

// numberedAnew appends an event with the next number and these members.
func (s *responsesStream) numberedAnew(
	dst []byte, e *event, data rawjson.Value, set map[string]rawjson.Value,
) []byte {
	s.quiet = time.Time{}
	if n, ok := data.Get("sequence_number").Int(); ok {
		if n != s.sequence {
			if set == nil {
				set = map[string]rawjson.Value{}
			}
			set["sequence_number"] = strconv.AppendInt(nil, int64(s.sequence), 10)
		}
		s.sequence++
	}
	if len(set) == 0 {
		return append(dst, e.raw...)
	}
	return appendEvent(dst, e, rawjson.WithMembers(data, set))
}

// added begins an item. Reasoning that was held before it is sent, or dropped if the item is a call
// of the tool.
func (s *responsesStream) added(dst []byte, data rawjson.Value) []byte {
	if s.number == nil {
		s.number, s.holding = map[int]int{}, map[int]bool{}
	}
	index, _ := data.Get("output_index").Int()
	of := data.Get("item")
	it := item{index: index, typ: of.Get("type").Text()}
	it.ours = it.typ == "function_call" && of.Get("name").Is(Name)
	s.items = append(s.items, it)
	switch {
	case it.ours:
		for reasoning := range s.holding {
			s.number[reasoning] = -1
		}
		clear(s.holding)
		s.held = nil
		s.number[index] = -1
		return dst
	case it.typ == "reasoning" && !s.broken:
		s.holding[index] = true
		return dst
	}
	dst = s.release(dst)
	s.number[index] = s.sent
	s.sent++
	return dst
}

// release gives the client the reasoning that was held.
func (s *responsesStream) release(dst []byte) []byte {
	for i := range s.items {
		if it := &s.items[i]; s.holding[it.index] {
			s.number[it.index] = s.sent
			s.sent++
			s.see(it.raw)
		}
	}
	clear(s.holding)
	for i := range s.held {
		e := &s.held[i]
		data := rawjson.Value(bytes.TrimSpace(e.data))
		index, _ := data.Get("output_index").Int()
		dst = s.emit(dst, e, data, index)
	}
	s.held = nil
	return dst
}

// see notes an item that the client gets, nil for one that is not whole yet.
func (s *responsesStream) see(raw []byte) {
	if raw != nil {
		s.visible = appendElement(s.visible, raw)
	}
}

// whole takes an item that is whole.
func (s *responsesStream) whole(data rawjson.Value) {
	index, _ := data.Get("output_index").Int()
	for i := range s.items {
		if it := &s.items[i]; it.index == index && it.raw == nil {
			it.raw = bytes.Clone(data.Get("item"))
			s.take(it.raw)
			if number, known := s.number[index]; known && number >= 0 {
				s.see(it.raw)
			}
		}
	}
}

// take counts what is held.
func (s *responsesStream) take(piece []byte) {
	s.size += len(piece)
	s.broken = s.broken || s.size > maxReply
}

func (s *responsesStream) round() *round {
	s.r = round{proper: s.completed}
	for i := range s.items {
		switch it := &s.items[i]; {
		case it.ours && it.raw == nil:
			s.r.proper = false
		case it.ours:
			s.r.calls = append(s.r.calls, itemCall(it.raw))
		case clientRuns(it.typ):
			s.r.others++
		}
	}
	return &s.r
}

// itemCall returns an item of the tool as a call.
func itemCall(raw rawjson.Value) call {
	return call{id: raw.Get("call_id"), arguments: wholeJSON([]byte(raw.Get("arguments").Text()))}
}

// clientRuns reports whether the client must answer an item of this type. For unknown types, it
// returns true.
func clientRuns(typ string) bool {
	switch typ {
	case "message", "reasoning", "compaction", "web_search_call", "file_search_call",
		"code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools":
		return false
	}
	return true
}

func (s *responsesStream) turn() ([]byte, bool) {
	var out []byte
	for i := range s.items {
		it := &s.items[i]
		if it.raw == nil {
			s.broken = true
			continue
		}
		out = appendItem(out, it.raw)
	}
	return out, !s.broken
}

// appendItem appends an item as an element of a conversation. Reasoning that can only be read with
// the server's store is left out: with store: false there is none.
func appendItem(out []byte, raw rawjson.Value) []byte {
	if raw.Get("type").Is("reasoning") && len(raw.Get("encrypted_content").StringBody()) == 0 {
		return out
	}
	return appendElement(out, raw)
}

func (s *responsesStream) finish(dst []byte) []byte {
	dst = s.release(dst)
	for i := range s.last {
		e := &s.last[i]
		data := rawjson.Value(bytes.TrimSpace(e.data))
		set := map[string]rawjson.Value{}
		if response := data.Get("response"); response.Kind() == rawjson.Object &&
			(s.later || len(s.r.calls) > 0) {
			own := map[string]rawjson.Value{"output": arrayOf(s.visible)}
			if s.id != nil && response.Get("id") != nil {
				own["id"] = s.id
			}
			set["response"] = rawjson.WithMembers(response, own)
		}
		dst = s.numberedAnew(dst, e, data, set)
	}
	return dst
}
