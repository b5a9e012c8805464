package sessions

import (
	"killick/rawjson"
	"killick/replay/aschat"
)

// node is a part of a conversation that is always sent whole: a line or a reply.
type node struct {
	messages []rawjson.Value // in the form of chat
	role     string          // of the first message
	placed   bool            // its messages are in the builder's list, from the index at
	at       int
}

// nodeOf converts messages of the Messages API, or items of the Responses API.
func nodeOf(body []byte) *node {
	n := &node{}
	format := aschat.FormatOf(body)
	if format == nil {
		return n
	}
	converted, err := aschat.Convert(body, format)
	if err != nil {
		return n
	}
	for m := range converted.Get("messages").Elements() {
		n.messages = append(n.messages, m)
	}
	if len(n.messages) > 0 {
		n.role = n.messages[0].Get("role").Text()
	}
	return n
}

// builder arranges requests as one list of messages: each request held a prefix without some
// ranges, and the message after it is the reply. Where a request has another order than the list,
// after a compaction or in a branch, its messages are in the list again.
type builder struct {
	Conversation
	path    []*node // what the last request held
	longest []*node // the longest request, with its reply
	unclear string  // why it is not known what requests held
}

func newBuilder(id string) *builder { return &builder{Conversation: Conversation{ID: id}} }

// request adds a request that held a path, without the instructions at its start: they are counted
// with the tools.
func (b *builder) request(path []*node, r Request) Request {
	sent := b.path[:0]
	for _, n := range path {
		instructs := n.role == "system" || n.role == "developer"
		if len(n.messages) > 0 && (len(sent) > 0 || !instructs) {
			sent = append(sent, n)
		}
	}
	b.path = sent
	if len(sent) == 0 {
		b.unclear = missing
		return r
	}
	r.Skip, r.Messages = b.place(sent)
	if r.Messages < len(b.Messages) { // its reply must be next
		sent[len(sent)-1].placed = false
		r.Skip, r.Messages = b.place(sent)
	}
	return r
}

// missing is why it is not known what a request held, if what it holds has no beginning.
const missing = "lines are missing before some messages"

// place returns the ranges between the messages of a path, and where the path ends. It adds what
// is not in the list, or not after what precedes it.
func (b *builder) place(path []*node) (skip [][2]int, end int) {
	for _, n := range path {
		if !n.placed || n.at < end {
			b.append(n)
		}
		if n.at > end {
			skip = append(skip, [2]int{end, n.at})
		}
		end = n.at + len(n.messages)
	}
	return skip, end
}

func (b *builder) append(n *node) {
	n.placed, n.at = true, len(b.Messages)
	b.Messages = append(b.Messages, n.messages...)
}

// reply adds the reply of the request that was added last.
func (b *builder) reply(n *node) {
	b.append(n)
	if len(b.path) >= len(b.longest) {
		b.longest = append(append(b.longest[:0], b.path...), n)
	}
}

// conversation returns the conversation. Without requests, its messages are those of the longest
// request.
func (b *builder) conversation() *Conversation {
	for _, n := range b.longest {
		b.Longest = append(b.Longest, n.messages...)
	}
	if b.unclear == "" && len(b.Requests) > 0 {
		b.Model = b.Requests[0].Model
		return &b.Conversation
	}
	if b.unclear == "" && len(b.longest) > 0 {
		b.unclear = "no reply has the provider's token counts"
	}
	if b.unclear != "" {
		b.Note = b.unclear
	}
	b.Messages, b.Requests = b.Longest, nil
	return &b.Conversation
}
