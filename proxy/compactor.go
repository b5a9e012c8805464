package proxy

import (
	"context"
	"net/http"
	"net/url"

	"killick/compaction"
	"killick/view"
)

// This file has the interfaces that the proxy needs for compacting requests.

// A Compactor fits chat requests to a budget. It never fails a request: on any
// error it returns the last valid form and names the error in FailOpens. Its
// methods must be safe for concurrent use.
//
// The proxy does not rely on that: after a panic, or for a result that is late, empty or
// larger than the request, it forwards the original body and counts the fault.
type Compactor interface {
	// Fits reports, from the decoded body and without parsing it, whether the trigger of its
	// model cannot be exceeded, or that of any model if it names none. model, who and upstream
	// are as in a Request. Then the body is forwarded unchanged, not parsed. Fits keeps no slice
	// of it: its memory is reused.
	Fits(body []byte, model, who, upstream string) bool

	// Compact decides what to forward. The context ends when the client disconnects or at the
	// deadline; Compact then returns what it has. A call that does not return in time is
	// abandoned: it keeps req, which nothing else uses from then on.
	Compact(ctx context.Context, req Request) compaction.Outcome
}

// Request is one chat request for a Compactor.
type Request struct {
	Chat    *view.Request
	Who     string // keyed hash of the credential; what is learned is not shared beyond it
	Observe bool   // the outcome is only reported; the original is forwarded

	// Model is the model that the path names, "" if the body names it.
	Model string
	// ClientOnly: no call of our own can go to URL.
	ClientOnly bool
	// Upstream is the name of the upstream, "" if there is only one.
	Upstream string
	// URL and Credentials are the address and headers of the upstream request, for our
	// own calls on the client's behalf. They are never stored or logged. Nil for requests
	// that are sent again.
	URL         *url.URL
	Credentials http.Header

	// Overflow is how the upstream rejected the previous form of this request, nil the first
	// time. The Outcome must then be smaller, else it is not used.
	Overflow *compaction.Overflow

	// Withdraw is set if the upstream rejected the provider's summary in the previous form of
	// this request: then neither this Outcome nor a later one may have it.
	Withdraw bool
}

// A Recorder makes records of whole conversations. It must be safe for concurrent use.
type Recorder interface {
	// Record returns a record of all turns of a request, without the messages of the user's side.
	// Its error is [compaction.ErrNothing] if there are no turns; others quote no content.
	Record(ctx context.Context, req Request) (compaction.Record, error)
}
