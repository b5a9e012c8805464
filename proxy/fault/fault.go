package fault

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"killick/proxy/body"
)

// StatusClientGone is the logged status of a request whose client disconnected before it was
// answered, as in nginx. It is sent as well: a client that only closed its sending side still
// reads, and must not take silence for a reply.
const StatusClientGone = 499

// Fault is why a request failed. The message is for the client and names no address, path or
// credential; the cause is for the log.
type Fault struct {
	Status  int
	Kind    string // a fixed word, for log and metrics
	Message string
	Retry   int // seconds for Retry-After; 0: none
	Cause   error

	Upstream bool // caused by the upstream
}

// ClientGone is the fault of a client that disconnected, or seems to have: in both cases only the
// end of its sending side can be observed.
func ClientGone() *Fault {
	return &Fault{Status: StatusClientGone, Kind: "client_gone",
		Message: "The client closed the sending side of its connection before it got its reply. " +
			"Killick treats that as a disconnect and has cancelled the request. " +
			"Keep both sides open until the reply is read."}
}

// OfLimit returns which limit a body did not fit, nil for other errors of reading it. most is the
// limit in bytes.
func OfLimit(err error, most int64) *Fault {
	switch {
	case errors.Is(err, body.ErrTooLarge):
		return &Fault{Status: http.StatusRequestEntityTooLarge, Kind: "body_too_large",
			Message: "The request body is over Killick's limit of " +
				strconv.FormatInt(most, 10) + " bytes, decoded. " +
				"Send less, or raise limits.max_body in its configuration."}
	case errors.Is(err, body.ErrOverBudget):
		return &Fault{Status: http.StatusServiceUnavailable, Kind: "overloaded", Retry: 2,
			Message: "Killick's memory for request bodies (limits.max_held) is full. " +
				"Try again in a moment."}
	}
	return nil
}

// Usual reports whether a fault is part of normal operation: clients that disconnect, and those
// that try a WebSocket first.
func (f *Fault) Usual() bool {
	return f.Status == StatusClientGone || f.Status == http.StatusUpgradeRequired
}

// Type returns the error type that OpenAI's clients check besides the status.
func (f *Fault) Type() string {
	switch {
	case f.Upstream:
		return "upstream_error"
	case f.Status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// Attrs returns attributes for the operator's log: the kind, and the cause, which the client does
// not get. Each attribute has the same type in every line, which log stores require.
func (f *Fault) Attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("fault", f.Kind)}
	if f.Cause != nil {
		attrs = append(attrs, slog.String("cause", CauseText(f.Cause)))
	}
	return attrs
}

// CauseText returns an error's text without quotes of a message: the standard library quotes lines
// that it cannot parse.
func CauseText(err error) string {
	text := err.Error()
	if i := strings.Index(text, "malformed"); i >= 0 {
		return text[:i] + "malformed message"
	}
	text, _, _ = strings.Cut(text, `"`)
	return text
}
