package proxy

import (
	"context"
	"net/http"
	"net/url"

	"killick/chat"
)

// A Compactor fits chat requests to a budget. It never fails a request: on any
// fault it gives the best earlier valid form and names the fault in FailOpens.
// Its methods are called from many goroutines at once.
//
// The proxy does not depend on any of this being kept: a panic, a result that
// is late, empty or larger than what came is dropped for the original body and
// counted.
type Compactor interface {
	// Fits tells from the decoded body alone, without parsing it, that no
	// trigger can be exceeded whatever the model. Where it says so, the body is
	// forwarded as it came and nobody parses it.
	Fits(body []byte) bool

	// Compact decides what to forward. The context ends when the client leaves
	// or the time for it is up; Compact then returns what it has. A call that
	// does not return in time is left behind: it keeps req, which nobody else
	// touches from then on.
	Compact(ctx context.Context, req Request) Outcome
}

// Request is one chat request for a Compactor.
type Request struct {
	Chat    *chat.Request
	Who     string // keyed hash of the credential; what is learnt stays within it
	Observe bool   // the outcome is only reported: the original is forwarded

	// URL is where the request goes, and Credentials are the headers that it goes
	// with there: what a call of our own on the client's behalf needs. They stay in
	// memory and out of logs. Nil for requests that are sent again.
	URL         *url.URL
	Credentials http.Header

	// Overflow is what the upstream said of what was last made of this very
	// request, nil the first time. The Outcome is then to be smaller, and is not
	// used where it is not.
	Overflow *Overflow
}

// What an Outcome's Actions and a reply's Killick-Action are made of.
const (
	ActionNone    = "none"
	ActionMask    = "mask"
	ActionSummary = "summary"
	ActionReuse   = "reuse"
	ActionRetry   = "retry"   // sent again, smaller, since the upstream said that it was too long
	ActionBypass  = "bypass"  // mode off: nobody looked at the request
	ActionObserve = "observe" // mode observe: decided, reported, not done
)

// Outcome is what a Compactor made of a request.
type Outcome struct {
	// Body is what to forward: Chat.Raw() itself when nothing was changed.
	Body []byte
	// Actions are those of "mask", "summary" and "reuse" that Body shows; empty
	// when nothing was changed.
	Actions []string
	// Raw and Sent are the tokens of what came and of Body. 0: not counted.
	Raw, Sent int
	// Probe is what was proven of the record in Body, nil if Body holds none.
	Probe *Probe
	// Summary is the ref under which [Summaries] know the record in Body, "" if Body
	// holds none.
	Summary string
	// Dropped is what was left out.
	Dropped []Dropped
	// Reason says why in a few fixed words: "fits", "over the trigger". It reaches
	// the client and the log, so it never quotes the request.
	Reason string
	// Made names the compactions tried in this request by their outcome, for
	// the metric: "mask", "summary", "rejected_probe", "nothing_to_gain".
	Made []string
	// Plans tell the decisions that were made, a line each, for the log at level
	// debug. They hold sizes alone.
	Plans []string
	// Refetched is how many calls of the newest turn fetch again what earlier
	// Outcomes hid from the model.
	Refetched int
	// FailOpens are the faults that were survived.
	FailOpens []FailOpen
	// Learn, if set, hears what the upstream says that Body cost, after the
	// reply has ended. It is a function rather than a method that takes the
	// request, so that a stream of an hour need not keep its request in memory.
	Learn func(chat.Usage)
	// After, if set, is called exactly once when the request is done with, whatever
	// became of it; answered says that the upstream took Body. It must not block.
	After func(answered bool)
}

// done calls After.
func (o *Outcome) done(answered bool) {
	if after := o.After; after != nil {
		o.After = nil
		after(answered)
	}
}

// Probe is what was proven of the record in a request, and by what.
type Probe struct {
	Held, Of int  // what the replaced turns hold by structure, and how much of it the record held before repair
	Repaired int  // lines that were added for the rest
	Fresh    bool // the record was made for this request
	Model    *ModelProbe
}

// ModelProbe is what was proven of a model's statements in the record.
type ModelProbe struct {
	Verdict  string // "pass", "soft_fail" or "unprobed"
	Score    float64
	Verified int // statements that their quotes support, says a model
	Written  int // of so many
	Asked    int // questions; 0: none, and no score
	Carried  bool
}

// Dropped is one kind of thing that was left out.
type Dropped struct {
	Kind   string // fixed words such as "tool_outputs"
	Count  int
	Tokens int // 0: not counted
}

// FailOpen is one fault that did not fail the request.
type FailOpen struct {
	Reason string // one fixed word, a metric label
	Err    error  // for the log; it never quotes the request
}
