package results

import (
	"fmt"
	"testing"

	"killick/chat"
)

// A call that was not allowed to run is refused, whatever its tool.
func TestRefusals(t *testing.T) {
	c := Call{Tool: "bash", Runs: true, Arguments: noArguments{}}
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

// noArguments are those of a call without any.
type noArguments struct{}

func (noArguments) Has(string) bool { return false }
func (noArguments) OnlyReads() bool { return false }
