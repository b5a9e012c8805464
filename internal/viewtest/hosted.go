package viewtest

import (
	"fmt"
	"strings"

	"killick/view"
)

// Cited describes the sources that a message cites, one on each line.
func Cited(m *view.Message) string {
	var lines []string
	for _, s := range m.Cited() {
		line := fmt.Sprintf("%q %s", s.Title, s.URL)
		if s.Text != "" {
			line += ": " + s.Text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

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
			line += fmt.Sprintf(": %q", r.Readable())
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
