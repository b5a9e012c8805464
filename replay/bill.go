package replay

import (
	"encoding/json"
	"time"
)

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

// plainCost returns the cost of requests and own calls, without re-reads.
func (b Bill) plainCost() float64 { return b.Sent.Total() + b.ModelCalls }

// Share returns the bill with re-reads as a share of the raw bill.
func (b Bill) Share() float64 { return share(b.plainCost()+b.Rereads, b.Raw.Total()) }

// PlainShare is Share without re-reads.
func (b Bill) PlainShare() float64 { return share(b.plainCost(), b.Raw.Total()) }

// FloorShare returns the floor as a share of the raw bill.
func (b Bill) FloorShare() float64 { return share(b.Floor, b.Raw.Total()) }

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
	return (raw - b.plainCost() - rereads) / savable, true
}

func (b *Bill) add(o Bill) {
	b.Raw.add(o.Raw)
	b.Sent.add(o.Sent)
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

// rawBills returns a bill for each profile, with the cost of the unchanged requests and the floor.
func (s *Study) rawBills(profiles []Profile) []Bill {
	bills := make([]Bill, len(profiles))
	type invoices struct{ raw, asked, least *invoice }
	var all []invoices
	for i, p := range profiles {
		bills[i].Profile = p
		v := invoices{newInvoice(p), newInvoice(p),
			newInvoice(Profile{Cached: p.Cached, Write: p.Write, Lifetime: p.Lifetime})}
		if s.Usage != nil {
			v.asked.Lifetime = time.Duration(s.Usage.TTL) * time.Second
		}
		all = append(all, v)
	}
	for i := range s.turns {
		t := &s.turns[i]
		q := s.promptOf(t, s.tools, s.overhead, t.messages)
		for n, v := range all {
			b := &bills[n]
			cost, _ := v.raw.add(q)
			b.Raw.add(cost)
			b.Floor += leastCost(q, v.least)
			if s.Usage != nil {
				cost, _ = v.asked.add(q)
				b.Simulated += cost.Total()
				b.Recorded += recordedCost(b.Profile, &s.Usage.Requests[i])
			}
		}
	}
	return bills
}

// leastCost returns the cost that a turn cannot avoid: its new messages and the preamble.
func leastCost(q *prompt, least *invoice) float64 {
	cost, _ := least.add(q.preamble())
	return cost.Total() + q.fresh*least.Write
}

func recordedCost(p Profile, u *UsageOfAnswer) float64 {
	cost := p.Cached*float64(u.Read) + p.Write*float64(u.Written) + float64(u.Fresh)
	return cost * p.factor(float64(u.Total()))
}

// bills are the bills of one strategy while it is measured.
type bills struct {
	list     []Bill
	invoices []*invoice
	answer   float64 // median size of an answer, in the provider's tokens
}

func (s *Study) newBills(profiles []Profile) *bills {
	b := &bills{list: s.rawBills(profiles), answer: s.medianAnswer()}
	for _, p := range profiles {
		b.invoices = append(b.invoices, newInvoice(p))
	}
	return b
}

// add adds a forwarded request and the strategy's own calls.
func (b *bills) add(q *prompt, own ModelUsage, scale float64) {
	for i, v := range b.invoices {
		cost, _ := v.add(q)
		b.list[i].Sent.add(cost)
		b.list[i].ModelCalls += scale * (float64(own.Prompt-own.Cached) +
			v.Cached*float64(own.Cached) + v.Output*float64(own.Completion))
	}
}

// reread adds a round trip in which the agent fetches messages again: one more request with the
// prompt of this turn, all of it cached, the fetched messages, and an answer of median size.
func (b *bills) reread(q *prompt, fetched float64) {
	for i, v := range b.invoices {
		b.list[i].Rereads += v.roundTrip(q, fetched, b.answer)
	}
}

// rereadForEdits is reread for EditRereads.
func (b *bills) rereadForEdits(q *prompt, fetched float64) {
	for i, v := range b.invoices {
		b.list[i].EditRereads += v.roundTrip(q, fetched, b.answer)
	}
}

func (p *Profile) roundTrip(q *prompt, fetched, answer float64) float64 {
	return p.factor(q.total()) * (p.Cached*q.total() + p.Write*fetched + p.Output*answer)
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}
