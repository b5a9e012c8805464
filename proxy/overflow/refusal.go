package overflow

import "killick/compaction"

// Refusal is an upstream's rejection of a request that is too long.
type Refusal struct {
	compaction.Overflow
	Provider string // the source of the wording: a fixed word, for the log
	// Reasoning means that the upstream does not reject the length, but signed or encrypted
	// reasoning of earlier turns, which it cannot verify.
	Reasoning bool
	// Summary means that a summary by the provider is rejected, or its mandatory header.
	Summary bool
}

// numbers are the numbers in an error, as written.
type numbers struct {
	provider string
	stated   compaction.Overflow
	total    int // prompt and completion together
}

func (n *numbers) set(group string, tokens int) {
	switch group {
	case "window":
		n.stated.Window = tokens
	case "input":
		n.stated.Input = tokens
	case "prompt":
		n.stated.Prompt = tokens
	case "output":
		n.stated.Output = tokens
	case "total":
		n.total = tokens
	case "over":
		n.stated.Over = tokens
	}
}

// refusal derives the missing numbers.
func (n *numbers) refusal() *Refusal {
	o := n.stated
	if o.Prompt == 0 {
		o.Prompt = max(0, n.total-o.Output)
	}
	return &Refusal{Overflow: o, Provider: n.provider}
}
