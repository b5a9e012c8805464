package sessions

import (
	"slices"
	"time"

	"killick/rawjson"
)

// claude reads the lines of Claude Code. Each has an id, and the id of the line before it: what a
// request held is found by going back from its reply. The lines of one reply share an id of the
// message, and each states the usage of the whole reply.
type claude struct {
	sessions map[string]*session
	order    []*session
	sent     map[string]time.Time // requests, by id
	roots    map[string]string    // of lines of sub-agents without a name: the first of each
}

// session is a conversation: a session without its sub-agents, or one of these.
type session struct {
	*builder
	lines   map[string]*line
	replies map[string]*reply
	order   []*reply
	calls   map[string]*call
	round   int // the number of the walk, so that it needs no sets of what it has seen
}

// line is a line with an id.
type line struct {
	id, parent string
	before     *line // the one with the id parent, nil if there is none yet
	at         time.Time
	node       *node
	reply      *reply // the one that it is a part of
	answers    *call  // the one that it has the result of, nil if none
	seen       int    // in which round
	copied     bool   // from another session
	boundary   bool   // a compaction: nothing before it is sent, except:
	anchor     string // after the line with this id,
	kept       []string
}

// call is a tool call.
type call struct {
	answered int // in which round
}

// reply is a reply of the model.
type reply struct {
	first   *line
	lines   []*line
	blocks  []byte
	request Request
	node    *node
	ref     string  // the id of its request
	results []*line // of its calls
	done    int     // in which round
}

func newClaude() *claude {
	return &claude{sessions: map[string]*session{}, sent: map[string]time.Time{},
		roots: map[string]string{}}
}

// claudeTypes are the types of lines of Claude Code 2.1.332 that are no part of a conversation.
var claudeTypes = map[string]bool{"agent-color": true, "agent-name": true, "agent-setting": true,
	"ai-title": true, "api-request-blob": true, "api-request-resumed": true,
	"api-request-shape": true, "artifact-autoreact-ledger": true, "artifact-comment-monitor": true,
	"atis-latch": true, "attribution-snapshot": true, "bridge-session": true, "cost-state": true,
	"custom-title": true, "data-flow-incomplete": true, "data-flow-records": true,
	"derived-from": true, "dev-mods": true, "ended-by-model": true, "file-history-delta": true,
	"file-history-snapshot": true, "frame-link": true, "isolation-latch": true,
	"last-prompt": true, "memory-mode": true, "mode": true, "observer-ref": true,
	"permission-mode": true, "pr-link": true, "progress": true, "queue-operation": true,
	"relocated": true, "resume-head-vouch": true, "session-owner": true, "summary": true,
	"tag": true, "tools-used": true, "worktree-state": true}

func (c *claude) add(typ string, v rawjson.Value) bool {
	id := v.Get("uuid").Text()
	switch {
	case typ == "api-request":
		c.sent[v.Get("id").Text()] = timeOf(v)
		return true
	case typ == "fork-context-ref":
		c.sessionOf(v).unclear = "it continues another conversation, and does not hold its lines"
		return true
	case typ == "content-replacement":
		c.sessionOf(v).unclear = "outputs were replaced, and the file does not say when"
		return true
	case id == "":
		return claudeTypes[typ]
	}
	s := c.sessionOf(v)
	if s.lines[id] != nil {
		return true // copied when the session was resumed
	}
	l := &line{id: id, parent: v.Get("parentUuid").Text(), at: timeOf(v), node: &node{}}
	from := v.Get("forkedFrom").Get("sessionId").Text()
	l.copied = from != "" && from != v.Get("sessionId").Text()
	s.lines[id] = l
	switch {
	case string(v.Get("isApiErrorMessage")) == "true": // written by the client, and not sent
	case typ == "user":
		s.user(l, v.Get("message"))
	case typ == "assistant":
		s.assistant(l, v)
	case typ == "attachment":
		l.node = attached(v)
	case typ == "system":
		s.system(l, v)
	default:
		return claudeTypes[typ]
	}
	return true
}

// sessionOf returns the conversation of a line. A sub-agent's lines are a conversation of their
// own, in the same file or in another one.
func (c *claude) sessionOf(v rawjson.Value) *session {
	id := v.Get("sessionId").Text()
	agent := v.Get("agentId").Text()
	if agent != "" || string(v.Get("isSidechain")) == "true" {
		if agent == "" { // older versions name none: the conversations have no line in common
			if agent = c.roots[v.Get("parentUuid").Text()]; agent == "" {
				agent = v.Get("uuid").Text()
			}
			c.roots[v.Get("uuid").Text()] = agent
		}
		id += "/" + agent
	}
	s := c.sessions[id]
	if s == nil {
		s = &session{builder: newBuilder(id), lines: map[string]*line{},
			replies: map[string]*reply{}, calls: map[string]*call{}}
		c.sessions[id] = s
		c.order = append(c.order, s)
	}
	return s
}

func (s *session) user(l *line, message rawjson.Value) {
	l.node = messageOf("user", message.Get("content"))
	for block := range message.Get("content").Elements() {
		if id := block.Get("tool_use_id").Text(); id != "" && block.Get("type").Is("tool_result") {
			if s.calls[id] == nil {
				s.calls[id] = &call{}
			}
			l.answers = s.calls[id]
		}
	}
	if before := s.lines[l.parent]; l.answers != nil && before != nil && before.reply != nil {
		before.reply.results = append(before.reply.results, l)
	}
}

