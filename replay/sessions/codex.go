package sessions

import (
	"bytes"
	"slices"
	"time"

	"killick/rawjson"
)

// codex reads the lines of Codex. A line has a type and a payload; those of the type response_item
// are the items of requests and replies.
type codex struct {
	all  []*thread
	open *thread // the last of them
}

// thread is one session.
type thread struct {
	*builder
	id       string
	forked   bool
	context  []*node // what the next request holds
	model    string
	last     time.Time // of the last item that was not the model's
	pending  [][]byte  // items of a reply that has not ended
	request  Request   // the one that the pending items answer
	answered []Request // replies that wait for token_count
	records  bool      // usage is in lines of its own, after each reply
	total    []byte    // the sum in the last token_count
}

// codexTypes are the types of lines of Codex 0.171.0 that are no part of a conversation.
var codexTypes = map[string]bool{"dynamic_tools_updated": true, "id_allocation": true,
	"inter_agent_communication_metadata": true, "security_risk_score": true, "world_state": true}

func (c *codex) add(typ string, line rawjson.Value) bool {
	payload := line.Get("payload")
	if typ == "session_meta" {
		c.begin(payload)
		return true
	}
	if c.open == nil {
		c.begin(nil)
	}
	t := c.open
	switch typ {
	case "turn_context":
		if t.model = payload.Get("model").Text(); t.Model == "" {
			t.Model = t.model
		}
	case "response_item":
		return t.item(payload, timeOf(line))
	case "compacted":
		t.compacted(payload.Get("replacement_history"), timeOf(line))
	case "token_usage_record":
		t.records = true
		if len(t.pending) > 0 { // else it is of the client's own request for a compaction
			t.count(payload.Get("usage"))
		}
	case "event_msg":
		t.event(payload)
	case "inter_agent_communication", "realtime_item":
		t.unclear = "it has messages of other agents or of speech, in a form that is not known"
	default:
		return codexTypes[typ]
	}
	return true
}

// continues are the members of session_meta, as of Codex 0.171.0, that a session has if it begins
// with what another one held: a fork, or a sub-agent that knows its parent's conversation.
var continues = [...]string{"forked_from_id", "history_base", "subagent_history_start_ordinal"}

// begin begins a session. One that is continued in the same file has the same id.
func (c *codex) begin(meta rawjson.Value) {
	id := meta.Get("id").Text()
	if c.open != nil && (c.open.id == id || c.open.forked) {
		return
	}
	c.open = &thread{builder: newBuilder(id), id: id}
	for _, name := range continues {
		if v := meta.Get(name); v != nil && v.Kind() != rawjson.Null {
			c.open.forked = true
			c.open.unclear = "it continues another session, whose lines are not told from its own"
		}
	}
	c.all = append(c.all, c.open)
}

// item reads an item of a request or a reply. It reports whether its type is known.
func (t *thread) item(item rawjson.Value, at time.Time) bool {
	n := itemsOf(item)
	switch n.role {
	case "":
		return false
	case "assistant":
		if len(t.pending) == 0 {
			t.request = t.builder.request(t.context, Request{Model: t.model, Sent: t.last})
		}
		t.pending, t.request.Ended = append(t.pending, item), at
		return true
	}
	t.end()
	t.context, t.last = append(t.context, n), at
	return true
}

func itemsOf(items ...[]byte) *node {
	return nodeOf(append(append([]byte(`{"input":[`), bytes.Join(items, []byte{','})...), "]}"...))
}

// end ends a reply.
func (t *thread) end() {
	if len(t.pending) == 0 {
		return
	}
	n := itemsOf(t.pending...)
	t.reply(n)
	t.context, t.pending = append(t.context, n), nil
	t.answered = append(t.answered, t.request)
}

// compacted replaces what requests hold.
func (t *thread) compacted(history rawjson.Value, at time.Time) {
	t.end()
	if history.Kind() != rawjson.Array {
		t.unclear = "it was compacted, and the file does not say what was kept"
		return
	}
	t.context, t.last = nil, at
	for item := range history.Elements() {
		t.context = append(t.context, itemsOf(item))
	}
}

// event reads what happened beside the items.
func (t *thread) event(payload rawjson.Value) {
	switch payload.Get("type").Text() {
	case "turn_aborted":
		t.end()
		t.answered = nil // they will not be counted
	case "thread_rolled_back":
		t.unclear = "turns were taken back, and the file does not say which messages"
	case "token_count":
		info := payload.Get("info")
		total := info.Get("total_token_usage")
		if !t.records && !bytes.Equal(total, t.total) {
			t.count(info.Get("last_token_usage"))
			t.total = total
		}
	}
}

// count reads the usage of the last reply. Without one it is that of the client's own request for a
// compaction.
func (t *thread) count(usage rawjson.Value) {
	t.end()
	input := number(usage.Get("input_tokens"))
	if len(t.answered) == 0 || input == 0 {
		return
	}
	if len(t.answered) > 1 {
		t.unclear = "there are more replies than token counts"
	}
	r := t.answered[len(t.answered)-1]
	r.Read = number(usage.Get("cached_input_tokens"))
	r.Written = number(usage.Get("cache_write_input_tokens"))
	r.Fresh, r.Output = input-r.Read-r.Written, number(usage.Get("output_tokens"))
	if t.id != "" {
		r.Reply = t.id + r.Ended.Format(" "+time.RFC3339Nano)
	}
	t.Requests, t.answered = append(t.Requests, r), nil
}

func (c *codex) conversations() (all []*Conversation) {
	for _, t := range c.all {
		t.end()
		t.countWrites()
		all = append(all, t.conversation())
	}
	return all
}

// countWrites counts as written what was not cached, if the provider counted no writes at all: it
// caches whatever it gets.
func (t *thread) countWrites() {
	if slices.ContainsFunc(t.Requests, func(r Request) bool { return r.Written > 0 }) {
		return
	}
	for i := range t.Requests {
		r := &t.Requests[i]
		r.Written, r.Fresh = r.Fresh, 0
	}
}
