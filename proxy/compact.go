package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"killick/compaction"
	"killick/proxy/class"
	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/responses"
	"killick/view"
)

// This file answers requests for compaction in the format of the responses API, and reads the
// compaction items of such answers when they come back.

// The outcomes for one of our compaction items that comes back.
const (
	itemOpened  = "opened"
	itemRefused = "refused" // the request got an error
)

// The outcomes for a request for compaction that is answered here.
const (
	compactAnswered   = "answered"
	compactNothing    = "nothing_to_compact"
	compactUnreadable = "compact_unreadable"  // the request is not valid in its format
	compactForeign    = "compact_unavailable" // it contains what only its provider can read
	compactFailed     = "compact_failed"
)

// mayHoldItems reports whether requests to this path, which is not one of conversations, may
// contain our compaction items.
func (x *exchange) mayHoldItems() bool {
	return x.in.Method == http.MethodPost &&
		(x.kind == format.KindResponsesCompact || x.kind == format.KindResponsesCount)
}

// prepareItems reads the body of a request that may contain our compaction items, and answers it
// if it asks for compaction and that is answered here.
func (x *exchange) prepareItems() (forward bool) {
	if x.setMode(x.proxy.opt.Mode); x.mode == ModeOff {
		return x.prepareRouted()
	}
	raw, readable, ok := x.readPlain()
	if !ok {
		return false
	}
	came := x.sent.plain
	if readable && x.mode != ModeOff && !x.unseal() {
		return false
	}
	if x.clientGone() {
		x.fail(fault.ClientGone())
		return false
	}
	if x.kind == format.KindResponsesCompact && x.compacts() {
		if !readable {
			x.failCompact(compactUnreadable, string(x.outcome.Reason), nil)
			return false
		}
		x.answerCompact(came)
		return false
	}
	x.hold(raw)
	return true
}

// compacts reports whether requests for compaction are answered here.
func (x *exchange) compacts() bool { return x.proxy.opt.Recorder != nil && x.mode == ModeOn }

// unseal replaces our compaction items with their records. It reports whether to continue: no
// upstream can read such an item, so a request with one that cannot be opened is answered with an
// error.
func (x *exchange) unseal() (ok bool) {
	if x.kind.Format() != format.Responses || !responses.Sealed(x.sent.plain) {
		return true
	}
	x.identify() // needed to open items
	plain, found := x.proxy.opt.Sealer.Unseal(x.sender.who, x.sent.plain)
	items := &x.proxy.metrics.items
	items.With(itemOpened).Add(float64(found.Records))
	if found.Refused == 0 {
		x.sent.unsealed = found.Records > 0
		x.sent.plain = plain
		return true
	}
	items.With(itemRefused).Add(float64(found.Refused))
	x.fail(&fault.Fault{Status: http.StatusBadRequest, Kind: "compaction_item_refused",
		Message: "The input contains a compaction item that Killick made for another credential, " +
			"or with a secret that it no longer has, or that was changed. Only Killick can read " +
			"it, so the request was not forwarded. Remove the item, or use the credential " +
			"that it was made for."})
	return false
}

// answerCompact answers POST /v1/responses/compact. came is the body as received, before our items
// were replaced.
func (x *exchange) answerCompact(came []byte) {
	client, err := view.Parse(responses.Format, came)
	if err != nil {
		x.unreadableCompact(err)
		return
	}
	req := client
	if x.sent.unsealed {
		if req, err = view.Parse(responses.Format, x.sent.plain); err != nil {
			x.unreadableCompact(err)
			return
		}
	}
	c, ok := x.compaction(req)
	if !ok {
		return
	}
	fault.WriteJSON(x.reply, http.StatusOK, x.proxy.opt.Sealer.Answer(client, x.sender.who, c))
}

// answersTrigger answers a request that ends with a compaction_trigger. It reports whether it did.
func (x *exchange) answersTrigger() bool {
	if x.class != class.Responses || !x.compacts() {
		return false
	}
	rest, asks := responses.WithoutTrigger(x.sent.plain)
	if !asks {
		return false
	}
	req, err := view.Parse(responses.Format, rest)
	if err != nil {
		x.unreadableCompact(err)
		return true
	}
	c, ok := x.compaction(req)
	if !ok {
		return true
	}
	answer, stream := x.proxy.opt.Sealer.AnswerTrigger(req, x.sender.who, c)
	if stream {
		x.reply.Header().Set("Content-Type", "text/event-stream")
		_, _ = x.reply.Write(answer) // a client that disconnected needs no answer
	} else {
		fault.WriteJSON(x.reply, http.StatusOK, answer)
	}
	return true
}

