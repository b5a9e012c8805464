package replay

import (
	"fmt"
	"slices"
	"time"

	"killick/chat"
	"killick/replay/billing"
)

// fetchedTokens states how long an agent still has a message that it fetched again: until the raw
// request has grown by this many tokens.
const fetchedTokens = 15_000

// measurement is the state of measuring one strategy on one conversation.
type measurement struct {
	*Study
	Figures
	trigger int
	sent    []*message // the previous request
	present presence
	fetched fetches // what was fetched again
	edited  fetches // what would have been fetched again if only edits quoted lines
	past    bool    // fetched and edited are for the turns past PastTokens
	bills   *bills
	prompt  *billing.Prompt // the current request as it is billed
}

// presence counts the forwarded messages that contain each reference, each located reference (see
// places) and each line.
type presence struct{ references, located, lines []int32 }

func (p *presence) add(m *message, by int32) {
	for _, id := range m.holds.References {
		p.references[id] += by
	}
	for _, id := range m.located {
		p.located[id] += by
	}
	for _, id := range m.holds.Lines {
		p.lines[id] += by
	}
}

// Measure sends all requests of the conversation through a strategy. If each is not nil, it is
// called with what is forwarded at every turn.
func (s *Study) Measure(strategy Strategy, profiles []billing.Profile,
	each func(at int, f Forwarded) error) (_ *Figures, err error) {
	clock := newReplayClock()
	forward, end, err := strategy.Open(clock.Now)
	if err != nil {
		return nil, fmt.Errorf("replaying %q through %s: %w", s.ID, strategy.Name, err)
	}
	defer func() {
		if failed := end(); err == nil {
			err = failed
		}
	}()
	m := &measurement{
		Study: s, Figures: newFigures(), trigger: PastTokens,
		fetched: fetches{}, edited: fetches{}, bills: s.newBills(profiles),
		present: presence{
			references: make([]int32, len(s.finder.References)),
			located:    make([]int32, len(s.finder.References)),
			lines:      make([]int32, len(s.finder.Lines)),
		},
	}
	if strategy.Trigger != nil {
		m.trigger = strategy.Trigger(s.Transcript)
	}
	m.Conversations = 1
	for i := range s.turns {
		body := s.body(s.turns[i].request)
		clock.set(s.turns[i].sent)
		start := time.Now()
		f, ok := tryForward(forward, body)
		m.elapsed = append(m.elapsed, time.Since(start)-f.Aside)
		if each != nil {
			if err := each(s.turns[i].at, f); err != nil {
				return nil, err
			}
		}
		m.add(i, body, f, ok)
	}
	m.Bills = m.bills.list
	return &m.Figures, nil
}

// tryForward forwards a request. ok is false if the forwarder panicked.
func tryForward(forward Forwarder, body []byte) (f Forwarded, ok bool) {
	defer func() {
		if recover() != nil {
			f, ok = Forwarded{Body: body, Reason: "panic"}, false
		}
	}()
	return forward(body), true
}

// add adds what was forwarded at a turn.
func (m *measurement) add(i int, body []byte, f Forwarded, ok bool) {
	t := &m.turns[i]
	out, err := chat.Parse(f.Body)
	if !ok || err != nil {
		m.Validity.Failed++
		f.Body = body
		if out, err = chat.Parse(body); err != nil {
			panic("a request made of parsed messages does not parse: " + err.Error())
		}
	}
	sent := make([]*message, len(out.Messages()))
	overhead := m.overhead
	if !m.sameFields(out.Raw(), out.Field("messages")) {
		overhead = m.counter.Overhead(out) - m.filler
	}
	tokens := overhead
	for j := range sent {
		sent[j] = m.read(&out.Messages()[j])
		tokens += sent[j].tokens
	}
	m.Turns++
	m.note(f)
	m.check(&m.Validity, t, body, out, sent, tokens)
	m.keptWords(&m.Figures.Words, t, out, sent)
	m.Figures.Tokens.add(t.tokens, tokens, m.trigger)
	m.prompt = m.promptOf(t, toolsOf(out), overhead, sent)
	m.bills.add(m.prompt, f.ModelUsage, m.scale)
	m.follow(t, sent)
	m.recall(t)
	m.reread(t)
}

