package thinking

import (
	"crypto/sha256"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/jsontree"
	"killick/internal/fakemessages/request"
)

// Transformation is an entry of input_transformations.
type Transformation struct {
	Type   string `json:"type"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// The types of transformations, and their reasons.
const (
	Dropped        = "thinking_dropped"
	ModelMismatch  = "model_binding_mismatch"
	PrefixMismatch = "prefix_binding_mismatch"
)

// Bind checks the thinking of a request: that it is as it was made, and where the model asks for
// it, that nothing before it has changed. It marks what is dropped, and returns what was reported
// and the prefix at the end of the messages, where the reply's own thinking stands. models are
// those of the script.
func Bind(
	r *request.Request, models map[string]claude.Model,
) (*Prefix, []Transformation, *request.Error) {
	p := newPrefix(r)
	c := checker{models: models, r: r, p: p, reported: []Transformation{}}
	turns := r.Turns()
	latest := -1
	for i, turn := range turns {
		if turn.Role == request.RoleAssistant {
			latest = i
		}
	}
	for i, turn := range turns {
		p.Enter(turn.Role)
		if turn.Settings != nil {
			p.AddBlock(turn.Settings)
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
	models   map[string]claude.Model // those of the script
	r        *request.Request
	p        *Prefix
	latest   bool // the turn is the latest of the assistant's
	lost     bool // thinking of the turn was dropped by us
	reported []Transformation
}

func (c *checker) turn(turn request.Turn, first bool) *request.Error {
	c.lost = false
	dropping := false // the rest of a run of thinking blocks
	for j, b := range turn.Blocks {
		if c.p.role == "" && b.Type != request.TypeCompaction {
			c.p.Enter(turn.Role) // what follows a summary is a turn of its own
		}
		switch {
		case b.Type == request.TypeCompaction:
			if e := c.compaction(b, first && j == 0); e != nil {
				return e
			}
		case !b.IsThinking():
			c.p.AddBlock(b.Fields)
		case dropping:
			c.drop(b, PrefixMismatch)
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
func (c *checker) thinking(b *request.Block) (e *request.Error, failed bool) {
	kind, field := byte(KindThinking), "signature"
	if b.Type == request.TypeRedacted {
		kind, field = KindRedacted, "data"
	}
	broken := request.Invalid("%s: Invalid `%s` in `%s` block", b.Path, field, b.Type)
	d, ok := decodeSignature(kind, b.Fields.Text(field))
	switch {
	case !ok:
		return broken, false
	case c.latest && (d.text != shortHash([]byte(b.Text)) || !c.lost && c.moved(d)):
		return request.Invalid("%s: `thinking` or `redacted_thinking` blocks in the latest "+
			"assistant message cannot be modified. These blocks must remain as they were in the "+
			"original response.", b.Path), false
	case d.text != shortHash([]byte(b.Text)):
		return broken, false
	}
	maker, _ := claude.LookUp(c.models, d.model)
	if !c.r.Rules.Reads(c.r.Model, d.model, maker) {
		c.drop(b, ModelMismatch)
		return nil, false
	}
	reason, bound := c.changed(d, maker)
	switch {
	case bound:
		c.p.addThinking(d.id)
	case c.r.Thinking.Binding == request.BehaviorDrop:
		c.drop(b, PrefixMismatch)
		return nil, true
	default:
		broken.Message += ". The block is bound to a different conversation. Remove the block, " +
			"or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
		if !c.r.Beta(request.BetaBinding) {
			broken.Message += " That setting requires the `" + request.BetaBinding +
				"` value in the `anthropic-beta` header."
		}
		broken.Message += reason
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
func (c *checker) changed(d signed, maker claude.Model) (reason string, bound bool) {
	switch {
	case !c.r.Rules.PreservesThinking:
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

func (c *checker) drop(b *request.Block, reason string) {
	b.Dropped, c.lost = true, true
	c.report(b, Dropped, reason)
}

func (c *checker) report(b *request.Block, typ, reason string) {
	c.reported = append(c.reported, Transformation{typ, b.Path, reason})
}

// compaction goes past a compaction block. The check of thinking goes on where the messages ended
// that a signed block stands for; another starts a new one.
func (c *checker) compaction(b *request.Block, first bool) *request.Error {
	content, present := b.Fields.Get("content")
	if !present {
		return nil // failed when it was made: it says nothing
	}
	if !b.SignedSummary() || !first {
		c.p.messages = sha256.Sum256(jsontree.AppendCanonical(nil, content, true))
		c.p.last = [8]byte{}
		return nil
	}
	text, _ := content.(string)
	d, ok := decodeSignature(kindCompaction, b.Fields.Text("signature"))
	if !ok {
		e := request.Invalid("%s: the signature of the `compaction` block is invalid", b.Path)
		e.Code = "compaction_signature_invalid"
		return e
	}
	if d.text != shortHash([]byte(text)) {
		e := request.Invalid("%s: the content of the `compaction` block differs from what was "+
			"returned", b.Path)
		e.Code = "compaction_content_mismatch"
		return e
	}
	c.p.messages, c.p.role, c.p.last, c.p.inTurn = d.prefix, "", [8]byte{}, false
	return nil
}
