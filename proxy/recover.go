package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"

	"killick/proxy/fault"
)

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
	p.contained("handler", v)
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

// failOpenOnPanic is deferred around work that a request can do without.
func (p *Proxy) failOpenOnPanic(where string) {
	if v := recover(); v != nil {
		p.contained(where, v)
		p.metrics.failOpens.With("panic").Inc()
	}
}

// contained counts and logs a panic that was recovered. Its value may quote a prompt, so only its
// type is logged, and the text of the runtime's own errors, which contains indices and type names.
func (p *Proxy) contained(where string, v any) {
	p.metrics.panics.Inc()
	text := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		text = err.Error()
	}
	p.opt.Logger.Error("a panic was contained",
		slog.String("where", where), slog.String("panic", text),
		slog.String("stack", string(debug.Stack())))
}
