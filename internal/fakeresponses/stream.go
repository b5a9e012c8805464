package fakeresponses

import (
	"killick/internal/fakeserver"
)

// events writes the events of one stream. Each has its type as its name, and a number.
type events struct {
	x *fakeserver.Exchange
	n int
}

// send writes an event of this many members.
func (e *events) send(typ string, members Object) {
	event := members.without()
	event["type"], event["sequence_number"] = typ, e.n
	e.n++
	e.x.Event(typ, fakeserver.EncodeJSON(event))
}

// stream answers as server-sent events. There is no [DONE].
func (a *answer) stream() {
	a.x.StartStream()
	e := &events{x: a.x}
	begun := Object{"response": a.response("in_progress", nil)}
	e.send("response.created", begun)
	e.send("response.in_progress", begun)
	for i, item := range a.items {
		e.item(i, item)
	}
	status := a.status()
	e.send("response."+status, Object{"response": a.response(status, a.items)})
	a.x.EndStream()
}

// place is where an event happens in the output.
type place struct {
	e     *events
	id    string
	index int
}

// send writes an event about the item.
func (p place) send(typ string, members Object) {
	all := members.without()
	all["item_id"], all["output_index"] = p.id, p.index
	p.e.send(typ, all)
}

// deltas writes a text in pieces, and then whole under the given name.
func (p place) deltas(typ, name, text string, members Object) {
	fakeserver.EachPiece(text, func(piece string) {
		all := members.without()
		all["delta"] = piece
		p.send(typ+".delta", all)
	})
	all := members.without()
	all[name] = text
	p.send(typ+".done", all)
}

// item writes the events of one item of the output.
func (e *events) item(index int, item Object) {
	p := place{e, item.Text("id"), index}
	begun := begin(item)
	e.send("response.output_item.added", Object{"output_index": index, "item": begun})
	switch item.Text("type") {
	case "message":
		for i, part := range item.Objects("content") {
			p.part(i, part)
		}
	case "reasoning":
		for i, part := range item.Objects("summary") {
			p.summary(i, part)
		}
	case "function_call":
		p.deltas("response.function_call_arguments", "arguments", item.Text("arguments"), nil)
	case "custom_tool_call":
		p.deltas("response.custom_tool_call_input", "input", item.Text("input"), nil)
	case "shell_call":
		p.commands(item.Object("action"))
	case "compaction":
		p.send("response.compaction.compacting", nil)
	}
	e.send("response.output_item.done", Object{"output_index": index, "item": item})
}

// part writes the events of one part of a message.
func (p place) part(i int, part Object) {
	empty := part.without()
	empty["text"] = ""
	p.send("response.content_part.added", Object{"content_index": i, "part": empty})
	p.deltas("response.output_text", "text", part.Text("text"),
		Object{"content_index": i, "logprobs": []any{}})
	p.send("response.content_part.done", Object{"content_index": i, "part": part})
}

// summary writes the events of one part of a reasoning item's summary.
func (p place) summary(i int, part Object) {
	at := Object{"summary_index": i}
	p.send("response.reasoning_summary_part.added", Object{"summary_index": i,
		"part": Object{"type": "summary_text", "text": ""}})
	p.deltas("response.reasoning_summary_text", "text", part.Text("text"), at)
	p.send("response.reasoning_summary_part.done", Object{"summary_index": i, "part": part})
}

// commands writes the events of the commands of a shell call, which name no item.
func (p place) commands(action Object) {
	list, _ := action["commands"].([]any)
	for i, v := range list {
		command, _ := v.(string)
		at := Object{"output_index": p.index, "command_index": i}
		send := func(typ, name, text string) {
			all := at.without()
			all[name] = text
			p.e.send("response.shell_call_command."+typ, all)
		}
		send("added", "command", "")
		fakeserver.EachPiece(command, func(piece string) { send("delta", "delta", piece) })
		send("done", "command", command)
	}
}

// begin is an item as its first event has it: without what comes later. The encrypted content of a
// reasoning item is not whole yet, so clients that take it from here lose it (openai-go v3.95.0,
// ResponseReasoningItem).
func begin(item Object) Object {
	begun := item.without()
	if item.Has("status") {
		begun["status"] = "in_progress"
	}
	switch item.Text("type") {
	case "message":
		begun["content"] = []any{}
	case "reasoning":
		begun["summary"] = []any{}
		begun["encrypted_content"] = item.Text("encrypted_content")[:len(sealPrefix)+16]
	case "function_call":
		begun["arguments"] = ""
	case "custom_tool_call":
		begun["input"] = ""
	}
	return begun
}
