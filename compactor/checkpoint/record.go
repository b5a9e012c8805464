package checkpoint

import (
	"strings"

	"killick/rawjson"
	"killick/summary"
)

// Record is a message of ours, as it is sent, with the messages of the turns that it
// replaces which are sent before it. All that is decided counts it without what a model
// wrote in it, so that decisions are the same whether a model wrote or not.
type Record struct {
	Kept        []Kept
	Raw         []byte
	Tokens      int    // of Raw, without what a model wrote
	Plain       []byte // the record without that, where Raw has some
	ModelTokens int    // tokens that Raw takes beside Tokens
}

// plain is the record without what a model wrote.
func (r *Record) plain() Record {
	if r.Plain == nil {
		return *r
	}
	return Record{Kept: r.Kept, Raw: r.Plain, Tokens: r.Tokens}
}

// text is the record as it is spelled: its content is one string.
func (r *Record) text() rawjson.Value { return rawjson.Value(r.Raw).Get("content") }

// Kept is a message of the folded turns that is sent beside their record: what a person
// typed, what the client wrote before the task. A person's words stay a person's
// message, in the client's own bytes.
type Kept struct {
	Index  int    // of the message, after the leading instructions
	Raw    []byte // what is sent of it; nil: all, as the client spells it
	Tokens int
	Client bool // the client wrote it, no person
}

// Tokens is what the records take with what is kept beside them.
func Tokens(records []Record) (n int) {
	for i := range records {
		n += records[i].Tokens
		for k := range records[i].Kept {
			n += records[i].Kept[k].Tokens
		}
	}
	return n
}

// ModelTokens is what models wrote in the records, which Tokens leaves out.
func ModelTokens(records []Record) (n int) {
	for i := range records {
		n += records[i].ModelTokens
	}
	return n
}

// Text is the text of the records, as a model is shown it.
func Text(records []Record) string {
	var b strings.Builder
	for i := range records {
		b.WriteString(records[i].text().Text() + "\n")
	}
	return b.String()
}

// ListKept returns the kept messages as a record and a report list them.
func ListKept(kept []Kept) []summary.Kept {
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
