package fold

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
	"killick/messages"
	"killick/transcript"
	"killick/view"
)

// The work for a message does not grow with the square of the calls in it that the provider ran.
func TestManyHostedCallsInAMessage(t *testing.T) {
	const n = 40_000
	var blocks strings.Builder
	for i := range n {
		id := strconv.Itoa(i)
		blocks.WriteString(`,{"type":"mcp_tool_use","id":"c` + id + `","name":"read",` +
			`"server_name":"docs","input":{"page":` + id + `}},{"type":"mcp_tool_result",` +
			`"tool_use_id":"c` + id + `","content":[{"type":"text","text":"page ` + id + `"}]}`)
	}
	r, err := view.Parse(messages.Format, []byte(`{"messages":[{"role":"user","content":"Go."},`+
		`{"role":"assistant","content":[{"type":"text","text":"Read."}`+blocks.String()+`]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	read := transcript.ReadAll(r.Messages())
	start := cputime.Used()
	text := withHosted(read, 1)
	if took := cputime.Used() - start; took > 5*time.Second ||
		strings.Count(text, "\npage ") != n || !strings.HasPrefix(text, "Read.\n\n") {
		t.Errorf("%d bytes after %s, which begin with %.80q", len(text), took, text)
	}
}
