package replayreport

import (
	"killick/internal/terminal"
	"killick/replay"
	"killick/replay/billing"
)

// Report has the results of a replay. Its JSON is the output of --json.
type Report struct {
	Half      string `json:"half"` // of the conversations, that each Total sums up
	MinTokens int    `json:"min_tokens"`
	Files     int    `json:"conversations_read"`
	// Profiles are the profiles of bills. Shares of bills are shares of the raw bill.
	Profiles      []billing.Profile `json:"profiles"`
	Conversations []Conversation    `json:"conversations"`
	Strategies    []Row             `json:"strategies"`
	Decisions     []Decision        `json:"decisions,omitempty"` // with --explain

	sweep    bool
	settings int  // the first strategies, as many as this, are configurations
	planned  bool // each of them was replayed once per profile
}

// Conversation describes a conversation that was replayed.
type Conversation struct {
	ID     string `json:"id"`
	File   string `json:"file"`
	Model  string `json:"model"`
	Half   string `json:"half"`
	Tokens int    `json:"tokens"`
	Turns  int    `json:"turns"`
	// IgnoredSkips counts ranges that the provider read although the usage reports them as skipped.
	IgnoredSkips int `json:"ignored_skips,omitempty"`
}

// Row has the results of a strategy.
type Row struct {
	Name  string          `json:"name"`
	Total *replay.Figures `json:"total"`
	Other *replay.Figures `json:"other_half,omitempty"` // of a sweep over one half
	// Frontier is true if no other strategy is at least as cheap and as faithful, and better in
	// one of the two.
	Frontier      bool              `json:"frontier"`
	Bill          *bill             `json:"usd,omitempty"` // nil unless all prices are known
	Invoices      []Invoice         `json:"invoices"`      // one for each profile
	Conversations []*replay.Figures `json:"conversations"` // in the order of the report's
	// Planned has the results at each profile's prices, if the setting was replayed once per
	// profile. The figures above are then those of the first profile.
	Planned []Planned `json:"by_profile,omitempty"`
}

// Planned has the results of a setting at the prices of one profile.
type Planned struct {
	Profile       string            `json:"profile"`
	Total         *replay.Figures   `json:"total"`
	Conversations []*replay.Figures `json:"conversations"`
}

// Invoice is a strategy's bill under one profile, with figures about single conversations.
type Invoice struct {
	Profile  string       `json:"profile"`
	Bill     billing.Bill `json:"bill"`
	Captured float64      `json:"captured"`           // see billing.Bill.Captured; 0 if not ok
	ForEdits float64      `json:"captured_for_edits"` // see billing.Bill.CapturedForEdits; likewise
	// MedianCaptured and Worst are about the conversations in which something could be saved.
	MedianCaptured float64 `json:"median_captured"`
	Worst          Extreme `json:"worst_captured"` // the least share; without an ID if none
	// Dearer counts conversations whose bill is more than maxOfRaw of the raw bill.
	Dearer     int         `json:"dearer"`
	Dearest    Extreme     `json:"dearest"`              // the highest share of the raw bill
	Simulation *Simulation `json:"simulation,omitempty"` // nil without usage
}

// Extreme is the conversation with the lowest or highest share.
type Extreme struct {
	ID    string  `json:"id"`
	Share float64 `json:"share"`
}

// Simulation compares the simulated bills of unchanged requests with the recorded bills.
type Simulation struct {
	Share  float64 `json:"share"`  // simulated ÷ recorded
	Of     int     `json:"of"`     // conversations with usage
	Within int     `json:"within"` // conversations within maxDeviation
	Worst  Extreme `json:"worst"`
}

// Decision is a decision of the planner in a replay, as the debug log of serve has it.
type Decision struct {
	Conversation string `json:"conversation"`
	Profile      string `json:"profile,omitempty"` // its prices were used; empty: the model's
	Message      int    `json:"message"`           // index of the answer in the transcript
	Decision     string `json:"decision"`
}

// at returns the results of the strategy at the prices of a profile, and the index of its bills.
func (row *Row) at(profile int) (total *replay.Figures, all []*replay.Figures, bill int) {
	if row.Planned != nil {
		return row.Planned[profile].Total, row.Planned[profile].Conversations, 0
	}
	return row.Total, row.Conversations, profile
}

// atLeast returns the least size of the conversations, after a word; "" if all were measured.
func (r *Report) atLeast(before string) string {
	if r.MinTokens == 0 {
		return ""
	}
	return before + terminal.Grouped(r.MinTokens) + " tokens and more"
}
