package model

import (
	"errors"

	"killick/model/endpoint"
)

// ErrMalformed means that no answer had the required shape, or that it had too few questions. Calls
// fail with it or with an error of package endpoint; callers then proceed without the model.
var ErrMalformed = errors.New("the model's answer has not the form asked for")

// Reason names err in one or two words for metrics and logs: malformed, or the word of
// [endpoint.Reason]. It is "" for nil.
func Reason(err error) string {
	if errors.Is(err, ErrMalformed) {
		return "malformed"
	}
	return endpoint.Reason(err)
}
