package checkpoint

import (
	"strings"

	"killick/rawjson"
	"killick/summary"
	"killick/view"
)

// Record is a message that replaces turns, with the kept messages of these turns, which are sent
// before it. Decisions count it without the text of a model in it, so that they are the same
// whether a model wrote or not.
type Record struct {
	Kept        []Kept
	Raw         []byte // the message
	Tokens      int    // of Raw, without the text of a model
	Plain       []byte // the record without the text of a model, if Raw has such text
	ModelTokens int    // tokens of Raw that Tokens does not count
}

// plain returns the record without the text of a model.
func (r *Record) plain() Record {
	if r.Plain == nil {
		return *r
	}
	return Record{Kept: r.Kept, Raw: r.Plain, Tokens: r.Tokens}
}

// text returns the content of the record, a JSON string.
func (r *Record) text() rawjson.Value { return view.UserText(r.Raw) }

// valid reports whether a record is a message of the user that was counted.
func (r *Record) valid() bool {
	if r.Tokens <= 0 || r.ModelTokens < 0 || !isRecord(r.Raw) {
		return false
	}
	return r.Plain == nil || isRecord(r.Plain)
}

// isRecord reports whether raw is a message of the user with one text.
func isRecord(raw []byte) bool {
	end, err := rawjson.Skip(raw, 0)
	return err == nil && end == len(raw) && view.UserText(raw) != nil
}

// Kept is a message of the folded turns that is sent beside their record: one that a person typed,
// or that the client wrote before the task. It stays a separate message. Unless it is cut, it is
// sent as received.
type Kept struct {
	Index  int    // of the message, after the leading instructions
	Raw    []byte // the message as it is cut; nil if it is sent as received
	Tokens int
	Client bool // the client wrote it, not a person
}

// Tokens returns the tokens of the records and of the messages kept beside them.
func Tokens(records []Record) (n int) {
	for i := range records {
		n += records[i].Tokens
		for k := range records[i].Kept {
			n += records[i].Kept[k].Tokens
		}
	}
	return n
}

// ModelTokens returns the tokens of models' text in the records, which Tokens does not count.
func ModelTokens(records []Record) (n int) {
	for i := range records {
		n += records[i].ModelTokens
	}
	return n
}

// Text returns the text of the records, as a model is shown it.
func Text(records []Record) string {
	var b strings.Builder
	for i := range records {
		b.WriteString(records[i].text().Text() + "\n")
	}
	return b.String()
}

// ListKept returns the kept messages in the form that records and reports list.
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
