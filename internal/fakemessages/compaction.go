package fakemessages

import (
	"fmt"

	"killick/internal/fakemessages/request"
	"killick/internal/fakeserver"
)

// Compaction on request: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand

// summarize answers with a signed block that stands for all messages. Thinking of later turns stays
// valid after it where a model that preserves thinking wrote it. Where the model wrote none, the
// content is empty and the call is billed all the same.
func (x *exchange) summarize(a *answer) {
	if x.s.cfg.NoSummary != nil {
		if stop := x.s.cfg.NoSummary(a.req); stop != "" {
			a.stopReason = stop
			a.iterations = []iteration{{Type: request.TypeCompaction, Usage: a.usage}}
			a.usage = Usage{}
			return
		}
	}
	content := fmt.Sprintf("Summary of the conversation so far, of %d messages.",
		len(a.req.Messages))
	if x.s.cfg.Summarize != nil {
		content = x.s.cfg.Summarize(a.req)
	}
	a.stopReason = "compaction"
	a.blocks = []replyBlock{{json: fakeserver.EncodeJSON(summaryJSON{
		Type: request.TypeCompaction, Content: content,
		Signature: a.prefix.SignSummary(a.req, content),
	}), whole: true}}
	a.usage.OutputTokens = x.s.textTokens(content)
	a.iterations = []iteration{{Type: request.TypeCompaction, Usage: a.usage}}
	a.usage = Usage{}
}

type summaryJSON struct {
	Type      string `json:"type"`
	Content   string `json:"content"`
	Signature string `json:"signature"`
}
