package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// classify converts an error of the exchange, which may quote addresses and must not be passed on,
// to one of this package. own means that the key is the operator's.
func classify(ctx context.Context, err error, own bool) (rejection, error) {
	if err == nil {
		return rejection{}, nil
	}
	var why rejection
	if errors.As(err, &why) {
		return why, errorOf(why, own)
	}
	switch cause := ctx.Err(); {
	case cause != nil:
		return rejection{}, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	case timedOut(err):
		return rejection{}, fmt.Errorf("%w: the connection timed out", ErrUnavailable)
	}
	for _, known := range []error{errAnswerSize, errRedirect, errNoAnswer} {
		if errors.Is(err, known) {
			return rejection{}, fmt.Errorf("%w: %w", ErrUnavailable, known)
		}
	}
	return rejection{}, fmt.Errorf("%w: no connection, or a reply that was cut off", ErrUnavailable)
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// errorOf classifies a rejection. The endpoint's words decide between kinds; they are not
// repeated.
func errorOf(why rejection, own bool) error {
	words := strings.ToLower(why.words)
	kind := ErrRejected
	switch status := why.status; {
	case status == http.StatusTooManyRequests && !own:
		return fmt.Errorf("status %d: %w: %w", status, ErrUnavailable, errBusyForOne)
	case status >= 500, status == http.StatusTooManyRequests,
		status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooEarly:
		kind = ErrUnavailable
	case status == http.StatusRequestEntityTooLarge, containsAny(words, tooLongWords):
		kind = ErrTooLong
	case containsAny(words, filterWords):
		kind = ErrRefused
	}
	return fmt.Errorf("status %d: %w", why.status, kind)
}
