package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
)

// recovered ends an exchange whose handler panicked, v being the panic's value,
// and reports whether the connection has to be aborted.
//
// http.ErrAbortHandler is how the ReverseProxy says that a reply broke off. It
// has to go on to the server: a handler that returns ends the reply properly,
// and half an answer would pass for a whole one. Any other panic is ours; it is
// answered if nothing was sent, else aborted likewise.
func (p *Proxy) recovered(x *exchange, v any) (abort bool) {
	switch {
	case v == nil:
		return false
	case isAbort(v):
		if x.fault == nil {
			// The upstream was fine, so it was writing that failed.
			x.fault = clientLeft()
		}
		return true
	}
	p.contained("handler", v)
	// What had been sent before is not the whole of a reply.
	abort = x.reply.Status() != 0
	x.fail(&fault{status: http.StatusInternalServerError, kind: "internal",
		message: "Killick failed in an unexpected way; its log says where. Try again."})
	return abort
}

// isAbort reports whether a panic's value says that a reply broke off.
func isAbort(v any) bool {
	err, ok := v.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// contained counts and logs a panic that goes no further. The value of a panic may quote a
// prompt, so only its type is logged, and the text of the runtime's own errors, which hold
// indices and type names.
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
