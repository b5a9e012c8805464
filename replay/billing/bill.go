package billing

import "encoding/json"

// Bill is the input cost of conversations under one profile, in fresh input tokens.
type Bill struct {
	Profile    Profile `json:"profile"`
	Raw        Parts   `json:"raw_parts"` // of the requests without compaction
	Sent       Parts   `json:"sent_parts"`
	ModelCalls float64 `json:"own_calls"`
	Rereads    float64 `json:"rereads"` // one more request each, with its output
	// EditRereads is Rereads without the lines that only other calls than edits quote: edits must
	// quote exactly, other calls need not.
	EditRereads float64 `json:"rereads_of_edits"`
	// Floor is the cost if each new token were written once and no message were sent again. The
	// preamble is read within its lifetime and written again after a longer idle time. Cutting
	// new text, as truncation on arrival does, can cost less.
	Floor float64 `json:"floor"`
	// Recorded is the cost of the recorded token counts. Simulated is the simulated cost of the
	// same requests with the lifetime that the client asked for. Both are zero without usage.
	Recorded  float64 `json:"recorded"`
	Simulated float64 `json:"simulated"`
}

// PlainCost returns the cost of requests and own calls, without re-reads.
func (b Bill) PlainCost() float64 { return b.Sent.Total() + b.ModelCalls }

// Share returns the bill with re-reads as a share of the raw bill.
func (b Bill) Share() float64 { return Share(b.PlainCost()+b.Rereads, b.Raw.Total()) }

// PlainShare is Share without re-reads.
func (b Bill) PlainShare() float64 { return Share(b.PlainCost(), b.Raw.Total()) }

// FloorShare returns the floor as a share of the raw bill.
func (b Bill) FloorShare() float64 { return Share(b.Floor, b.Raw.Total()) }

// minSavable is the share of the raw bill that must be savable for Captured to have a meaning.
const minSavable = 0.01

// Captured returns the share of the savable cost that was saved, after the cost of re-reads. ok is
// false if less than minSavable could be saved.
func (b Bill) Captured() (captured float64, ok bool) { return b.captured(b.Rereads) }

// CapturedForEdits is Captured with EditRereads as the cost of re-reads.
func (b Bill) CapturedForEdits() (captured float64, ok bool) { return b.captured(b.EditRereads) }

func (b Bill) captured(rereads float64) (captured float64, ok bool) {
	raw := b.Raw.Total()
	savable := raw - b.Floor
	if savable < minSavable*raw || savable <= 0 {
		return 0, false
	}
	return (raw - b.PlainCost() - rereads) / savable, true
}

// Add adds the sums of another bill with the same profile.
func (b *Bill) Add(o Bill) {
	b.Raw.Add(o.Raw)
	b.Sent.Add(o.Sent)
	b.ModelCalls += o.ModelCalls
	b.Rereads += o.Rereads
	b.EditRereads += o.EditRereads
	b.Floor += o.Floor
	b.Recorded += o.Recorded
	b.Simulated += o.Simulated
}

// MarshalJSON adds shares to the sums.
func (b Bill) MarshalJSON() ([]byte, error) {
	type sums Bill
	out := struct {
		Share      float64  `json:"share"`
		PlainShare float64  `json:"share_without_rereads"`
		FloorShare float64  `json:"floor_share"`
		Captured   *float64 `json:"captured"`
		ForEdits   *float64 `json:"captured_for_edits"` // counting only re-reads of edits
		Raw        float64  `json:"raw"`
		Sent       float64  `json:"sent"`
		sums
	}{b.Share(), b.PlainShare(), b.FloorShare(), nil, nil, b.Raw.Total(), b.Sent.Total(), sums(b)}
	if captured, ok := b.Captured(); ok {
		out.Captured = &captured
		forEdits, _ := b.CapturedForEdits()
		out.ForEdits = &forEdits
	}
	return json.Marshal(out)
}

// Recorded returns the cost of a request by the token counts that the provider recorded.
func (p *Profile) Recorded(read, written, fresh int) float64 {
	cost := p.Cached*float64(read) + p.Write*float64(written) + float64(fresh)
	return cost * p.factor(float64(read+written+fresh))
}

// RoundTrip returns the cost of one more request with the same prompt, all of it cached, in which
// the agent fetches this many tokens, and gets an answer.
func (p *Profile) RoundTrip(q *Prompt, fetched, answer float64) float64 {
	return p.factor(q.total()) * (p.Cached*q.total() + p.Write*fetched + p.Output*answer)
}

// Share returns a part as a share of a whole, 1 if the whole is zero.
func Share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}
