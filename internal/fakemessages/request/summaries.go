package request

// checkCompaction refuses what cannot be combined with a summary, and misplaced summaries.
func (r *Request) checkCompaction() *Error {
	found := 0
	for i, m := range r.Messages {
		for j, b := range m.Blocks {
			if b.Type != TypeCompaction || !b.SignedSummary() {
				continue
			}
			found++
			if !r.Beta(BetaCompaction) {
				return Invalid("%s: Input tag 'compaction' found using 'type' does not match any "+
					"of the expected tags", b.Path)
			}
			if i > 0 || j > 0 {
				e := Invalid("%s: `compaction` block must be sent first, in place of the "+
					"messages it summarizes; remove those messages", b.Path)
				e.Code = "compaction_block_misplaced"
				return e
			}
		}
	}
	if found > 1 {
		return Invalid("messages: a request can carry one `compaction` block; send the newest")
	}
	v, present := r.Fields.Get("compaction")
	switch {
	case !present || v == nil || r.counting:
		return nil
	case !r.Rules.Summarizes(r.Model):
		return Invalid("compaction: this model does not support `compaction`")
	case !r.Summary:
		return Invalid("compaction: Input tag '%s' found using 'type' does not match any of the "+
			"expected tags: 'summarize'", r.Fields.Object("compaction").Text("type"))
	}
	return r.checkSummary()
}

func (r *Request) checkSummary() *Error {
	for _, name := range []string{"context_management", "stop_sequences"} {
		if v, _ := r.Fields.Get(name); v != nil {
			return Invalid("%s: cannot be combined with `compaction`", name)
		}
	}
	if v, _ := r.Fields.Object("output_config").Get("format"); v != nil {
		return Invalid("output_config.format: cannot be combined with `compaction`")
	}
	if r.forcesTool() {
		return Invalid("tool_choice: cannot force a tool with `compaction`")
	}
	return nil
}

// SignedSummary reports whether a compaction block is one that was asked for; those of
// context_management are not signed, follow what they cover, and are left alone here.
func (b *Block) SignedSummary() bool {
	_, ok := b.Fields.Get("signature")
	return ok
}
