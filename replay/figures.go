package replay

import (
	"encoding/json"
	"slices"
	"time"

	"killick/replay/billing"
)

// PastTokens is the number of raw tokens that separates large requests from small ones: their
// re-reads are counted separately.
const PastTokens = 32_000

// Figures are the results of a strategy for one conversation or several. All are sums; shares are
// computed from sums.
type Figures struct {
	Conversations int            `json:"conversations"`
	Turns         int            `json:"turns"`
	Tokens        Tokens         `json:"tokens"`
	Bills         []billing.Bill `json:"bills"`
	Recall        Recall         `json:"recall"`
	Rereads       Rereads        `json:"rereads"`
	// Words counts the newest twenty messages of persons, of up to about 400 tokens each, and those
	// of them that were kept verbatim.
	Words    Kept     `json:"words"`
	Validity Validity `json:"validity"`
	Changes  Changes  `json:"prefix_changes"`
	// Refetches counts calls that fetch hidden outputs again, as the strategy reports them.
	Refetches  int            `json:"refetches"`
	Actions    map[string]int `json:"actions"` // turns with each action
	Made       map[string]int `json:"made"`    // attempted compactions, by outcome
	Reasons    map[string]int `json:"reasons"`
	FailOpens  map[string]int `json:"fail_opens"`
	ModelUsage ModelUsage     `json:"own_calls"`

	// AtModel is the bill at the prices of the conversation's model, nil if they are not known.
	AtModel *billing.Bill `json:"-"`

	elapsed []time.Duration
}

// Tokens are input tokens, received and sent.
type Tokens struct {
	All         Pair `json:"all"`
	PastTrigger Pair `json:"past_trigger"` // of turns with more raw tokens than the trigger
	Past32k     Pair `json:"past_32k"`     // of turns with more raw tokens than PastTokens
}

// Pair has a number of tokens without and with the strategy.
type Pair struct {
	Turns int `json:"turns"`
	Raw   int `json:"raw"`
	Sent  int `json:"sent"`
}

// Share returns Sent as a share of Raw, 1 if both are zero.
func (p Pair) Share() float64 { return billing.Share(float64(p.Sent), float64(p.Raw)) }

func (p *Pair) add(o Pair) {
	p.Turns += o.Turns
	p.Raw += o.Raw
	p.Sent += o.Sent
}

func (t *Tokens) add(raw, sent, trigger int) {
	one := Pair{1, raw, sent}
	t.All.add(one)
	if raw > trigger {
		t.PastTrigger.add(one)
	}
	if raw > PastTokens {
		t.Past32k.add(one)
	}
}

// Recall counts the references that answers used, and those of them that their requests contained.
type Recall struct {
	All Kept `json:"all"`
	Old Kept `json:"old"` // those that last occurred more than ten messages earlier
	// Located counts old references in unescaped text. One is kept if it is beside a file or a
	// call, or in a line of the history.
	Located Kept `json:"located"`
}

// Kept counts things that were needed, and those that were kept.
type Kept struct {
	Of   int `json:"of"`
	Kept int `json:"kept"`
}

func (k *Kept) count(kept bool) {
	k.Of++
	if kept {
		k.Kept++
	}
}

func (k *Kept) add(o Kept) {
	k.Of += o.Of
	k.Kept += o.Kept
}

// Share returns the share that was kept.
func (k Kept) Share() float64 { return billing.Share(float64(k.Kept), float64(k.Of)) }

// Lost returns the share that was not kept.
func (k Kept) Lost() float64 { return 1 - k.Share() }

// Rereads counts the turns whose calls quote an earlier message of a tool or the user, or, in a
// line that an edit must quote exactly, of the model.
type Rereads struct {
	Past  Quotes `json:"past_32k"` // turns with more than 32k raw tokens
	Below Quotes `json:"below_32k"`
}

// All returns the sum over all turns.
func (r Rereads) All() Quotes {
	all := r.Past
	all.add(r.Below)
	return all
}

// Quotes counts turns that quote; kept are those whose request contained all quoted lines. Lines
// that consist of one path or URL count in Recall instead: an agent can have a name without the
// text that it names, and nearly every turn quotes a name.
type Quotes struct {
	All       Kept `json:"all"`
	Edits     Kept `json:"edits"`      // counting only lines that an edit must quote exactly
	Others    Kept `json:"others"`     // counting all other lines
	WithNames Kept `json:"with_names"` // counting all lines, including paths and URLs
	Fetched   int  `json:"fetched_tokens"`
}

func (q *Quotes) add(o Quotes) {
	q.All.add(o.All)
	q.Edits.add(o.Edits)
	q.Others.add(o.Others)
	q.WithNames.add(o.WithNames)
	q.Fetched += o.Fetched
}

