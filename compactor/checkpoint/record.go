package checkpoint

import (
	"strings"

	"killick/chat"
	"killick/summary"
)

// textOf is what the records say, as a model is shown it.
func Text(records []Record) string {
	var b strings.Builder
	for i := range records {
		if m, err := chat.ParseMessage(records[i].Raw); err == nil {
			b.WriteString(m.Text() + "\n")
		}
	}
	return b.String()
}

// told are the kept messages as a record speaks of them.
func KeptAs(kept []Kept) []summary.Kept {
	list := make([]summary.Kept, len(kept))
	for n := range kept {
		k := &kept[n]
		list[n] = summary.Kept{At: k.Index + 1, Class: summary.KeptPerson, Cut: k.Raw != nil}
		if k.Client {
			list[n].Class = summary.KeptClient
		}
	}
	return list
}
