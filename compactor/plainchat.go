package compactor

// isPlainChat reports whether persons chat with a model that has no tools: the request lists none,
// no message is a call or a result, and none of the user's side is the client's alone, as are
// results in text.
//
// An agent reads again what a fold left out, and prices tell whether a fold pays all the same. In
// such a chat nothing can be read again.
func (w *run) isPlainChat() bool {
	for _, tools := range w.v.Request.Preamble().Tools {
		for range tools.Elements() {
			return false
		}
	}
	for i := range w.v.Messages {
		if m := &w.v.Messages[i]; m.HasCalls() || m.Role().Result() {
			return false
		}
	}
	n := len(w.v.Messages)
	return len(w.v.Transcript(n).Clients(0, n)) == 0
}
