package proxy

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"killick/compaction"
	"killick/proxy/body"
	"killick/proxy/coding"
	"killick/proxy/fault"
	"killick/view"
)

// This file reads what clients send: bodies that are inspected, whole, and others as they stream.

// readPlain reads and decodes the body of a request, and chooses its upstream. readable reports
// whether it could be decoded.
func (x *exchange) readPlain() (raw []byte, readable, ok bool) {
	if raw, ok = x.read(); !ok {
		return nil, false, false
	}
	if readable, ok = x.decode(raw); !ok {
		return nil, false, false
	}
	if x.dest.up == nil && !x.routeByModel(x.wire.Model(x.sent.plain)) {
		return nil, false, false
	}
	return raw, readable, true
}

// read reads the body of a request.
func (x *exchange) read() (raw []byte, ok bool) {
	opt := &x.proxy.opt
	raw, err := body.Read(x.reply.Controller(), x.in, opt.MaxBody, opt.Timeouts.Body, &x.reserved)
	if err != nil {
		x.reject(err)
		return nil, false
	}
	x.inBytes, x.ready = int64(len(raw)), time.Now()
	return raw, true
}

// decode decodes a copy of the body if it is compressed. Unreadable bodies are left to the
// upstream. The model that a body names may have its own mode.
func (x *exchange) decode(raw []byte) (readable, ok bool) {
	opt := &x.proxy.opt
	plain, err := body.Decode(coding.Of(x.in.Header), raw, opt.MaxBody, &x.reserved)
	switch {
	case errors.Is(err, body.ErrTooLarge): // decoded; it was read to its end
		x.fail(x.bodyFault(err))
		return false, false
	case err != nil:
		x.outcome.Reason = unreadable(err)
		return false, true
	}
	x.sent.plain = plain
	x.model = loggedModel(cmp.Or(x.pathModel(), view.PeekModel(plain).Text()))
	if opt.ModeOf != nil {
		x.setMode(opt.ModeOf(cmp.Or(x.pathModel(), x.wire.Model(plain))))
	}
	return true, true
}

// unreadable reports why a body was forwarded without inspection.
func unreadable(err error) compaction.Reason {
	switch {
	case errors.Is(err, coding.ErrUnknown):
		return "unknown content encoding"
	case errors.Is(err, body.ErrOverBudget):
		return "no room to decode"
	}
	return "content encoding not readable"
}

// prepareRouted chooses the upstream of a request that does not go to the Compactor. Its body is
// only buffered if the model in it decides.
func (x *exchange) prepareRouted() (forward bool) {
	if x.dest.up != nil {
		return true
	}
	if !mayNameModel(x.in) {
		return x.routeByModel("")
	}
	raw, ok := x.read()
	if !ok {
		return false
	}
	plain, err := body.Decode(coding.Of(x.in.Header), raw, x.proxy.opt.MaxBody, &x.reserved)
	if errors.Is(err, body.ErrTooLarge) {
		x.fail(x.bodyFault(err))
		return false
	}
	model := ""
	if err == nil {
		model = x.wire.Model(plain)
	}
	if x.clientGone() {
		x.fail(fault.ClientGone())
		return false
	}
	if !x.routeByModel(model) {
		return false
	}
	x.sent.body = body.HoldOwned(raw)
	return true
}

// mayNameModel reports whether a request has a body of JSON.
func mayNameModel(r *http.Request) bool {
	media := strings.ToLower(cmp.Or(r.Header.Get("Content-Type"), "json"))
	return r.Body != nil && r.Body != http.NoBody && strings.Contains(media, "json")
}

// keptOpen is an upload that only the server closes. The reverse proxy would close it when it is
// done, and then the rest could not be read.
type keptOpen struct{ io.Reader }

func (keptOpen) Close() error { return nil }

// uploadRead is how long an upload is read after it was answered, like nginx's
// lingering_time.
const uploadRead = 30 * time.Second

// lingerIdle is how long a client that got its answer may pause before reading its
// upload stops.
const lingerIdle = 250 * time.Millisecond

// linger reads the rest of an upload that the upstream answered without reading all
// of it. A connection that is closed while the client still sends is reset, and the
// answer is lost with it.
func (x *exchange) linger() {
	if x.sent.upload == nil || x.in.ProtoMajor != 1 || x.reply.Status() == 0 ||
		x.answer.status == http.StatusSwitchingProtocols {
		return
	}
	if x.sent.upload.Len() == 0 && x.in.Header.Get("Expect") != "" {
		return // the client got no 100 yet: reading would send it
	}
	x.readOn()
}

// reject answers a chat request whose body could not be read because of err, and reads the rest of
// it if it was only too large.
func (x *exchange) reject(err error) {
	readOn := (errors.Is(err, body.ErrTooLarge) || errors.Is(err, body.ErrOverBudget)) &&
		x.in.ProtoMajor == 1 && x.in.Header.Get("Expect") == ""
	if readOn {
		// Else the server reads a little of the rest before it sends the answer, and closes the
		// connection on what comes after.
		_ = x.reply.Controller().EnableFullDuplex()
	}
	x.fail(x.bodyFault(err))
	if readOn {
		x.readOn()
	}
}

// readOn flushes the reply, then reads for a while what the client still sends of its body.
func (x *exchange) readOn() {
	_ = x.reply.FlushError()
	buf := make([]byte, 32<<10)
	for end := time.Now().Add(uploadRead); time.Now().Before(end) && !x.clientGone(); {
		if x.reply.Controller().SetReadDeadline(time.Now().Add(lingerIdle)) != nil {
			return
		}
		if _, err := x.in.Body.Read(buf); err != nil {
			break
		}
	}
	_ = x.reply.Controller().SetReadDeadline(time.Time{})
}