// messageOf converts a message of the Messages API.
func messageOf(role string, content []byte) *node {
	body := append([]byte(`{"system":[],"messages":[{"role":"`+role+`","content":`), content...)
	return nodeOf(append(body, "}]}"...))
}

func (s *session) assistant(l *line, v rawjson.Value) {
	message := v.Get("message")
	ref := v.Get("requestRef").Text()
	// Not every server makes ids that are unique, so the request's ids count too.
	id := message.Get("id").Text() + " " + v.Get("requestId").Text() + " " + ref
	if id == "  " {
		id = l.id
	}
	r := s.replies[id]
	if r == nil {
		r = &reply{first: l, ref: ref}
		s.replies[id] = r
		s.order = append(s.order, r)
	}
	l.reply = r
	r.lines = append(r.lines, l)
	for block := range message.Get("content").Elements() {
		if len(r.blocks) > 0 {
			r.blocks = append(r.blocks, ',')
		}
		r.blocks = append(r.blocks, block...)
	}
	usage := message.Get("usage")
	r.request.Model, r.request.Ended = message.Get("model").Text(), l.at
	r.request.Read = number(usage.Get("cache_read_input_tokens"))
	r.request.Written = number(usage.Get("cache_creation_input_tokens"))
	r.request.Fresh = number(usage.Get("input_tokens"))
	r.request.Output = number(usage.Get("output_tokens"))
	if number(usage.Get("cache_creation").Get("ephemeral_1h_input_tokens")) > 0 {
		s.Lasting = true
	}
}

// attached returns what an attachment added to the request. Older versions do not write that: its
// tokens are then part of what the request grew by.
func attached(v rawjson.Value) *node {
	role := v.Get("renderedRole").Text()
	all := &node{}
	if role != "user" && role != "system" {
		return all
	}
	for part := range v.Get("rendered").Elements() {
		n := messageOf(role, part.Get("content"))
		all.messages, all.role = append(all.messages, n.messages...), n.role
	}
	return all
}

// system reads a line about the session. It is not sent.
func (s *session) system(l *line, v rawjson.Value) {
	switch v.Get("subtype").Text() {
	case "microcompact_boundary":
		s.unclear = "outputs were cleared, and the file does not say which requests lacked them"
	case "compact_boundary":
		l.boundary = true
		about := v.Get("compactMetadata")
		kept := about.Get("preservedMessages")
		l.anchor = kept.Get("anchorUuid").Text()
		for id := range kept.Get("uuids").Elements() {
			l.kept = append(l.kept, id.Text())
		}
		if kept == nil && about.Get("preservedSegment").Kind() == rawjson.Object {
			s.unclear = "it was compacted, and the file does not say what was kept"
		}
	}
}

// path returns what the request of a reply held, and when the last of it was written.
func (s *session) path(r *reply) (path []*node, at time.Time) {
	var back []*line
	var compaction *line
	s.round++
	for after := r.first; after.parent != ""; {
		l := s.before(after)
		if l == nil || l.seen == s.round {
			s.unclear = missing
			break
		}
		l.seen = s.round
		back = append(back, l)
		if after = l; l.boundary {
			compaction = l
			break
		}
	}
	slices.Reverse(back)
	if compaction != nil {
		back = s.withKept(back, compaction)
	}
	return s.expanded(back, r)
}

// before returns the line before another one, nil if it is missing.
func (s *session) before(l *line) *line {
	if l.before == nil {
		l.before = s.lines[l.parent]
	}
	return l.before
}

// withKept returns lines with those that a compaction kept.
func (s *session) withKept(lines []*line, compaction *line) []*line {
	at := slices.IndexFunc(lines, func(l *line) bool { return l.id == compaction.anchor })
	if at < 0 {
		return lines
	}
	var kept []*line
	for _, id := range compaction.kept {
		if l := s.lines[id]; l != nil {
			kept = append(kept, l)
		} else {
			s.unclear = "lines that a compaction kept are missing"
		}
	}
	return slices.Insert(lines, at+1, kept...)
}

// expanded returns the nodes of lines: of a reply all its lines, and the results of all its calls.
// Each line has one line before it, but several calls at once have several lines after them.
func (s *session) expanded(lines []*line, until *reply) (path []*node, at time.Time) {
	for _, l := range lines {
		if l.answers != nil {
			l.answers.answered = s.round
		}
	}
	path = make([]*node, 0, len(lines))
	for _, l := range lines {
		if l.at.After(at) {
			at = l.at
		}
		r := l.reply
		switch {
		case r == nil:
			path = append(path, l.node)
			continue
		case r.done == s.round:
			continue
		}
		r.done = s.round
		path = append(path, r.node)
		for _, result := range r.results {
			if result.answers.answered != s.round && !result.at.After(until.first.at) {
				result.answers.answered = s.round
				path = append(path, result.node)
			}
		}
	}
	return path, at
}

func (c *claude) conversations() (all []*Conversation) {
	for _, s := range c.order {
		for _, r := range s.order {
			r.node = messageOf("assistant", append(append([]byte{'['}, r.blocks...), ']'))
		}
		for _, r := range s.order {
			path, at := s.path(r)
			if sent, ok := c.sent[r.ref]; ok {
				at = sent
			}
			q := r.request
			q.Sent, q.Reply = at, r.first.id
			q = s.builder.request(path, q)
			s.reply(r.node)
			if q.Read+q.Written+q.Fresh != 0 && !r.first.copied {
				s.Requests = append(s.Requests, q)
			}
		}
		all = append(all, s.conversation())
	}
	return all
}