// note adds what the strategy reports about itself.
func (m *measurement) note(f Forwarded) {
	m.Refetches += f.Refetched
	m.ModelUsage.add(f.ModelUsage)
	for _, a := range f.Actions {
		m.Actions[a]++
	}
	for _, made := range f.Made {
		m.Made[made]++
	}
	if f.Reason != "" {
		m.Reasons[f.Reason]++
	}
	for _, reason := range f.FailOpens {
		m.FailOpens[reason]++
	}
}

// follow advances from the previous request to this one. If this one does not begin with the
// messages of the previous one, the strategy changed the prefix. The client's own changes are not
// counted.
func (m *measurement) follow(t *turn, sent []*message) {
	common := commonMessages(m.sent, sent)
	if t.restarted {
		clear(m.fetched)
		clear(m.edited)
	} else if common < len(m.sent) {
		m.change(t.at, common, max(0, sum(sent[common:])-t.arrived))
	}
	for _, gone := range m.sent[common:] {
		m.present.add(gone, -1)
	}
	for _, added := range sent[common:] {
		m.present.add(added, 1)
	}
	m.sent = sent
}

func (m *measurement) change(at, from, rewritten int) {
	m.Changes.Turns++
	m.Changes.Rewritten += rewritten
	m.Changes.List = append(m.Changes.List, Change{Message: at, From: from, Rewritten: rewritten})
}

// recall counts the references that the turn used.
func (m *measurement) recall(t *turn) {
	for _, r := range t.references {
		kept := m.present.references[r.id] > 0
		m.Recall.All.count(kept)
		if r.old {
			m.Recall.Old.count(kept)
		}
	}
	for _, id := range t.decoded {
		m.Recall.Located.count(m.present.located[id] > 0)
	}
}

// reread counts whether the request had all lines that the answer quotes. If not, it adds the cost
// of one more request and of the messages with the missing lines.
func (m *measurement) reread(t *turn) {
	if len(t.quotes) == 0 {
		return
	}
	block := &m.Rereads.Below
	if past := t.tokens > PastTokens; past {
		block = &m.Rereads.Past
		if !m.past {
			m.past = true
			clear(m.fetched)
			clear(m.edited)
		}
	}
	var q struct{ quotes, edits, others, names tally }
	fetched, weight, forEdits := 0, 0.0, 0.0
	for _, quoted := range t.quotes {
		had := m.has(m.fetched, quoted.id, t.tokens)
		q.names.count(had)
		if quoted.name {
			continue
		}
		q.quotes.count(had)
		if quoted.edit {
			q.edits.count(had)
		} else {
			q.others.count(had)
		}
		if !had {
			fetched += m.messages[quoted.source].tokens
			weight += m.weight(t, m.messages[quoted.source])
			m.fetched[quoted.source] = t.tokens + fetchedTokens
		}
		if quoted.edit && !m.has(m.edited, quoted.id, t.tokens) {
			forEdits += m.weight(t, m.messages[quoted.source])
			m.edited[quoted.source] = t.tokens + fetchedTokens
		}
	}
	if forEdits > 0 {
		m.bills.rereadForEdits(m.prompt, forEdits)
	}
	q.quotes.into(&block.All)
	q.edits.into(&block.Edits)
	q.others.into(&block.Others)
	q.names.into(&block.WithNames)
	if q.quotes.missing == 0 {
		return
	}
	block.Fetched += fetched
	m.bills.reread(m.prompt, weight)
}

// tally counts the lines of one turn.
type tally struct{ all, missing int }

func (q *tally) count(had bool) {
	q.all++
	if !had {
		q.missing++
	}
}

// into adds the turn to k if it quotes anything.
func (q *tally) into(k *Kept) {
	if q.all > 0 {
		k.count(q.missing == 0)
	}
}

// fetches are the messages that an agent fetched again and still has, by index. The value is the
// number of raw tokens up to which the agent has them.
type fetches map[int]int

// has reports whether a line is in the forwarded request, or in one of the messages held at this
// number of raw tokens.
func (m *measurement) has(f fetches, line int32, tokens int) bool {
	if m.present.lines[line] > 0 {
		return true
	}
	for source, until := range f {
		if until >= tokens && slices.Contains(m.messages[source].holds.Lines, line) {
			return true
		}
	}
	return false
}
