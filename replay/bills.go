package replay

import (
	"hash/maphash"
	"time"

	"killick/replay/billing"
)

// promptOf returns a request as a provider bills it. overhead is the number of tokens outside its
// messages by our own count; tools is what precedes the messages.
func (s *Study) promptOf(t *turn, tools []byte, overhead int, messages []*message) *billing.Prompt {
	q := &billing.Prompt{Sent: t.sent, Ended: t.ended, Shared: t.shared, Lost: t.lost, Kept: t.kept,
		Leading: leadingInstructions(messages)}
	preamble := s.preamble + float64(overhead-s.overhead)*s.scale
	q.Add(preamble, [2]uint64{maphash.Bytes(toolSeed, tools)})
	for _, m := range messages {
		q.Add(s.weight(t, m), m.fingerprint)
	}
	for _, m := range t.messages[max(len(t.messages)-t.fresh, leadingInstructions(t.messages)):] {
		q.Fresh += s.weight(t, m)
	}
	return q
}

var toolSeed = maphash.MakeSeed()

// leadingInstructions returns how many system or developer messages precede all others.
func leadingInstructions(messages []*message) (n int) {
	for n < len(messages) && messages[n].role.Instructs() {
		n++
	}
	return n
}

// rawBills returns a bill for each profile, with the cost of the unchanged requests and the floor.
func (s *Study) rawBills(profiles []billing.Profile) []billing.Bill {
	bills := make([]billing.Bill, len(profiles))
	type invoices struct {
		raw, asked *billing.Invoice
		least      billing.Floor
	}
	var all []invoices
	for i, p := range profiles {
		bills[i].Profile = p
		v := invoices{billing.NewInvoice(p), billing.NewInvoice(p), billing.NewFloor(p)}
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
			cost, _ := v.raw.Add(q)
			b.Raw.Add(cost)
			b.Floor += v.least.Add(q)
			if s.Usage != nil {
				u := &s.Usage.Requests[i]
				cost, _ = v.asked.Add(q)
				b.Simulated += cost.Total()
				b.Recorded += b.Profile.Recorded(u.Read, u.Written, u.Fresh)
			}
		}
	}
	return bills
}

// bills are the bills of one strategy while it is measured.
type bills struct {
	list     []billing.Bill
	invoices []*billing.Invoice
	answer   float64 // median size of an answer, in the provider's tokens
}

func (s *Study) newBills(profiles []billing.Profile) *bills {
	b := &bills{list: s.rawBills(profiles), answer: s.medianAnswer()}
	for _, p := range profiles {
		b.invoices = append(b.invoices, billing.NewInvoice(p))
	}
	return b
}

// add adds a forwarded request and the strategy's own calls.
func (b *bills) add(q *billing.Prompt, own ModelUsage, scale float64) {
	for i, v := range b.invoices {
		cost, _ := v.Add(q)
		b.list[i].Sent.Add(cost)
		b.list[i].ModelCalls += scale * (float64(own.Prompt-own.Cached) +
			v.Cached*float64(own.Cached) + v.Output*float64(own.Completion))
	}
}

// reread adds a round trip in which the agent fetches messages again: one more request with the
// prompt of this turn, all of it cached, the fetched messages, and an answer of median size.
func (b *bills) reread(q *billing.Prompt, fetched float64) {
	for i, v := range b.invoices {
		b.list[i].Rereads += v.RoundTrip(q, fetched, b.answer)
	}
}

// rereadForEdits is reread for EditRereads.
func (b *bills) rereadForEdits(q *billing.Prompt, fetched float64) {
	for i, v := range b.invoices {
		b.list[i].EditRereads += v.RoundTrip(q, fetched, b.answer)
	}
}