// compaction returns the answer to a request for compaction; if not ok, it was answered with an
// error.
func (x *exchange) compaction(req *view.Request) (c responses.Compaction, ok bool) {
	rules := responses.Format.Rules(req)
	if rules.Held {
		rules.Passthrough = view.ServerState
	}
	if why, ok := unavailable[rules.Passthrough]; ok {
		x.failCompact(compactForeign, why, nil)
		return c, false
	}
	if !x.identify() {
		x.failCompact(compactFailed, "", errors.New("the request has no identity"))
		return c, false
	}
	ctx, cancel := context.WithTimeout(x.in.Context(), x.proxy.opt.Timeouts.Compact)
	defer cancel()
	record, err := x.proxy.record(ctx, Request{Chat: req, Who: x.sender.who,
		Upstream: x.upstreamName()})
	x.outcome.FailOpens = append(x.outcome.FailOpens, record.FailOpens...)
	x.added = time.Since(x.ready)
	switch {
	case x.clientGone():
		x.fail(fault.ClientGone())
		return c, false
	case errors.Is(err, compaction.ErrNothing):
		x.failCompact(compactNothing, "", nil)
		return c, false
	case err != nil:
		x.failCompact(compactFailed, "", err)
		return c, false
	}
	x.action, x.reply.Report = string(compaction.ActionAnswer), x.report
	x.reportCompact(compactAnswered, slog.LevelInfo,
		slog.Int("raw_tokens", record.Input), slog.Int("record_tokens", record.Size))
	return responses.Compaction{Record: record.Text, Created: time.Now().Unix(),
		Input: record.Input, Output: record.Size}, true
}

// unavailable says why no record can be made of a request that must not be changed.
var unavailable = map[view.Passthrough]string{
	view.ServerState: "a part of the conversation is stored at its provider only",
	view.Managed:     "it contains its provider's own compaction item, or a setting for one",
}

// record calls Recorder.Record and recovers from panics.
func (p *Proxy) record(ctx context.Context, req Request) (r compaction.Record, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.reportPanic("record", v)
			r, err = compaction.Record{}, errors.New("making a record panicked")
		}
	}()
	return p.opt.Recorder.Record(ctx, req)
}

// unreadableCompact answers a request for compaction whose body has no view. An input that is a
// single string has no turns.
func (x *exchange) unreadableCompact(err error) {
	if errors.Is(err, view.ErrNoMessages) {
		x.failCompact(compactNothing, "", nil)
		return
	}
	x.failCompact(compactUnreadable, string(class.Unparsable(err)), nil)
}

// failCompact answers a request for compaction with an error.
func (x *exchange) failCompact(outcome, why string, cause error) {
	f := &fault.Fault{Status: http.StatusBadRequest, Kind: outcome, Cause: cause}
	switch outcome {
	case compactNothing:
		f.Message = "There is nothing to compact: the input has no model turn, or is " +
			"not a list of items."
	case compactUnreadable:
		f.Message = "Killick, which answers requests for compaction here, cannot read this one: " +
			why + "."
	case compactForeign:
		f.Message = "Killick, which answers requests for compaction here, cannot make a record " +
			"of this conversation: " + why + "."
	default:
		f.Status = http.StatusInternalServerError
		f.Message = "Killick could not make a record of this conversation; see its log. Try again."
	}
	x.reportCompact(outcome, slog.LevelWarn, slog.Int("status", f.Status))
	x.fail(f)
}

// reportCompact counts and logs the outcome of a request for compaction.
func (x *exchange) reportCompact(outcome string, level slog.Level, attrs ...slog.Attr) {
	p := x.proxy
	p.metrics.compacts.With(outcome).Inc()
	attrs = append([]slog.Attr{slog.String("outcome", outcome)}, attrs...)
	if x.sender.who != "" {
		attrs = append(attrs, clientAttr(x.sender.who))
	}
	p.opt.Logger.LogAttrs(context.WithoutCancel(x.in.Context()), level, "compaction request",
		attrs...)
}
