package compactor

import "killick/compactor/settings"

// plainUntil returns up to where persons chat with a model that has no tools: the request lists
// none, no message is a call or a result, and none of the user's side is the client's alone, as are
// results in text.
//
// An agent reads again what a fold left out, and prices tell whether a fold pays all the same. In
// such a chat nothing can be read again.
func (w *run) plainUntil() int {
	for _, tools := range w.v.Request.Preamble().Tools {
		for range tools.Elements() {
			return 0
		}
	}
	memory, all := w.v.Request.Memory(), len(w.v.Messages)
	kept, from := memory.Load(plainKey{})
	until, _ := kept.(int)
	if until < from {
		return until
	}
	n := from
	for n < all && !w.v.Messages[n].HasCalls() && !w.v.Messages[n].Role().Result() {
		n++
	}
	if clients := w.v.Transcript(all).Clients(from, n); len(clients) > 0 {
		n = clients[0]
	}
	const numberBytes = 8
	memory.Store(plainKey{}, n, all, numberBytes)
	return n
}

// plainKey is the key of what plainUntil found in a view.Memory.
type plainKey struct{}

// budgetAt returns the budget for decisions about the first n messages. It depends on these alone,
// so that later messages change no decision that was made before them.
func (w *run) budgetAt(n int) settings.Budget {
	if w.base.Derived && n <= w.plain {
		return w.base.OfChat()
	}
	return w.base
}
