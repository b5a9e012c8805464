package fold

import (
	"errors"
	"fmt"
	"strings"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/rawjson"
	"killick/summary"
	"killick/view"
)

// Draft is a record that is not complete yet.
type Draft struct {
	checkpoint.Record
	Summary *summary.Summary // of the turns that this record is about
	Room    summary.Room
	all     *summary.Summary // of all folded turns
	before  string           // the text of the records that stay before it
	format  view.Format
	text    string             // of the rendered record
	begun   *summary.Beginning // the rendered beginning of the record; nil if it must be rendered

	Carried   []summary.Statement   // statements of models about the turns folded before
	Originals []checkpoint.Original // of what the fold hides
}

// bytesPerToken is the approximate number of bytes for a token of an index, labels included.
const bytesPerToken = 4

// newDraft returns a draft of the whole summary, with room for an index beside it.
func newDraft(h *history.History, all *summary.Summary) *Draft {
	most := h.Policy.SummaryBytes
	beside := max(most-bytesPerToken*h.Policy.IndexRoom(h.Budget), most/4)
	room := min(h.Policy.SummaryRoom(h.Budget), beside)
	return &Draft{
		format:  h.View.Request.Format(),
		Summary: all,
		all:     all,
		Room:    summary.Room{Summary: room, All: most, Expand: h.Policy.Expand},
	}
}

// Render renders the record and checks the bytes that are to be sent.
func (d *Draft) Render(redact settings.Redaction) error {
	text := redact.Of(d.Summary.RenderFrom(d.begun, d.Room))
	d.Raw = d.format.Spelling().UserMessage(rawjson.AppendQuoted(nil, text))
	var err error
	d.text, err = checkRecord(d.Raw)
	return err
}

// Count counts the record that was rendered.
func (d *Draft) Count(c layout.Counter) error {
	record, err := d.format.Message(d.Raw)
	if err != nil {
		return fmt.Errorf("counting a record: %w", err)
	}
	d.Tokens = c.Message(&record)
	return nil
}

// Text returns the text of the rendered record.
func (d *Draft) Text() string { return d.text }

// withoutNames returns the text of the draft without an index.
func (d *Draft) withoutNames() string {
	s := *d.Summary
	s.Names = nil
	d.begun = s.Beginning(d.Room)
	return s.RenderFrom(d.begun, d.Room)
}

// checkRecord checks that the bytes of a record have the required form, and returns its text.
func checkRecord(raw []byte) (string, error) {
	text := view.UserText(raw).Text()
	var faults []error
	if !strings.HasPrefix(text, summary.Mark) {
		faults = append(faults, errors.New("it is not a user message that begins as a record"))
	}
	for _, title := range []string{summary.TitleIntent, summary.TitleState} {
		if !strings.Contains(text, "\n## "+title+"\n") {
			faults = append(faults, fmt.Errorf("the section %q is missing", title))
		}
	}
	if len(faults) > 0 {
		return text, fmt.Errorf("checking a rendered record: %w", errors.Join(faults...))
	}
	return text, nil
}
