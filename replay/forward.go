package replay

import (
	"sync/atomic"
	"time"

	"killick/replay/billing"
	"killick/view"
)

// Forwarder forwards the requests of one conversation, in order. It may keep state between them.
type Forwarder func(body []byte) Forwarded

// Forwarded is the result of forwarding a request.
type Forwarded struct {
	Body       []byte        // what is sent; the received body if nothing was changed
	Actions    []string      // what was done to Body: "mask", "summary", "reuse"
	Made       []string      // outcomes of the compactions attempted for this request
	Plans      []string      // decisions made for this request, one line each
	Refetched  int           // calls of the newest turn that fetch a hidden output again
	Reason     string        // why Body is as it is
	FailOpens  []string      // internal errors after which the request was forwarded anyway
	ModelUsage ModelUsage    // calls to models since the previous request
	Aside      time.Duration // the part of the time taken that no client waits for
}

// ModelUsage is the usage of a strategy's own calls to models.
type ModelUsage struct {
	Calls      int     `json:"calls"`
	Prompt     int     `json:"prompt_tokens"` // including cached ones
	Cached     int     `json:"cached_tokens"`
	Completion int     `json:"completion_tokens"`
	Dollars    float64 `json:"usd"` // 0 if the model's price is not known
}

func (o *ModelUsage) add(more ModelUsage) {
	o.Calls += more.Calls
	o.Prompt += more.Prompt
	o.Cached += more.Cached
	o.Completion += more.Completion
	o.Dollars += more.Dollars
}

// Strategy is a way to forward conversations.
type Strategy struct {
	Name string
	// Trigger returns the number of tokens past which it acts on a conversation. Turns past it have
	// separate figures. If nil, PastTokens.
	Trigger func(*Transcript) int
	// Profiles are the profiles of its bills; if nil, those of the run.
	Profiles []billing.Profile
	// Open returns the forwarder for one conversation, and a function to close it. The clock
	// returns the recorded time of the current request. If none was recorded, it stands still, so
	// that the speed of the machine changes nothing.
	Open func(Clock) (Forwarder, func() error, error)
}

// Clock returns the current time. It may be called by several goroutines.
type Clock func() time.Time

// replayClock is the time of the request that is replayed: the last one that was recorded, else
// when the clock was made.
type replayClock struct{ at atomic.Pointer[time.Time] }

func newReplayClock() *replayClock {
	c := &replayClock{}
	c.set(time.Now())
	return c
}

func (c *replayClock) set(at time.Time) {
	if !at.IsZero() {
		c.at.Store(&at)
	}
}

// Now is a [Clock].
func (c *replayClock) Now() time.Time { return *c.at.Load() }

// Counter counts tokens. The count of a message must not depend on the messages around it.
type Counter interface {
	// Message returns the tokens that a message takes in a request.
	Message(m *view.Message) int
	// Overhead returns the tokens of a request outside its messages: tools and framing.
	Overhead(r *view.Request) int
}
