package proxy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"killick/chat"
	"killick/compaction"
	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/class"
	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/proxy/keepalive"
	"killick/proxy/reply"
	"killick/proxy/stall"
	"killick/proxy/target"
)

// exchange is one request with its reply: what is known about it, for the log and
// the metrics, and the state that the steps of forwarding share.
type exchange struct {
	proxy *Proxy
	class class.Class
	wire  *class.Format // of the class
	kind  format.Kind   // of the path
	in    *http.Request // as received
	reply *reply.Writer
	start time.Time
	asked string // the path, as sent

	sender sender
	dest   destination

	model    string // that the body names, for the log; "" if it is not a plain name
	mode     Mode
	action   string // for the metric; see actionLabel
	outcome  compaction.Outcome
	allowed  bool  // its headers allow a summary by the provider
	inBytes  int64 // of the body, as received
	reserved body.Reservation
	sent     payload
	ready    time.Time     // the body was read
	added    time.Duration // from then until it was forwarded

	turn *keepalive.Turn // nil: its prompt cache is not kept alive

	forwarded bool // else it was answered here
	stall     stall.Timer
	answer    upstreamReply
	fault     *fault.Fault // what went wrong, nil if nothing
}

// sender identifies who sent a request.
type sender struct {
	key  *auth.Key // that the client presented; nil if none is required
	text string    // of the key
	who  string    // "" until it is needed; see identify
}

// destination is where a request goes.
type destination struct {
	up     *target.Connected // nil until it is chosen, together with the next two
	target *url.URL
	path   string // at the upstream, as sent
}

// payload is what is sent upstream.
type payload struct {
	body     *body.Held   // nil if the client's body is streamed
	upload   *body.Upload // the body if it is streamed
	changed  bool         // body differs from what was received
	unsealed bool         // plain, and so body, has records instead of compaction items
	// expansion is not nil if plain, and so body, has the tool killick_expand.
	expansion        *expansion
	shown            bool   // the Compactor got the body, and may keep slices of it
	plain            []byte // the body as received, decoded, for a smaller form; nil: not retried
	tries            int    // number of smaller forms sent
	retriedReasoning bool   // this body was sent before, with its reasoning, and rejected
}

// expansion is what is known of the tool in one exchange.
type expansion struct {
	dropThinking bool // made after a call
	answered     int  // calls
	rounds       int  // replies of the upstream's
	first        chat.Usage
	hasFirst     bool
}

// upstreamReply is what the upstream answered.
type upstreamReply struct {
	status    int    // 0 without a reply
	requestID string // the upstream's or the client's
	usage     chat.Usage
	hasUsage  bool
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// firstUsage returns the usage that the upstream reported for the request as first sent. If calls
// of our tool were answered, it was sent again with more messages.
func (x *exchange) firstUsage() (usage chat.Usage, ok bool) {
	if x.sent.expansion != nil {
		return x.sent.expansion.first, x.sent.expansion.hasFirst
	}
	return x.answer.usage, x.answer.hasUsage
}

// learn passes the usage to the Compactor.
func (x *exchange) learn() {
	usage, has := x.firstUsage()
	if !has || x.outcome.Learn == nil {
		return
	}
	defer x.proxy.failOpenOnPanic("learn")
	x.outcome.Learn(usage)
}

// rewritten reports whether the body differs from the received bytes.
func (x *exchange) rewritten() bool {
	return x.sent.changed || x.sent.unsealed || x.sent.expansion != nil
}

// clientGone reports whether the client has disconnected.
func (x *exchange) clientGone() bool {
	ctx := x.in.Context()
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled)
}

// dropErrorsOfDisconnect drops internal errors that only occurred because the client disconnected:
// nothing was forwarded, so there was no fallback.
func (x *exchange) dropErrorsOfDisconnect() {
	if !x.clientGone() {
		return
	}
	o := &x.outcome
	o.FailOpens = slices.DeleteFunc(o.FailOpens, func(f compaction.FailOpen) bool {
		return errors.Is(f.Err, context.Canceled)
	})
	if len(o.FailOpens) == 0 && o.Reason == compaction.ReasonFailedOpen {
		o.Reason = ""
	}
}

// identify computes who sent the request, once, and reports whether that worked.
func (x *exchange) identify() (ok bool) {
	if x.sender.who != "" {
		return true
	}
	defer func() {
		if v := recover(); v != nil {
			x.proxy.reportPanic("identify", v)
		}
	}()
	if x.class == class.Compress { // no upstream verifies a signature
		x.sender.who = x.proxy.identity.OfUnforwarded(x.in)
	} else {
		x.sender.who = x.proxy.identity.Of(x.in)
	}
	return x.sender.who != ""
}

// id returns the request's ID, given by the upstream, by the client, or by us, for
// the log and for our errors.
func (x *exchange) id() string {
	if x.answer.requestID != "" {
		return x.answer.requestID
	}
	if id := firstOf(x.in.Header, "X-Request-Id", "X-Client-Request-Id"); id != "" {
		return id
	}
	b := make([]byte, 8)
	_, _ = rand.Read(b)
	x.answer.requestID = hex.EncodeToString(b) // the same in an error and in the log
	return x.answer.requestID
}

// upstreamName returns the name of the upstream, "" if there is only one or none is chosen.
func (x *exchange) upstreamName() string {
	if x.dest.up == nil || len(x.proxy.opt.Upstreams) == 0 {
		return ""
	}
	return x.dest.up.Name
}

// firstOf returns the first value of the first of the named headers that has one, of at
// most 128 bytes.
func firstOf(h http.Header, names ...string) string {
	for _, name := range names {
		if v := h.Get(name); v != "" && len(v) <= 128 {
			return v
		}
	}
	return ""
}

// clientAttr returns a log attribute with the beginning of a client's hash, which is enough to tell
// clients apart.
func clientAttr(who string) slog.Attr { return slog.String("client", who[:min(8, len(who))]) }

// pathModel returns the model that the path names, "" if the body names it.
func (x *exchange) pathModel() string {
	if !x.wire.InPath {
		return ""
	}
	model, err := url.PathUnescape(format.PathModel(x.asked))
	if err != nil {
		return ""
	}
	return model
}

// setMode sets the request's mode: the operator's, or less if the client asks for less.
func (x *exchange) setMode(operator Mode) {
	x.mode, x.action = modeOf(operator, x.in.Header.Get(modeHeader)), string(compaction.ActionNone)
	switch x.mode {
	case ModeObserve:
		x.action = string(compaction.ActionObserve)
	case ModeOff:
		x.action = string(compaction.ActionBypass)
	}
}
