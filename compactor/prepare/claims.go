package prepare

import (
	"context"
	"fmt"
	"time"

	"killick/compactor/checkpoint"
)

// Claims has work done once by all processes that share a Store.
type Claims interface {
	// Claim takes on work for so long at most, and reports whether it is this process's to do.
	Claim(ctx context.Context, work string, lasts time.Duration) bool
	// Release gives up work that was claimed.
	Release(work string)
}

// opening is how many messages name a conversation whose next summary is claimed: all processes
// see these, however long it is when they see it. Clients begin many conversations with the same
// words, but models answer each in words of their own.
const opening = 4

// claim takes on what is to be written upon the present form, and reports whether no other process
// has.
func (p *preparation) claim(ctx context.Context) bool {
	claims := p.background.Claims
	if claims == nil {
		return true
	}
	name := p.Prepared.Name(min(opening, len(p.View.Messages)))
	work := fmt.Sprintf("summary %s %v", name, checkpoint.BaseOf(p.form))
	if !claims.Claim(ctx, work, p.background.WriteTimeout+p.background.ProbeTimeout) {
		return false
	}
	p.claimed = work
	return true
}

// release gives up what was claimed where it failed in this process and may work in another. What
// was judged stays claimed, so that the next one does not ask for it again at once.
func (p *preparation) release(outcome string) {
	if p.claimed == "" {
		return
	}
	switch outcome {
	case ModelFailed, RejectedUnverified, NotStored, Cancelled, Panic:
		p.background.Claims.Release(p.claimed)
	}
}
