package proxy

import (
	"context"
	"net/http"
	"net/url"

	"killick/compaction"
	"killick/view"
)

// A Compactor fits chat requests to a budget. It never fails a request: on any
// fault it gives the best earlier valid form and names the fault in FailOpens.
// Its methods are called from many goroutines at once.
//
// The proxy does not rely on that: after a panic, or for a result that is late, empty or
// larger than the request, it forwards the original body and counts the fault.
type Compactor interface {
	// Fits reports, from the decoded body and without parsing it, that no trigger can be
	// exceeded whatever the model, for who at an upstream as in a Request. Then the body is
	// forwarded as it came, not parsed. Fits keeps no slice of it: its memory is used again.
	Fits(body []byte, who, upstream string) bool

	// Compact decides what to forward. The context ends when the client leaves or the time
	// for it is up; Compact then returns what it has. A call that does not return in time is
	// abandoned: it keeps req, which nothing else touches from then on.
	Compact(ctx context.Context, req Request) compaction.Outcome
}

// Request is one chat request for a Compactor.
type Request struct {
	Chat    *view.Request
	Who     string // keyed hash of the credential; what is learnt stays within it
	Observe bool   // the outcome is only reported: the original is forwarded

	// Upstream is the name of the upstream that it goes to, "" where there is only one.
	Upstream string
	// URL is where the request goes, and Credentials are the headers that it goes
	// with there: what a call of our own on the client's behalf needs. They stay in
	// memory and out of logs. Nil for requests that are sent again.
	URL         *url.URL
	Credentials http.Header

	// Overflow is how the upstream refused what was last made of this very request, nil the
	// first time. The Outcome is then to be smaller, and is not used where it is not.
	Overflow *compaction.Overflow

	// Withdraw is set where the upstream refused the summary of the provider's in what was last
	// made of this very request: the Outcome then has none, nor has any later one.
	Withdraw bool
}

// closeOutcome calls After.
func closeOutcome(o *compaction.Outcome, answered bool) {
	if after := o.After; after != nil {
		o.After = nil
		after(answered)
	}
}
