package prepare

import (
	"context"
	"fmt"

	"killick/compactor/checkpoint"
)

// claimPrefix is how many of its first messages identify a conversation in a claim. It must be a
// fixed number, since processes see the conversation at different lengths. Many conversations begin
// with the same user message, but models answer each differently.
const claimPrefix = 4

// claim claims the next summary after the present form. It reports whether this process should
// prepare it.
func (p *preparation) claim(ctx context.Context) bool {
	claims := p.options.Claims
	if claims == nil {
		return true
	}
	name := p.Prepared.Name(min(claimPrefix, len(p.View.Messages)))
	work := fmt.Sprintf("summary %s %v", name, checkpoint.BaseOf(p.form))
	if !claims.Claim(ctx, work, p.options.WriteTimeout+p.options.ProbeTimeout) {
		return false
	}
	p.claimed = work
	return true
}

// release releases the claim if the preparation failed in this process, as it may succeed in
// another. A summary that was rejected stays claimed, so that no other process asks for the same
// again immediately.
func (p *preparation) release(outcome string) {
	if p.claimed == "" {
		return
	}
	switch outcome {
	case ModelFailed, RejectedUnverified, NotStored, Cancelled, Panic:
		p.options.Claims.Release(p.claimed)
	}
}
