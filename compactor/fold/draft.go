package fold

import (
	"errors"
	"fmt"
	"strings"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/rawjson"
	"killick/summary"
	"killick/view"
)

// Draft is a record in the making.
type Draft struct {
	checkpoint.Record
	Summary *summary.Summary // of the turns that this record is about
	Room    summary.Room
	all     *summary.Summary // of all folded turns
	before  string           // the text of the records that stay before it
	format  view.Format
	text    string             // of the record that was rendered
	begun   *summary.Beginning // of the record; nil if it is to be made again

	Carried   []summary.Statement   // what models wrote of the turns that were folded before
	Originals []checkpoint.Original // what the fold hides
}

// bytesPerToken is about how many bytes of an index a token takes, labels counted.
const bytesPerToken = 4

// newDraft is a draft of all that is summarized, with room for an index beside it.
func newDraft(h *history.History, all *summary.Summary) *Draft {
	most := h.Policy.SummaryChars
	beside := max(most-bytesPerToken*h.Policy.IndexRoom(h.Budget), most/4)
	room := min(h.Policy.SummaryRoom(h.Budget), beside)
	return &Draft{
		format:  h.View.Request.Format(),
		Summary: all,
		all:     all,
		Room:    summary.Room{Summary: room, All: most, Expand: h.Policy.Expand},
	}
}

// Render makes the record and checks the bytes that are to be sent.
func (d *Draft) Render(redact settings.Redaction) error {
	text := redact.Of(d.Summary.RenderFrom(d.begun, d.Room))
	d.Raw = view.UserMessage(rawjson.AppendQuoted(nil, text))
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

// Text is the text of the record that was rendered.
func (d *Draft) Text() string { return d.text }

// withoutNames is the text of the draft without an index.
func (d *Draft) withoutNames() string {
	s := *d.Summary
	s.Names = nil
	d.begun = s.Beginning(d.Room)
	return s.RenderFrom(d.begun, d.Room)
}

// verify renders the draft and compares it to the turns that it replaces: what is
// missing of them is added, and how much was there before is reported. With ErrCoverage
// it was too little.
func verify(h *history.History, cp *checkpoint.Checkpoint, d *Draft, to int) error {
	if err := d.Render(h.Policy.Redact); err != nil {
		return err
	}
	if !h.Policy.CheckCoverage {
		return nil
	}
	cov := coverageOf(h, cp, d, to)
	cp.Probe = &compaction.Probe{Held: cov.held, Of: cov.of}
	if lines := cov.repairs(d.Room.All - len(d.Text())); len(lines) > 0 {
		d.Summary.Repairs, d.begun = lines, nil
		cp.Probe.Repaired = len(lines)
		if err := d.Render(h.Policy.Redact); err != nil {
			return err
		}
	}
	if cp.Probe.Coverage() < h.Policy.LeastCoverage {
		return ErrCoverage
	}
	return nil
}

// checkRecord checks the exact bytes of a record against what a record must be, and returns its
// text.
func checkRecord(raw []byte) (string, error) {
	record := rawjson.Value(raw)
	text := record.Get("content").Text()
	var faults []error
	if !record.Get("role").Is(string(view.User)) || !strings.HasPrefix(text, summary.Mark) {
		faults = append(faults, errors.New("it is not a user message that says what it is"))
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
