package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"

	"killick/proxy/body"
	"killick/proxy/format"
)

// statusClientGone is the logged status of a request whose client disconnected
// before it was answered, as in nginx. It is sent as well: a client that only closed
// its sending side still reads, and must not take silence for a reply.
const statusClientGone = 499

// clientLeft is the error for a client that disconnected, or seems to have: in both cases only the
// end of its sending side can be observed.
func clientLeft() *fault {
	return &fault{status: statusClientGone, kind: "client_gone",
		message: "The client closed the sending side of its connection before it got its reply. " +
			"Killick treats that as a disconnect and has cancelled the request. " +
			"Keep both sides open until the reply is read."}
}

// fault is why a request failed. The message is for the client and
// names no address, path or credential; the cause is for the log.
type fault struct {
	status  int
	kind    string // a fixed word, for log and metrics
	message string
	retry   int // seconds for Retry-After; 0: none
	cause   error

	upstream bool // caused by the upstream
}

// usual reports whether a fault is part of normal operation: clients that disconnect, and those
// that try a WebSocket first.
func (f *fault) usual() bool {
	return f.status == statusClientGone || f.status == http.StatusUpgradeRequired
}

// notConnect rejects CONNECT: its tunnel could lead anywhere.
func (x *exchange) notConnect() (ok bool) {
	if x.in.Method != http.MethodConnect {
		return true
	}
	x.fail(&fault{status: http.StatusMethodNotAllowed, kind: "connect_method",
		message: "Killick is not a forward proxy: CONNECT is not supported. " +
			"Use it as the base URL of your client instead."})
	return false
}

// notWebSocket rejects the responses API over WebSocket, where nothing can be compacted. Clients
// then use HTTP, Codex immediately.
func (x *exchange) notWebSocket() (ok bool) {
	if x.kind != format.KindResponsesWebSocket || x.proxy.opt.PassResponsesWebSocket {
		return true
	}
	x.proxy.metrics.refusedSockets.Inc()
	x.fail(&fault{status: http.StatusUpgradeRequired, kind: "websocket_refused",
		message: "Killick does not support the responses API over WebSocket, where it could not " +
			"compact anything. Use HTTP, or set responses.websocket: pass in its configuration."})
	return false
}

// errorType is what OpenAI's clients check besides the status.
func (f *fault) errorType() string {
	switch {
	case f.upstream:
		return "upstream_error"
	case f.status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// fail answers with an error in the shape of the request's format, if nothing was sent yet.
func (x *exchange) fail(f *fault) {
	x.fault = f
	if x.reply.Status() != 0 {
		return
	}
	h := x.reply.Header()
	clear(h) // headers set by earlier steps
	f.setHeaders(h)
	e := x.publicError(f)
	if x.kind.Format() == format.Messages {
		h.Set("Request-Id", e.RequestID) // where Anthropic's clients look for it
	}
	writeJSON(x.reply, f.status, e.Body(x.kind.Format()))
}

// setHeaders sets the headers that clients need besides the error.
func (f *fault) setHeaders(h http.Header) {
	if f.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if f.status == http.StatusUpgradeRequired {
		h.Set("Upgrade", "HTTP/1.1") // RFC 9110, 15.5.22: what is required
		h.Set("Connection", "Upgrade")
	}
	if f.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.retry))
	}
}

// publicError is the part of a fault that the client may see.
func (x *exchange) publicError(f *fault) format.Error {
	return format.Error{Status: f.status, Message: f.message, Type: f.errorType(), Code: f.kind,
		RequestID: x.id()}
}

// writeError answers in the OpenAI error shape, as our own paths do.
func writeError(w http.ResponseWriter, status int, message, typ, code string) {
	e := format.Error{Status: status, Message: message, Type: typ, Code: code}
	writeJSON(w, status, e.Body(format.Other))
}

// writeFault is writeError for a fault.
func writeFault(w http.ResponseWriter, f *fault) {
	f.setHeaders(w.Header())
	writeError(w, f.status, f.message, f.errorType(), f.kind)
}

func writeJSON(w http.ResponseWriter, status int, text []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that disconnected needs no answer
}

// limitFault returns which limit a body did not fit, nil for other errors of reading it.
func (p *Proxy) limitFault(err error) *fault {
	limit := strconv.FormatInt(p.opt.MaxBody, 10)
	switch {
	case errors.Is(err, body.ErrTooLarge):
		return &fault{status: http.StatusRequestEntityTooLarge, kind: "body_too_large",
			message: "The request body is over Killick's limit of " + limit + " bytes, decoded. " +
				"Send less, or raise limits.max_body in its configuration."}
	case errors.Is(err, body.ErrOverBudget):
		return &fault{status: http.StatusServiceUnavailable, kind: "overloaded", retry: 2,
			message: "Killick's memory for request bodies (limits.max_held) is full. " +
				"Try again in a moment."}
	}
	return nil
}

