package endpoint

import (
	"context"
	"errors"
)

// The errors of calls. With each, callers proceed without the model.
var (
	// ErrRefused: the model refused to answer.
	ErrRefused = errors.New("the model refused")
	// ErrUnavailable: the endpoint could not be reached, timed out, failed, or has failed so
	// often that its circuit breaker is open.
	ErrUnavailable = errors.New("the model is unavailable")
	// ErrRejected: the endpoint rejected the request.
	ErrRejected = errors.New("the endpoint rejected the request")
	// ErrTooLong: the request does not fit the model's window.
	ErrTooLong = errors.New("the request is too long for the model")
	// ErrLimit: the conversation has used up its calls or spending for the hour.
	ErrLimit = errors.New("the limit of the conversation is reached")
)

// Reason names err in one or two words for metrics and logs: canceled, timeout, refused,
// unavailable, rejected, too long, limit, or other. It is "" for nil.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	for _, known := range []struct {
		err  error
		name string
	}{
		{context.Canceled, "canceled"}, {context.DeadlineExceeded, "timeout"},
		{ErrRefused, "refused"}, {ErrUnavailable, "unavailable"},
		{ErrRejected, "rejected"}, {ErrTooLong, "too long"}, {ErrLimit, "limit"},
	} {
		if errors.Is(err, known.err) {
			return known.name
		}
	}
	return "other"
}
