// Package compaction has the types that the compactor and the HTTP side share: the outcome for a
// request, what was verified, what is no longer sent, and what an upstream reported about the
// length of a request. It decides nothing, does no I/O and imports only package chat.
package compaction

import (
	"context"
	"fmt"
	"time"

	"killick/chat"
)

// Outcome is the result of compacting a request.
type Outcome struct {
	// Body is what to forward: the original bytes if nothing was changed.
	Body []byte
	// Raw and Sent are the tokens of the request as received and of Body; 0: not counted.
	Raw, Sent int

	Masked bool // Body has masked or truncated outputs
	Folded bool // Body has a record in place of old turns
	// Provider: Body begins with a summary that the provider's API wrote. The HTTP side adds the
	// headers that such a request needs.
	Provider bool
	Reused   bool // this form was known: nothing was made for this request

	// Refetched is how many calls of the newest turn fetch again what earlier Outcomes hid from the
	// model.
	Refetched int
	// Probe is what was verified of the record in Body, nil if there is none.
	Probe *Probe
	// SummaryRef is the ref of the report on the record in Body, "" if there is none.
	SummaryRef string
	// Dropped is what is not sent as received.
	Dropped []Dropped
	// Reason says why this Body is forwarded. The client and the log get it.
	Reason Reason
	// Made has the outcomes of the compactions that were tried for this request, for the metric:
	// "mask", "summary", "nothing_to_gain".
	Made []string
	// Decisions are those made for this request, one line each, for the log at level debug. They
	// have only sizes, no text of the conversation.
	Decisions []fmt.Stringer
	// FailOpens are the faults after which the request was forwarded anyway.
	FailOpens []FailOpen

	// Learn, if set, is called with the usage that the upstream reports for Body, after the reply
	// has ended. It is a function rather than a method that takes the request, so that a stream of
	// an hour does not keep its request in memory.
	Learn func(chat.Usage)
	// CacheUsed, if set, notes that the provider's prompt cache of the conversation was used by a
	// request that keeps it alive. It may be called at any time after the reply, and often.
	CacheUsed func(context.Context)
	// KeepsCache, if set, reports whether this process, of several, should keep that cache alive
	// for this long: no other one has seen the conversation later, or keeps its cache alive.
	KeepsCache func(ctx context.Context, lasts time.Duration) bool
	// ColdTokens is the size to which the next request of the conversation is compacted if the
	// provider's cache of it has expired; 0: it is not compacted for that reason.
	ColdTokens int
	// After, if set, must be called exactly once when the request has ended, however it ended.
	// answered is true if the upstream accepted Body. It does not block.
	After func(answered bool)
}

// Action is what was done to a request, as the reply's Killick-Action names it.
type Action string

// The actions. The first three describe an Outcome, the others are the HTTP side's.
const (
	ActionMask    Action = "mask"
	ActionSummary Action = "summary"
	ActionReuse   Action = "reuse"

	ActionNone    Action = "none"
	ActionRetry   Action = "retry"   // refused as too long, or for its reasoning, and sent again
	ActionBypass  Action = "bypass"  // mode off: the request was not inspected
	ActionAnswer  Action = "answer"  // a request for compaction, answered with a record
	ActionObserve Action = "observe" // mode observe: decided and reported, not done
)

// Actions returns the actions that changed Body, in a fixed order; none if Body is the original.
func (o *Outcome) Actions() []Action {
	var actions []Action
	if o.Masked {
		actions = append(actions, ActionMask)
	}
	if o.Folded {
		actions = append(actions, ActionSummary)
	}
	if o.Reused {
		actions = append(actions, ActionReuse)
	}
	return actions
}

// Changed reports whether the Outcome names a change.
func (o *Outcome) Changed() bool { return o.Masked || o.Folded || o.Reused }

// Reason is why a request was forwarded as it was, in a few fixed words. It never quotes the
// request.
type Reason string

// The reasons of a compactor.
const (
	ReasonFits      Reason = "under the trigger"
	ReasonCompacted Reason = "over the trigger"
	ReasonNoGain    Reason = "over the trigger, nothing worthwhile to gain"
	ReasonTruncated Reason = "oversized outputs truncated on arrival"
	ReasonOverflow  Reason = "refused by the upstream as too long"
	ReasonOwn       Reason = "the client's own compaction request"

	ReasonFailedOpen Reason = "failed open" // after an error

	ReasonServerState Reason = "a part of the conversation is at the provider alone"
	ReasonManaged     Reason = "the provider compacts the conversation itself"
)

// Dropped is one kind of content that is no longer sent as received. A kind is one of messages and
// tool_calls (folded; the calls' tokens are among the messages'), images, audio, files and parts
// (of folded messages, likewise), tool_outputs (masked), truncated_outputs (truncated on arrival).
// Checkpoints store it.
type Dropped struct {
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	Tokens int    `json:"tokens,omitempty"` // less than before; 0: counted under another kind
}

// FailOpen is a fault that cost a compaction or its storage, never the request.
type FailOpen struct {
	Reason string // one of FailOpenReasons, a metric label
	Err    error  // for the log; it never quotes the request
}

// FailOpenReasons are all values of FailOpen.Reason. The metric has each of them from the start:
// alerts notice a rise from 0, but not a new series.
var FailOpenReasons = []string{
	"checkpoint_encoding",
	"checkpoint_unreadable",
	"compaction_busy",
	"deadline",
	"empty",
	"form_unsound",
	"grew",
	"identity",
	"panic",
	"pins_do_not_fit",
	"prepare_no_room",
	"prepared_read",
	"prepared_refused",
	"provider_summary_elsewhere",
	"provider_summary_not_offered",
	"provider_summary_refused",
	"provider_summary_unused",
	"provider_summary_window",
	"report_encoding",
	"store_read",
	"store_write",
	"summary_invalid",
	"summary_unproven",
	"unnamed",
}