// bodyFault returns why a chat request's body was not read.
func (x *exchange) bodyFault(err error) *fault {
	if f := x.proxy.limitFault(err); f != nil {
		return f
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &fault{status: http.StatusRequestTimeout, kind: "body_timeout",
			message: "The request body arrived too slowly. Send it again."}
	case x.clientGone(), errors.Is(err, io.ErrUnexpectedEOF), isReset(err):
		return clientLeft()
	}
	return &fault{status: http.StatusBadRequest, kind: "body_unreadable", cause: err,
		message: "The request body could not be read: its HTTP framing is invalid."}
}

// upstreamFault returns why there is no reply, or only the beginning of one.
func (x *exchange) upstreamFault(err error) *fault {
	ctx := x.in.Context()
	if x.clientGone() || x.upload != nil && x.upload.err.Load() != nil {
		return clientLeft()
	}
	f := &fault{upstream: true, cause: err}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		f.status, f.kind, f.upstream, f.retry = http.StatusServiceUnavailable, "stopping", false, 2
		f.message = "Killick is shutting down. Try again."
	case errors.Is(cause, errFirstByte):
		f.status, f.kind, f.cause = http.StatusGatewayTimeout, "upstream_timeout", cause
		f.message = "The upstream did not begin its reply in time. Try again; " +
			"if its models are this slow, raise timeouts.first_byte in Killick's configuration."
	case errors.Is(cause, errIdle):
		f.status, f.kind, f.cause = http.StatusGatewayTimeout, "upstream_idle", cause
		f.message = "The upstream went silent in the middle of its reply. Try again."
	case x.upstream != 0:
		f.status, f.kind = http.StatusBadGateway, "upstream_cut"
		f.message = "The upstream's reply was cut off. Try again."
	default:
		f.status, f.kind, f.message = connectFault(err)
		if name := x.upstreamName(); name != "" {
			f.message = strings.ReplaceAll(f.message, "upstream.base_url",
				"base_url of the upstream "+strconv.Quote(name))
		}
	}
	return f
}

// connectFault returns why there is no reply at all.
func connectFault(err error) (status int, kind, message string) {
	var (
		dns     *net.DNSError
		op      *net.OpError
		timeout net.Error
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
	)
	timedOut := errors.As(err, &timeout) && timeout.Timeout()
	switch {
	case errors.As(err, &dns) && !timedOut:
		return http.StatusBadGateway, "upstream_dns",
			"The name of the upstream cannot be resolved. " +
				"Check upstream.base_url and DNS."
	case errors.As(err, &record):
		return http.StatusBadGateway, "upstream_tls",
			"The upstream does not answer in TLS. If it speaks HTTP without it, " +
				"write http:// in upstream.base_url; otherwise check the port there."
	case errors.As(err, &cert), errors.As(err, &alert):
		return http.StatusBadGateway, "upstream_tls",
			"No secure connection to the upstream: its certificate or TLS handshake failed. " +
				"Check upstream.base_url and the configured certificates."
	case timedOut:
		return http.StatusGatewayTimeout, "upstream_connect_timeout",
			"The upstream could not be reached in time. " +
				"Check upstream.base_url and the network, then try again."
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "upstream_refused",
			"The upstream refused the connection. " +
				"Check that it is running and that upstream.base_url is correct, then try again."
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return http.StatusBadGateway, "upstream_unreachable",
			"The upstream cannot be reached. " +
				"Check upstream.base_url and the network, then try again."
	}
	return http.StatusBadGateway, "upstream_reset",
		"The upstream closed the connection without a reply in HTTP. Try again. " +
			"If it always does, check upstream.base_url."
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, net.ErrClosed)
}

// attrs are for the operator's log: the kind, and the cause, which the client does not get. Each
// has one type in every line, as stores of logs want it.
func (f *fault) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("fault", f.kind)}
	if f.cause != nil {
		attrs = append(attrs, slog.String("cause", causeText(f.cause)))
	}
	return attrs
}

// causeText returns an error's text without quotes of a message: the standard library quotes lines
// that it cannot parse.
func causeText(err error) string {
	text := err.Error()
	if i := strings.Index(text, "malformed"); i >= 0 {
		return text[:i] + "malformed message"
	}
	text, _, _ = strings.Cut(text, `"`)
	return text
}
