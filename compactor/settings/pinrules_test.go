package settings

import (
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/transcript"
	"killick/view"
)

func TestPinPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		role    view.Role
		text    string
		tool    string
		want    bool
	}{
		{"DO NOT DEPLOY", view.User, "Remember: DO NOT DEPLOY on Fridays.", "", true},
		{"DO NOT DEPLOY", view.User, "do not deploy", "", false},
		{"DO NOT DEPLOY", view.User, "Summarise.\n<document>DO NOT DEPLOY</document>", "", false},
		{
			"DO NOT DEPLOY", view.User, "<system-reminder>DO NOT DEPLOY</system-reminder>\nGo on.",
			"", false,
		},
		{
			"DO NOT DEPLOY", view.User,
			"<system-reminder>Be nice.</system-reminder>\nDO NOT DEPLOY", "", true,
		},
		{"DO NOT DEPLOY", view.Assistant, "DO NOT DEPLOY", "", false},
		{"DO NOT DEPLOY", view.Tool, "DO NOT DEPLOY", "read", false},
		{"re:^IMPORTANT:", view.User, "IMPORTANT: port 8443", "", true},
		{"re:^IMPORTANT:", view.User, "Not IMPORTANT: port 8443", "", false},
		{"role:user:DEPLOY", view.User, "DEPLOY it", "", true},
		{"role:user:DEPLOY", view.Assistant, "DEPLOY it", "", false},
		{"role:assistant:re:^IMPORTANT:", view.Assistant, "IMPORTANT: port 8443", "", true},
		{"role:assistant:re:^IMPORTANT:", view.User, "IMPORTANT: port 8443", "", false},
		{"role:tool:re:(?i)ticket-[0-9]+", view.Tool, "see TICKET-17", "read", true},
		{"role:tool:TICKET", view.Assistant, "see TICKET-17", "", false},
		{"role:tool:TICKET", view.User, "see TICKET-17", "", false},
		{"tool:get_policy", view.Tool, "No refunds.", "get_policy", true},
		{"tool:mcp_*", view.Tool, "x", "mcp_files", true},
		{"tool:mcp_*", view.Tool, "mcp_files", "read", false},
		{"tool:get_policy", view.User, "get_policy", "", false},
	} {
		rules := newPinRules([]string{c.pattern})
		m := chattest.Message(t, chattest.Says(c.role, c.text))
		var got bool
		switch c.role {
		case view.User:
			got = rules.OfPerson(transcript.ReadAll([]view.Message{*m}).Message(0).Words())
		case view.Assistant:
			got = rules.OfAssistant(m)
		default:
			got = rules.OfOutput(m, c.tool)
		}
		if got != c.want {
			t.Errorf("%s on %s %q of %q: %t", c.pattern, c.role, c.text, c.tool, got)
		}
	}
	for _, bad := range []string{
		"", " ", "re:", "re:[", "tool:", "tool:[", strings.Repeat(
			"x", maxPinPattern+1,
		), "role:", "role:user", "role:user:", "role:user: ",
		"role:system:x", "role:client:x", "role:user:re:", "role:tool:re:(",
	} {
		if CheckPin(bad) == nil {
			t.Errorf("%.20q is taken", bad)
		}
	}
}
