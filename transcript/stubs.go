package transcript

import (
	"bytes"
	"strings"

	"killick/view"
)

// stubs are the answers of agents to a read of an unchanged file: instead of the content, they
// refer to the earlier result. If that result is no longer sent, the model cannot see the content
// at all.
var stubs = []struct{ start, has string }{
	{"Wasted call", "unchanged since your last Read"},                  // Claude Code 2.1.330
	{"File unchanged since last read", ""},                             // Claude Code 2.1.330
	{"<system-reminder>This file is already in your context", ""},      // Claude Code 2.1.330
	{"<system-reminder>Wasted call", "unchanged since your last Read"}, // as a block of its own
	// qwen-code 0.24.4 and 0.15.10
	{"[File ", "unchanged since last read"},
}

// maxStub limits a stub, in bytes: a longer result has content.
const maxStub = 600

// beginsAsStub is a quick test of an escaped content. body is nil if the content has several parts.
func beginsAsStub(body []byte) bool {
	if body == nil {
		return true
	}
	body = bytes.TrimLeft(body, " ")
	return len(body) > 0 && bytes.IndexByte([]byte(`WF<[\`), body[0]) >= 0
}

// IsStub reports whether a result refers to an earlier one instead of having the content. A
// reminder that the client appended does not count as content.
func IsStub(m *view.Message) bool {
	if len(m.Content()) > 16*maxStub || !beginsAsStub(m.Content().StringBody()) {
		return false
	}
	text := strings.TrimSpace(m.Text())
	if i := strings.Index(text, "\n<system-reminder>"); i > 0 &&
		strings.HasSuffix(text, "</system-reminder>") {
		text = text[:i]
	}
	if len(text) > maxStub {
		return false
	}
	for _, s := range stubs {
		if strings.HasPrefix(text, s.start) && strings.Contains(text, s.has) {
			return true
		}
	}
	return false
}
