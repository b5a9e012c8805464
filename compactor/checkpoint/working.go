package checkpoint

import (
	"killick/packed"
	"killick/view"
)

// Working is a message after the records with lines of files that are likely to be needed. The next
// fold replaces it, since what follows the records changes then anyway.
type Working struct {
	Raw    []byte // a message of the user; nil if there is none
	Tokens int
}

// Text returns the text of the message, as a model is shown it.
func (w *Working) Text() string { return view.UserText(w.Raw).Text() }

// valid reports whether it is empty, or a message that was counted.
func (w *Working) valid() bool {
	if w.Raw == nil {
		return w.Tokens == 0
	}
	return w.Tokens > 0 && isRecord(w.Raw)
}

func (w *Working) encode(to *packed.Writer) {
	to.Bytes(w.Raw)
	to.Int(w.Tokens)
}

func readWorking(r *packed.Reader) Working { return Working{Raw: r.Bytes(), Tokens: r.Int()} }
