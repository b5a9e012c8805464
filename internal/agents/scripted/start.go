package scripted

import "killick/internal/agents/programs"

// Start starts a scripted upstream for a format. The caller closes it.
func Start(format string, m *Model) (*Upstream, error) {
	switch format {
	case programs.FormatMessages:
		return startMessages(m)
	case programs.FormatChat:
		return startChat(m)
	case programs.FormatGemini:
		return startGemini(m)
	case programs.FormatConverse:
		return startConverse(m)
	case programs.FormatOllama:
		return startOllama(m), nil
	}
	return startResponses(m)
}
