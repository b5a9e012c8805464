package fakemessages

// transformation is an entry of input_transformations.
type transformation struct {
	Type   string `json:"type"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

const (
	thinkingDropped = "thinking_dropped"
	thinkingAllowed = "thinking_mismatch_allowed"
	modelMismatch   = "model_binding_mismatch"
	prefixMismatch  = "prefix_binding_mismatch"
)

// bind checks the thinking of a request: that it is as it was made, and where the model asks for
// it, that nothing before it has changed. It marks what is dropped, and returns what was reported
// and the prefix at the end of the messages, where the reply's own thinking stands.
func (s *Server) bind(r *Request) (*prefix, []transformation, *apiError) {
	p := newPrefix(r, s.secret())
	c := checker{s: s, r: r, p: p, reported: []transformation{}}
	turns := r.Turns()
	latest := -1
	for i, turn := range turns {
		if turn.Role == roleAssistant {
			latest = i
		}
	}
	for i, turn := range turns {
		p.enter(turn.Role)
		if turn.settings != nil {
			p.addBlock(turn.settings)
		}
		c.latest = i == latest
		if e := c.turn(turn, i == 0); e != nil {
			return nil, nil, e
		}
	}
	return p, c.reported, nil
}

// checker goes through the turns of a request.
type checker struct {
	s        *Server
	r        *Request
	p        *prefix
	latest   bool // the turn is the latest of the assistant's
	lost     bool // thinking of the turn was dropped by us
	reported []transformation
}

func (c *checker) turn(turn Turn, first bool) *apiError {
	c.lost = false
	dropping := false // the rest of a run of thinking blocks
	for j, b := range turn.Blocks {
		if c.p.role == "" && b.Type != typeCompaction {
			c.p.enter(turn.Role) // what follows a summary is a turn of its own
		}
		switch {
		case b.Type == typeCompaction:
			if e := c.compaction(b, first && j == 0); e != nil {
				return e
			}
		case !b.isThinking():
			c.p.addBlock(b.fields)
		case dropping:
			c.drop(b, prefixMismatch)
			continue
		default:
			e, failed := c.thinking(b)
			if e != nil {
				return e
			}
			dropping = failed
			continue
		}
		dropping = false
	}
	return nil
}

// thinking checks a thinking block. failed is set if it was dropped because of its prefix.
func (c *checker) thinking(b *Block) (e *apiError, failed bool) {
	kind, field := byte(kindThinking), "signature"
	if b.Type == typeRedacted {
		kind, field = kindRedacted, "data"
	}
	broken := invalid("%s: Invalid `%s` in `%s` block", b.path, field, b.Type)
	d, ok := decodeSignature(c.s.secret(), kind, b.fields.text(field))
	switch {
	case !ok:
		return broken, false
	case c.latest && (d.text != shortHash([]byte(b.Text)) || !c.lost && c.moved(d)):
		return invalid("%s: `thinking` or `redacted_thinking` blocks in the latest assistant "+
			"message cannot be modified. These blocks must remain as they were in the original "+
			"response.", b.path), false
	case d.text != shortHash([]byte(b.Text)):
		return broken, false
	}
	maker, _ := c.s.model(d.model)
	if !c.r.model.reads(c.r.Model, d.model, maker) {
		c.drop(b, modelMismatch)
		return nil, false
	}
	reason, bound := c.changed(d, maker)
	switch {
	case bound:
		c.p.addThinking(d.id)
	case !c.enforced():
		c.report(b, thinkingAllowed, prefixMismatch)
		c.p.addThinking(d.id)
	case c.r.thinking.binding == behaviorDrop:
		c.drop(b, prefixMismatch)
		return nil, true
	default:
		broken.message += ". The block is bound to a different conversation. Remove the block, " +
			"or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
		if !c.r.beta(betaBinding) {
			broken.message += " That setting requires the `" + betaBinding +
				"` value in the `anthropic-beta` header."
		}
		broken.message += reason
		return broken, false
	}
	return nil, false
}

// moved reports whether the thinking before a block in its turn is not what it was.
func (c *checker) moved(d signed) bool {
	return d.inTurn != c.p.inTurn || d.inTurn && d.prev != c.p.last
}

// changed reports whether what precedes a block is as it was, and if not says what changed, as far
// as Anthropic's errors do.
func (c *checker) changed(d signed, maker Model) (reason string, bound bool) {
	switch {
	case !c.r.model.PreservesThinking:
		return "", true
	case d.system != c.p.system:
		return " The `system` prompt differs from the one this block was created with.", false
	case d.tools != c.p.toolSet:
		return " The `tools` list differs from the one this block was created with.", false
	case d.prefix != c.p.messages:
		return "", false
	case maker.PreservesThinking && c.p.last != [8]byte{} && d.prev != c.p.last:
		return " The `thinking` block that preceded this one when it was created is missing " +
			"from this request.", false
	}
	return "", true
}

// enforced reports whether a changed prefix is refused: for new accounts, and for requests that
// say what is to be done about it.
func (c *checker) enforced() bool {
	return !c.s.cfg.OlderAccount || c.r.thinking.binding != ""
}

func (c *checker) drop(b *Block, reason string) {
	b.dropped, c.lost = true, true
	c.report(b, thinkingDropped, reason)
}

func (c *checker) report(b *Block, typ, reason string) {
	c.reported = append(c.reported, transformation{typ, b.path, reason})
}
