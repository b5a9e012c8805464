package fakemessages

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"killick/internal/fakeserver"
)

// Compaction on request: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand

// checkCompaction refuses what cannot be combined with a summary, and misplaced summaries.
func (r *Request) checkCompaction() *apiError {
	found := 0
	for i, m := range r.Messages {
		for j, b := range m.Blocks {
			if b.Type != typeCompaction || !b.signedSummary() {
				continue
			}
			found++
			if !r.beta(betaCompaction) {
				return invalid("%s: Input tag 'compaction' found using 'type' does not match any "+
					"of the expected tags", b.path)
			}
			if i > 0 || j > 0 {
				e := invalid("%s: `compaction` block must be sent first, in place of the "+
					"messages it summarizes; remove those messages", b.path)
				e.code = "compaction_block_misplaced"
				return e
			}
		}
	}
	if found > 1 {
		return invalid("messages: a request can carry one `compaction` block; send the newest")
	}
	v, present := r.fields.get("compaction")
	switch {
	case !present || v == nil || r.counting:
		return nil
	case !r.model.summarizes(r.Model):
		return invalid("compaction: this model does not support `compaction`")
	case !r.summary:
		return invalid("compaction: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: 'summarize'", r.fields.object("compaction").text("type"))
	}
	return r.checkSummary()
}

// summarizes reports whether models of a name write summaries: Opus and Sonnet since 4.6, Fable and
// Mythos.
func (m *Model) summarizes(name string) bool {
	const since = 8 // the generation of 4.6
	return m.Generation >= since && !strings.Contains(name, "haiku")
}

func (r *Request) checkSummary() *apiError {
	for _, name := range []string{"context_management", "stop_sequences"} {
		if v, _ := r.fields.get(name); v != nil {
			return invalid("%s: cannot be combined with `compaction`", name)
		}
	}
	if v, _ := r.fields.object("output_config").get("format"); v != nil {
		return invalid("output_config.format: cannot be combined with `compaction`")
	}
	if r.forcesTool() {
		return invalid("tool_choice: cannot force a tool with `compaction`")
	}
	return nil
}

// signedSummary reports whether a compaction block is one that was asked for; those of
// context_management are not signed, follow what they cover, and are left alone here.
func (b *Block) signedSummary() bool {
	_, ok := b.fields.get("signature")
	return ok
}

// compaction goes past a compaction block. The check of thinking goes on where the messages ended
// that a signed block stands for; another starts a new one.
func (c *checker) compaction(b *Block, first bool) *apiError {
	content, present := b.fields.get("content")
	if !present {
		return nil // failed when it was made: it says nothing
	}
	if !b.signedSummary() || !first {
		c.p.messages, c.p.last = sha256.Sum256(appendCanonical(nil, content, true)), [8]byte{}
		return nil
	}
	text, _ := content.(string)
	d, ok := decodeSignature(c.s.secret(), kindCompaction, b.fields.text("signature"))
	if !ok {
		e := invalid("%s: the signature of the `compaction` block is invalid", b.path)
		e.code = "compaction_signature_invalid"
		return e
	}
	if d.text != shortHash([]byte(text)) {
		e := invalid("%s: the content of the `compaction` block differs from what was returned",
			b.path)
		e.code = "compaction_content_mismatch"
		return e
	}
	c.p.messages, c.p.role, c.p.last, c.p.inTurn = d.prefix, "", [8]byte{}, false
	return nil
}

// summarize answers with a signed block that stands for all messages. Thinking of later turns stays
// valid after it where a model that preserves thinking wrote it. Where the model wrote none, the
// content is empty and the call is billed all the same.
func (x *exchange) summarize(a *answer) {
	if x.s.cfg.NoSummary != nil {
		if stop := x.s.cfg.NoSummary(a.req); stop != "" {
			a.stopReason = stop
			a.iterations = []iteration{{Type: typeCompaction, Usage: a.usage}}
			a.usage = Usage{}
			return
		}
	}
	content := fmt.Sprintf("Summary of the conversation so far, of %d messages.",
		len(a.req.Messages))
	if x.s.cfg.Summarize != nil {
		content = x.s.cfg.Summarize(a.req)
	}
	d := signed{kind: kindCompaction, prefix: a.prefix.messages, text: shortHash([]byte(content)),
		model: a.req.Model}
	if !a.req.model.PreservesThinking {
		d.prefix = sha256.Sum256([]byte(content))
	}
	a.stopReason = "compaction"
	a.blocks = []replyBlock{{json: fakeserver.EncodeJSON(summaryJSON{
		Type: typeCompaction, Content: content, Signature: d.encode(a.prefix.secret),
	}), whole: true}}
	a.usage.OutputTokens = x.s.textTokens(a.req, content)
	a.iterations = []iteration{{Type: typeCompaction, Usage: a.usage}}
	a.usage = Usage{}
}

type summaryJSON struct {
	Type      string `json:"type"`
	Content   string `json:"content"`
	Signature string `json:"signature"`
}
