package history

import (
	"killick/chat"
	"killick/compactor/settings"
	"killick/transcript"
)

// maskable reports whether the output of call c, message m, may be masked at all.
func maskable(
	p *settings.Policy,
	m *chat.Message,
	tokens int,
	c *transcript.Call,
	unresolved bool,
) bool {
	return tokens >= p.MinMaskTokens && m.Role().Result() && !unresolved && m.OnlyText() &&
		m.Content().Kind() != chat.Absent && !p.Excluded(c.Name) && !p.Pins.OfOutput(m, c.Name)
}
