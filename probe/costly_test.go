package probe

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
	"killick/messages"
)

// The work for a message does not grow with the square of the number of calls in it, whether the
// client or the provider runs them.
func TestManyCallsInAMessage(t *testing.T) {
	const n = 30_000
	list := func(piece func(i int) string) string {
		pieces := make([]string, n)
		for i := range pieces {
			pieces[i] = piece(i)
		}
		return strings.Join(pieces, ",")
	}
	const body = `{"messages":[{"role":"user","content":"Read all."},` +
		`{"role":"assistant","content":[{"type":"text","text":"We use Postgres."},%s]},` +
		`{"role":"user","content":[%s]}]}`
	for name, body := range map[string]string{
		"the client's": fmt.Sprintf(body,
			list(func(i int) string {
				return fmt.Sprintf(`{"type":"tool_use","id":"c%d","name":"read",`+
					`"input":{"path":"a%d.go","limit":"none"}}`, i, i)
			}),
			list(func(i int) string {
				return fmt.Sprintf(`{"type":"tool_result","tool_use_id":"c%d","content":"no"}`, i)
			})),
		"the API's": fmt.Sprintf(body,
			list(func(i int) string {
				return fmt.Sprintf(`{"type":"mcp_tool_use","id":"c%d","name":"read",`+
					`"server_name":"docs","input":{"path":"a%d.go"}},{"type":"mcp_tool_result",`+
					`"tool_use_id":"c%[1]d","content":[{"type":"text","text":"page %[1]d"}]}`, i, i)
			}),
			`{"type":"text","text":"Good."}`),
	} {
		msgs := ofAPI(t, messages.Format, body)
		start := cputime.Used()
		kept, _ := NewIndex(msgs, 1).Ground([]Statement{{Section: "fact", Text: "We use Postgres.",
			Quote: "We use Postgres.", Messages: []int{2}}})
		c := NewConversation(msgs, same)
		kept, _ = c.Passages(kept)
		c.Others(kept)
		if took := cputime.Used() - start; len(kept) != 1 || took > 15*time.Second {
			t.Errorf("calls of %s: %d statements after %s", name, len(kept), took)
		}
	}
}
