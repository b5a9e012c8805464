package viewtest

import (
	"fmt"
	"strings"

	"killick/view"
)

// HostedCalls describes the calls in a message that the provider ran, one on each line.
func HostedCalls(m *view.Message) string {
	var lines []string
	for _, c := range m.HostedCalls() {
		line := c.Name + " " + string(c.Arguments)
		if c.Name == "" {
			line = "result of " + c.ID
		}
		if c.Runs {
			line = "run " + line
		}
		if r := c.Result; r == nil {
			line += ", no result"
		} else {
			line += fmt.Sprintf(": %q", r.Text)
			if r.Failed {
				line += " failed"
			}
			if r.Exit >= 0 {
				line += fmt.Sprintf(", exit %d", r.Exit)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
