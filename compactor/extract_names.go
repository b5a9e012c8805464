package compactor

import (
	"strings"

	"killick/chat"
)

// readNames reads the references of the turns [from, to) of v into a table of
// their own. calls are those of the turns.
func readNames(v *view, calls []call, from, to int) *nameTable {
	t := newNameTable()
	for i := from; i < to; i++ {
		m := &v.msgs[i]
		switch m.Role() {
		case chat.Assistant:
			eachRef(v.redact.of(m.Text()), func(word string, kind refKind) { t.at(word, kind, v.before[i]).Used = v.before[i] })
		case chat.User:
			eachRef(v.redact.of(m.Text()), func(word string, kind refKind) { t.at(word, kind, v.before[i]).Asked++ })
		}
	}
	for c := range calls {
		t.readCall(v, &calls[c])
	}
	return t
}

// readCall reads what a call and its result name. Of a shortened output it is
// the original that counts.
func (t *nameTable) readCall(v *view, c *call) {
	at := v.before[c.caller]
	shows := len(t.Calls)
	t.Calls = append(t.Calls, callLine{At: c.caller, Text: c.describe(indexedCall)})
	eachRef(strings.ReplaceAll(v.redact.of(c.args), `\n`, "\n"), func(word string, kind refKind) {
		n := t.at(word, kind, at)
		n.Used, n.Call = at, shows
	})
	for _, path := range c.paths {
		eachRef(path, func(word string, kind refKind) { t.at(word, kind, at).Worked++ })
	}
	if c.result < 0 {
		return
	}
	at = v.before[c.result]
	eachRef(v.redact.of(v.original(c.result).Text()), func(word string, kind refKind) {
		n := t.at(word, kind, at)
		n.Shown++
		n.Call = shows
	})
}
