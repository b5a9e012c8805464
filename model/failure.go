package model

import (
	"errors"

	"killick/model/endpoint"
)

// The errors of calls. With each, callers proceed without the model.
var (
	// ErrRefused: the model refused to answer, or only acknowledged the request.
	ErrRefused = endpoint.ErrRefused
	// ErrMalformed: no answer had the required shape, or it had too few questions.
	ErrMalformed = errors.New("the model's answer has not the form asked for")
	// ErrUnavailable: the endpoint could not be reached, timed out, failed, or has failed so
	// often that its circuit breaker is open.
	ErrUnavailable = endpoint.ErrUnavailable
	// ErrRejected: the endpoint rejected the request.
	ErrRejected = endpoint.ErrRejected
	// ErrTooLong: the request does not fit the model's window.
	ErrTooLong = endpoint.ErrTooLong
	// ErrLimit: the conversation has used up its calls or spending for the hour.
	ErrLimit = endpoint.ErrLimit
)

// Reason names err in one or two words for metrics and logs: malformed, or the word of
// [endpoint.Reason]. It is "" for nil.
func Reason(err error) string {
	if errors.Is(err, ErrMalformed) {
		return "malformed"
	}
	return endpoint.Reason(err)
}
