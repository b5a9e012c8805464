package proxy

import "strings"

// Mode is what the proxy does with chat requests.
type Mode string

// The modes, in ascending order. A request may ask for less than the operator's
// mode, never for more.
const (
	ModeOff     Mode = "off"     // forward without inspection
	ModeObserve Mode = "observe" // decide and report, forward the original
	ModeOn      Mode = "on"
)

func (m Mode) rank() int {
	switch m {
	case ModeOff:
		return 1
	case ModeObserve:
		return 2
	case ModeOn:
		return 3
	}
	return 0
}

// modeHeader is how a request asks for less than the operator's mode.
const modeHeader = "Killick-Mode"

// modeOf returns the mode for a request that asks for one: never more than the
// operator's, and the operator's if it asks for an unknown one.
func modeOf(operator Mode, asked string) Mode {
	m := Mode(strings.ToLower(strings.TrimSpace(asked)))
	if m.rank() != 0 && m.rank() < operator.rank() {
		return m
	}
	return operator
}
