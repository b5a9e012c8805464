package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/summary"
)

// object is the type of a report, as in the objects of the API.
const object = "killick.summary"

// Report describes a form that has records. It follows from the checkpoint alone.
type Report struct {
	Object         string    `json:"object"`
	Messages       Span      `json:"messages"`
	Compressions   int       `json:"compressions"` // folds that made the records
	LastCompressed time.Time `json:"last_compressed_at"`
	Tokens         Tokens    `json:"tokens"`
	// Kept are the replaced messages that are still sent beside the records.
	Kept        []summary.Kept       `json:"kept_messages"`
	Sections    []summary.Count      `json:"sections"` // as the records show them
	NamesListed int                  `json:"names_listed"`
	Dropped     []compaction.Dropped `json:"dropped"` // everything no longer sent as received
	Probe       *Probe               `json:"probe"`   // null if nothing was verified
	Summary     *summary.Summary     `json:"summary"` // of all turns that were replaced
	// Provider is the summary that the provider's API wrote, which precedes everything else; null
	// if there is none. Nothing of it was verified, and the coverage is not about it.
	Provider *Provider `json:"provider"`
	// Record is the text of the records as a model is shown them, one after the other.
	Record string `json:"record"`
}

// Span is the range of messages that are replaced. The first after the leading instructions is 1.
type Span struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Tokens are the sizes of the request when the form was made, before and after, and of
// the records in it.
type Tokens struct {
	Before  int `json:"before"`
	After   int `json:"after"`
	Records int `json:"records"`
}

// Probe has the results of verification.
type Probe struct {
	Coverage Coverage               `json:"coverage"`
	Model    *compaction.ModelProbe `json:"model"` // null if no model wrote
}

// Provider is a summary that the provider's API wrote.
type Provider struct {
	Tokens   int             `json:"tokens"`
	Verified bool            `json:"verified"`
	Message  json.RawMessage `json:"message"` // as it is sent
}

// Coverage counts the items that the newest fold replaces, those that its record had before it was
// repaired, and the lines that were added.
type Coverage struct {
	Held     int `json:"held"`
	Of       int `json:"of"`
	Repaired int `json:"repaired"`
}

// Of returns the report of a form that has records.
func Of(cp *checkpoint.Checkpoint) (*Report, error) {
	sum, err := cp.Summary()
	if err != nil {
		return nil, err
	}
	if sum == nil {
		return nil, errNoRecords
	}
	texts := make([]string, len(cp.Records), len(cp.Records)+1)
	records := 0
	for i := range cp.Records {
		texts[i] = checkpoint.Text(cp.Records[i : i+1])
		records += cp.Records[i].Tokens + cp.Records[i].ModelTokens
	}
	if cp.Working.Raw != nil {
		texts = append(texts, cp.Working.Text())
		records += cp.Working.Tokens
	}
	r := &Report{
		Object:         object,
		Messages:       Span{sum.First, sum.Last},
		Compressions:   sum.Folds,
		LastCompressed: time.Unix(cp.Made, 0).UTC(),
		Tokens:         Tokens{cp.Before, cp.After, records},
		Kept:           checkpoint.ListKept(cp.Kept()),
		Dropped:        append([]compaction.Dropped{}, cp.Dropped...),
		Summary:        sum,
		Record:         strings.Join(texts, "\n"),
	}
	r.Sections, r.NamesListed = summary.Counts(texts...)
	if p := cp.Probe; p != nil {
		r.Probe = &Probe{
			Coverage: Coverage{Held: p.Held, Of: p.Of, Repaired: p.Repaired}, Model: p.Model,
		}
	}
	if p := cp.Provider; p != nil {
		r.Provider = &Provider{Tokens: p.Tokens, Message: p.Raw}
	}
	return r, nil
}

var errNoRecords = errors.New("the form has no records")

// JSON returns the report as it is stored and shown.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encoding a report of a summary: %w", err)
	}
	return b.Bytes(), nil
}

// Ref returns the name of the report on a conversation's form for a prefix of this many messages.
// It is computed from the conversation and the store's secret, without the checkpoint.
func Ref(conv checkpoint.Conversation, covers int) string {
	return conv.Ref([]byte(object + " 1\x00" + conv.Name(covers)))
}

// pointer is the beginning of the content stored under the ref of a report. The place of the
// form follows.
const pointer = object + " of\x00"

// Pointer returns the content to store for the report on a conversation's form: the place of the
// form. The report is made from the form when a client requests it.
func Pointer(conv checkpoint.Conversation, covers int) checkpoint.Original {
	return checkpoint.Original{
		Ref: Ref(conv, covers), Content: []byte(pointer + conv.Place(covers)),
	}
}

// PointsTo returns the place of the form that a stored pointer names. ok is false if stored is not
// a pointer.
func PointsTo(stored []byte) (place string, ok bool) {
	return strings.CutPrefix(string(stored), pointer)
}
