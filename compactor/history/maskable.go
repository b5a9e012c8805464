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
	made := c.Made()
	return tokens >= p.MinMaskTokens && !unresolved && !made.ByProgram && m.OnlyText() &&
		m.Content().Kind() != rawjson.Absent && !p.Excluded(made.Name) &&
		!p.Pins.OfOutput(m, made.Name)
}
