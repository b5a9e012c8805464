package expand

import (
	"bytes"
	"slices"

	"killick/proxy/format"
	"killick/rawjson"
)

// whole is the content of a reply that is not streamed.
type whole struct {
	format format.Format
	round
	turn []byte // the model's turn, as elements of a conversation
	// running are calls of the Messages API's own tools whose results the next round begins with.
	running []rawjson.Value
}

// readWhole reads the body of a reply.
func readWhole(f format.Format, body []byte) *whole {
	w := &whole{format: f}
	reply := rawjson.Value(bytes.TrimSpace(body))
	switch f {
	case format.Messages:
		w.readMessage(reply)
	case format.Responses:
		w.readResponse(reply)
	default:
		w.readCompletion(reply)
	}
	return w
}

func (w *whole) readCompletion(reply rawjson.Value) {
	choice, more := first(reply.Get("choices"))
	message, reason := choice.Get("message"), choice.Get("finish_reason")
	for entry := range message.Get("tool_calls").Elements() {
		function := entry.Get("function")
		if !function.Get("name").Is(Name) {
			w.others++
			continue
		}
		w.calls = append(w.calls, call{id: entry.Get("id"),
			arguments: wholeJSON([]byte(function.Get("arguments").Text()))})
		more = more || len(entry.Get("id").StringBody()) == 0
	}
	w.turn = message
	w.proper = !more && (reason.Is("tool_calls") || reason.Is("stop"))
}

func (w *whole) readMessage(reply rawjson.Value) {
	for b := range reply.Get("content").Elements() {
		switch typ := b.Get("type"); {
		case typ.Is("server_tool_use"), typ.Is("mcp_tool_use"):
			w.running = append(w.running, b)
		case !typ.Is("tool_use"):
			id := b.Get("tool_use_id")
			w.running = slices.DeleteFunc(w.running, func(call rawjson.Value) bool {
				return id != nil && bytes.Equal(call.Get("id"), id)
			})
		case b.Get("name").Is(Name):
			w.calls = append(w.calls, call{id: b.Get("id"), arguments: b.Get("input")})
		default:
			w.others++
		}
	}
	w.turn = append(append([]byte(`{"role":"assistant","content":`), reply.Get("content")...), '}')
	w.proper = reply.Get("stop_reason").Is("tool_use")
}

func (w *whole) readResponse(reply rawjson.Value) {
	for it := range reply.Get("output").Elements() {
		w.turn = appendItem(w.turn, it)
		switch {
		case it.Get("type").Is("function_call") && it.Get("name").Is(Name):
			w.calls = append(w.calls, itemCall(it))
		case clientRuns(it.Get("type").Text()):
			w.others++
		}
	}
	w.proper = reply.Get("status").Is("completed")
}

// without returns the body without what the client must not get: calls of the tool, and with
// dropThinking the thinking after one; later means that the whole reply follows one. before are
// blocks of earlier rounds that belong before its content.
func (w *whole) without(
	body []byte, dropThinking, later bool, before []rawjson.Value,
) []byte {
	if len(w.calls) == 0 && !(later && dropThinking) && len(before) == 0 {
		return body
	}
	reply := rawjson.Value(bytes.TrimSpace(body))
	stopped := len(w.calls) > 0 && w.others == 0
	switch w.format {
	case format.Messages:
		called := later
		set := map[string]rawjson.Value{"content": kept(before, reply.Get("content"),
			func(b rawjson.Value) bool {
				if b.Get("type").Is("tool_use") && b.Get("name").Is(Name) {
					called = true
					return false
				}
				return !called || !dropThinking || !isThinking(b.Get("type").Text())
			})}
		if stopped && reply.Get("stop_reason").Is("tool_use") {
			set["stop_reason"] = rawjson.Value(`"end_turn"`)
		}
		return rawjson.WithMembers(body, set)
	case format.Responses:
		return rawjson.WithMembers(body, map[string]rawjson.Value{
			"output": keptItems(reply.Get("output"))})
	}
	choice, _ := first(reply.Get("choices"))
	message := choice.Get("message")
	calls := kept(nil, message.Get("tool_calls"), func(entry rawjson.Value) bool {
		return !entry.Get("function").Get("name").Is(Name)
	})
	if stopped {
		calls = nil
	}
	set := map[string]rawjson.Value{"message": rawjson.WithMembers(message,
		map[string]rawjson.Value{"tool_calls": calls})}
	if stopped && choice.Get("finish_reason").Is("tool_calls") {
		set["finish_reason"] = rawjson.Value(`"stop"`)
	}
	return rawjson.WithMembers(body, map[string]rawjson.Value{
		"choices": arrayOf(rawjson.WithMembers(choice, set))})
}

// kept returns the array of some elements and, after them, those of an array that are kept.
func kept(
	before []rawjson.Value, array rawjson.Value, keep func(rawjson.Value) bool,
) rawjson.Value {
	var out []byte
	for _, element := range before {
		out = appendElement(out, element)
	}
	for element := range array.Elements() {
		if keep(element) {
			out = appendElement(out, element)
		}
	}
	return arrayOf(out)
}

// appendElement appends an element, or several, to those of an array.
func appendElement(elements, element []byte) []byte {
	if len(elements) > 0 {
		elements = append(elements, ',')
	}
	return append(elements, element...)
}

// arrayOf returns the array of these elements.
func arrayOf(elements []byte) []byte { return slices.Concat([]byte{'['}, elements, []byte{']'}) }

// keptItems are the items of an output without the calls of the tool and the reasoning that each
// was made after.
func keptItems(output rawjson.Value) rawjson.Value {
	var held, out []byte
	for it := range output.Elements() {
		switch typ := it.Get("type"); {
		case typ.Is("reasoning"):
			held = appendElement(held, it)
			continue
		case typ.Is("function_call") && it.Get("name").Is(Name):
			held = nil
			continue
		}
		if held != nil {
			out, held = appendElement(out, held), nil
		}
		out = appendElement(out, it)
	}
	if held != nil {
		out = appendElement(out, held)
	}
	return arrayOf(out)
}
