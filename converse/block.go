package converse

import (
	"killick/rawjson"
	"killick/view"
)

// kind is how a block must be treated when a conversation is edited.
type kind uint8

const (
	unknown   kind = iota
	text           // and the JSON of a result
	plain          // images, documents and the like
	call           // a result in the next message of the user answers it
	result         // the result of a call
	signed         // what the model thought; its signature covers the messages before it
	fixed          // a guardrail assesses it, and nothing else if there is one
	mark           // a cache point
	hosted         // a call of a tool that the server runs
	hostedEnd      // the result of one
	kinds
)

// kindOf returns the kind of a block with a member of this name. Source: botocore's model of
// bedrock-runtime, ContentBlock and ToolResultContentBlock.
func kindOf(name string) kind {
	switch name {
	case "text", "json":
		return text
	case "image", "document", "video", "audio", "searchResult", "citationsContent":
		return plain
	case "toolUse":
		return call
	case "toolResult":
		return result
	case "reasoningContent":
		return signed
	case "guardContent":
		return fixed
	case "cachePoint":
		return mark
	}
	return unknown
}

// block is one block of a content, as far as it is read.
type block struct {
	start, end int
	kind       kind
	name, data rawjson.Span // its only member: the name and the value; relative to start
	nested     bool         // it has members of a message, so that alone it would look like one

	// Of a call or a result, relative to start like data.
	id, tool, input, content, status, typ rawjson.Span
	holds                                 [kinds]bool // by kind: whether it has such a block
}

// levels is the number of nested contents that are read: that of a message, and that of a result.
const levels = 2

// read reads the block at an offset, with contents to a depth, and returns the offset just past it.
func (k *block) read(b []byte, at, depth int) (int, error) {
	k.start = at
	var err error
	if at >= len(b) || b[at] != '{' {
		k.end, err = rawjson.Skip(b, at)
		return k.end, err
	}
	members := 0
	k.end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		name := key.Of(b).Text()
		of := kindOf(name)
		if name == "json" && depth > 0 { // it is in results alone
			of = unknown
		}
		if members++; of != unknown && k.data.End != 0 {
			return from, view.ErrDuplicate
		}
		end, err := k.value(b, from, of, depth)
		switch {
		case of != unknown:
			k.kind = of
			k.name = rawjson.SpanOf(int(key.Start)-at, int(key.End)-at)
			k.data = rawjson.SpanOf(from-at, end-at)
		case name == "role" || name == "content":
			k.nested = true
		}
		return end, err
	})
	if members != 1 {
		k.kind = unknown
	}
	if k.typ.End != 0 && k.kind == call {
		k.kind = hosted
	} else if k.typ.End != 0 && k.kind == result {
		k.kind = hostedEnd
	}
	return k.end, err
}

// value reads the value of the member that makes the kind.
func (k *block) value(b []byte, at int, of kind, depth int) (int, error) {
	if of != call && of != result || depth == 0 || at >= len(b) || b[at] != '{' {
		return view.SkipUnique(b, at, 0)
	}
	return rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		var member *rawjson.Span
		switch key.Of(b).Text() {
		case "toolUseId":
			member = &k.id
		case "name":
			member = &k.tool
		case "input":
			member = &k.input
		case "content":
			member = &k.content
		case "status":
			member = &k.status
		case "type":
			member = &k.typ
		default:
			return rawjson.Skip(b, from)
		}
		return view.ReadOnce(member, b, k.start, from, func(b []byte, from int) (int, error) {
			return k.member(b, from, member == &k.content && of == result, depth)
		})
	})
}

// member reads a member of a call or a result.
func (k *block) member(b []byte, from int, content bool, depth int) (int, error) {
	if !content || from >= len(b) || b[from] != '[' {
		return rawjson.Skip(b, from)
	}
	return rawjson.WalkArray(b, from, func(at int) (int, error) {
		var inner block
		end, err := inner.read(b, at, depth-1)
		k.holds[inner.kind] = true
		return end, err
	})
}

// result returns the fields of a toolResult.
func (k *block) result(b []byte) view.Fields {
	f := view.Fields{Role: view.Tool, Content: k.content, CallID: k.id}
	if k.content.Of(b[k.start:]).Kind() != rawjson.Array {
		f.Content, f.Flags = rawjson.Span{}, view.Unknown
	}
	f.Flags |= flagsOf(&k.holds, call, result, signed, mark, hosted, hostedEnd)
	if k.status.Of(b[k.start:]).Is("error") {
		f.Flags |= view.Failed
	}
	return f
}

// flagsOf returns the flags that follow from the kinds of blocks. Those in misplaced do not belong
// there.
func flagsOf(holds *[kinds]bool, misplaced ...kind) (f view.Flags) {
	if holds[fixed] {
		f = view.Fixed
	}
	if holds[unknown] {
		f |= view.Unknown
	}
	for _, k := range misplaced {
		if holds[k] {
			f |= view.Unknown
		}
	}
	return f
}
