package model

import (
	"errors"

	"killick/model/endpoint"
)

// What a call that brought nothing wraps. Each means: do without the model.
var (
	// ErrRefused: the model would not answer, or only acknowledged what was asked.
	ErrRefused = endpoint.ErrRefused
	// ErrMalformed: no answer had the form that was asked for, or there were too few
	// questions in it.
	ErrMalformed = errors.New("the model's answer has not the form asked for")
	// ErrUnavailable: the endpoint could not be reached, took too long, failed, or has
	// failed so often that it is left alone for a while.
	ErrUnavailable = endpoint.ErrUnavailable
	// ErrRejected: the endpoint would not take the request.
	ErrRejected = endpoint.ErrRejected
	// ErrTooLong: the request does not fit the model's window.
	ErrTooLong = endpoint.ErrTooLong
	// ErrLimit: the conversation has used up its calls or its money for the hour.
	ErrLimit = endpoint.ErrLimit
)

// Reason names err in one or two words for metrics and logs: malformed, or what
// [endpoint.Reason] names it. It is "" for nil.
func Reason(err error) string {
	if errors.Is(err, ErrMalformed) {
		return "malformed"
	}
	return endpoint.Reason(err)
}
