package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"

	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/proxy/stall"
)

// errStopping is the cause of cancelling a request that took longer than the drain.
var errStopping = errors.New("the proxy is shutting down")

// notConnect rejects CONNECT, whose tunnel could lead anywhere. It reports whether to continue.
func (x *exchange) notConnect() (ok bool) {
	if x.in.Method != http.MethodConnect {
		return true
	}
	x.fail(&fault.Fault{Status: http.StatusMethodNotAllowed, Kind: "connect_method",
		Message: "Killick is not a forward proxy: CONNECT is not supported. " +
			"Use it as the base URL of your client instead."})
	return false
}

// notPreface rejects HTTP/2 without TLS if that is off: net/http reads the first bytes of such a
// client as a request. It reports whether to continue.
func (x *exchange) notPreface() (ok bool) {
	if x.in.Method != "PRI" || x.in.ProtoMajor != 2 {
		return true
	}
	x.fail(&fault.Fault{Status: http.StatusHTTPVersionNotSupported, Kind: "http2_off",
		Message: "Killick does not accept HTTP/2 without TLS here. " +
			"Use HTTP/1.1, or set h2c: true in its configuration."})
	return false
}

// notWebSocket rejects the Responses API over WebSocket, where nothing can be compacted. Clients
// then use HTTP; Codex does so immediately. It reports whether to continue.
func (x *exchange) notWebSocket() (ok bool) {
	if x.kind != format.KindResponsesWebSocket || x.proxy.opt.PassResponsesWebSocket {
		return true
	}
	x.proxy.metrics.refusedSockets.Inc()
	x.fail(&fault.Fault{Status: http.StatusUpgradeRequired, Kind: "websocket_refused",
		Message: "Killick does not support the responses API over WebSocket, where it could not " +
			"compact anything. Use HTTP, or set responses.websocket: pass in its configuration."})
	return false
}

// fail answers with an error in the shape of the request's format, if nothing was sent yet.
func (x *exchange) fail(f *fault.Fault) {
	x.fault = f
	if x.reply.Status() != 0 {
		return
	}
	h := x.reply.Header()
	clear(h) // headers set by earlier steps
	f.SetHeaders(h)
	e := f.Public(x.id())
	switch x.kind.Format() {
	case format.Messages:
		h.Set("Request-Id", e.RequestID) // where Anthropic's clients look for it
	case format.Converse:
		h.Set("X-Amzn-Errortype", format.ConverseType(f.Status)) // and Amazon's
		h.Set("X-Amzn-Requestid", e.RequestID)
	}
	fault.WriteJSON(x.reply, f.Status, e.Body(x.kind.Format()))
}

// bodyFault returns why a chat request's body was not read.
func (x *exchange) bodyFault(err error) *fault.Fault {
	if f := fault.OfLimit(err, x.proxy.opt.MaxBody); f != nil {
		return f
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &fault.Fault{Status: http.StatusRequestTimeout, Kind: "body_timeout",
			Message: "The request body arrived too slowly. Send it again."}
	case x.clientGone(), errors.Is(err, io.ErrUnexpectedEOF), isReset(err):
		return fault.ClientGone()
	}
	return &fault.Fault{Status: http.StatusBadRequest, Kind: "body_unreadable", Cause: err,
		Message: "The request body could not be read: its HTTP framing is invalid."}
}

// upstreamFault returns why there is no reply, or only the beginning of one.
func (x *exchange) upstreamFault(err error) *fault.Fault {
	ctx := x.in.Context()
	if x.clientGone() || x.sent.upload != nil && x.sent.upload.Failed() {
		return fault.ClientGone()
	}
	f := &fault.Fault{Upstream: true, Cause: err}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		f.Status, f.Kind, f.Upstream, f.Retry = http.StatusServiceUnavailable, "stopping", false, 2
		f.Message = "Killick is shutting down. Try again."
	case errors.Is(cause, stall.ErrFirstByte):
		f.Status, f.Kind, f.Cause = http.StatusGatewayTimeout, "upstream_timeout", cause
		f.Message = "The upstream did not begin its reply in time. Try again; " +
			"if its models are this slow, raise timeouts.first_byte in Killick's configuration."
	case errors.Is(cause, stall.ErrIdle):
		f.Status, f.Kind, f.Cause = http.StatusGatewayTimeout, "upstream_idle", cause
		f.Message = "The upstream went silent in the middle of its reply. Try again."
	case x.answer.status != 0:
		f.Status, f.Kind = http.StatusBadGateway, "upstream_cut"
		f.Message = "The upstream's reply was cut off. Try again."
	default:
		f = fault.OfConnection(err)
		if name := x.upstreamName(); name != "" {
			f.Message = strings.ReplaceAll(f.Message, "upstream.base_url",
				"base_url of the upstream "+strconv.Quote(name))
		}
	}
	return f
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, net.ErrClosed)
}

// recovered ends an exchange whose handler panicked, v being the panic's value,
// and reports whether the connection has to be aborted.
//
// The ReverseProxy panics with http.ErrAbortHandler if a reply was cut. That panic
// must reach the server: a handler that returns ends the reply properly, and a
// partial answer would look complete. Any other panic is ours. Both are answered
// if nothing was sent.
func (p *Proxy) recovered(x *exchange, v any) (abort bool) {
	switch {
	case v == nil:
		return false
	case isAbort(v):
		if x.fault == nil {
			// The upstream was fine, so writing failed.
			x.fault = fault.ClientGone()
		}
		abort = x.reply.Status() != 0
		x.fail(x.fault)
		return abort
	}
	p.reportPanic("handler", v)
	// What was sent before is not a complete reply.
	abort = x.reply.Status() != 0
	x.fail(&fault.Fault{Status: http.StatusInternalServerError, Kind: "internal",
		Message: "Killick failed with an internal error; see its log. Try again."})
	return abort
}

// isAbort reports whether a panic's value means that a reply was cut.
func isAbort(v any) bool {
	err, ok := v.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
