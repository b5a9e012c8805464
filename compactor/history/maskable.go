package history

import (
	"killick/compactor/settings"
	"killick/rawjson"
	"killick/transcript"
	"killick/view"
)

// maskable reports whether message m, the output of call c, may be masked.
func maskable(
	p *settings.Policy,
	m *view.Message,
	tokens int,
	c *transcript.Call,
	unresolved bool,
) bool {
	name := c.Made().Name
	return tokens >= p.MinMaskTokens && m.Role().Result() && !unresolved && m.OnlyText() &&
		m.Content().Kind() != rawjson.Absent && !p.Excluded(name) && !p.Pins.OfOutput(m, name)
}