// Changes counts the turns whose request does not begin with the previous request, so that the
// provider's cache does not contain all of its beginning.
type Changes struct {
	Turns     int      `json:"turns"`
	Rewritten int      `json:"rewritten_tokens"` // not new, but not cached either
	List      []Change `json:"list,omitempty"`
}

// Change is one turn that changed the prefix.
type Change struct {
	Message   int `json:"message"` // index of the answer in the transcript
	From      int `json:"from"`    // first message of the forwarded request that differs
	Rewritten int `json:"rewritten_tokens"`
}

func newFigures() Figures {
	return Figures{Actions: map[string]int{}, Made: map[string]int{}, Reasons: map[string]int{},
		FailOpens: map[string]int{}}
}

// Total returns the sum of figures with the same profiles, without the list of changes.
func Total(all []*Figures) *Figures {
	t := newFigures()
	for _, f := range all {
		t.Conversations += f.Conversations
		t.Turns += f.Turns
		t.Tokens.All.add(f.Tokens.All)
		t.Tokens.PastTrigger.add(f.Tokens.PastTrigger)
		t.Tokens.Past32k.add(f.Tokens.Past32k)
		t.addBills(f.Bills)
		t.Recall.All.add(f.Recall.All)
		t.Recall.Old.add(f.Recall.Old)
		t.Recall.Located.add(f.Recall.Located)
		t.Rereads.Past.add(f.Rereads.Past)
		t.Rereads.Below.add(f.Rereads.Below)
		t.Words.add(f.Words)
		t.Validity.add(f.Validity)
		t.Changes.Turns += f.Changes.Turns
		t.Changes.Rewritten += f.Changes.Rewritten
		t.Refetches += f.Refetches
		addCounts(t.Actions, f.Actions)
		addCounts(t.Made, f.Made)
		addCounts(t.Reasons, f.Reasons)
		addCounts(t.FailOpens, f.FailOpens)
		t.ModelUsage.add(f.ModelUsage)
		t.elapsed = append(t.elapsed, f.elapsed...)
	}
	return &t
}

func (f *Figures) addBills(bills []billing.Bill) {
	if f.Bills == nil {
		f.Bills = slices.Clone(bills)
		return
	}
	for i, b := range bills {
		f.Bills[i].Add(b)
	}
}

func addCounts(to, from map[string]int) {
	for name, n := range from {
		to[name] += n
	}
}

// Milliseconds returns a quantile of the time that forwarding a request took: 0.5 gives the median.
func (f *Figures) Milliseconds(share float64) float64 {
	if len(f.elapsed) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(f.elapsed))
	at := min(len(sorted)-1, int(share*float64(len(sorted))))
	return float64(sorted[at]) / float64(time.Millisecond)
}

// MarshalJSON adds shares to the sums.
func (f *Figures) MarshalJSON() ([]byte, error) {
	type sums Figures
	out := struct {
		Shares struct {
			Tokens            float64 `json:"tokens"`
			TokensPastTrigger float64 `json:"tokens_past_trigger"`
			TokensPast32k     float64 `json:"tokens_past_32k"`
			Recall            float64 `json:"recall"`
			RecallOld         float64 `json:"recall_old"`
			RecallLocated     float64 `json:"recall_located"`
			QuotesEdits       float64 `json:"edits_reread"`  // of all turns, past 32k or not
			QuotesOthers      float64 `json:"others_reread"` // likewise
			Rereads           float64 `json:"rereads"`
			RereadsEdits      float64 `json:"rereads_edits"`
			RereadsOthers     float64 `json:"rereads_others"`
			RereadsBelow      float64 `json:"rereads_below_32k"`
		} `json:"shares"`
		Milliseconds struct {
			Median float64 `json:"median"`
			P99    float64 `json:"p99"`
		} `json:"ms_a_turn"`
		*sums
	}{sums: (*sums)(f)}
	s := &out.Shares
	s.Tokens, s.TokensPastTrigger, s.TokensPast32k = f.Tokens.All.Share(),
		f.Tokens.PastTrigger.Share(), f.Tokens.Past32k.Share()
	s.Recall, s.RecallOld = f.Recall.All.Share(), f.Recall.Old.Share()
	s.RecallLocated = f.Recall.Located.Share()
	all := f.Rereads.All()
	s.QuotesEdits, s.QuotesOthers = all.Edits.Lost(), all.Others.Lost()
	past := f.Rereads.Past
	s.Rereads, s.RereadsEdits, s.RereadsOthers = past.All.Lost(), past.Edits.Lost(),
		past.Others.Lost()
	s.RereadsBelow = f.Rereads.Below.All.Lost()
	out.Milliseconds.Median, out.Milliseconds.P99 = f.Milliseconds(0.5), f.Milliseconds(0.99)
	return json.Marshal(out)
}
