package results

import (
	"fmt"
	"testing"

	"killick/chat"
)

// A call that was not allowed to run is refused, whatever its tool.
func TestRefusals(t *testing.T) {
	c := Call{
		Tool: "bash", Runs: true, Has: func(string) bool { return false },
		OnlyReads: func() bool { return false },
	}
	for _, begin := range refusals {
		m, err := chat.ParseMessage(fmt.Appendf(nil,
			`{"role":"tool","tool_call_id":"c","content":%q}`, begin+" More."))
		if err != nil {
			t.Fatal(err)
		}
		status, exit, _ := c.Status(&m, m.Text)
		if status != Refused || exit != -1 {
			t.Errorf("%q: status %d, exit %d", begin, status, exit)
		}
	}
}
