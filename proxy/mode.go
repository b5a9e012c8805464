package proxy

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
