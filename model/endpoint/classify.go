package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// errNoChoice is a completion with nothing in it.
var errNoChoice = errors.New("a completion without choices")

// classify makes an error of this package of one of go-openai's, which may quote bodies,
// addresses and headers and therefore goes no further. own says that the key is the
// operator's.
func classify(ctx context.Context, err error, own bool) (rejection, error) {
	if err == nil {
		return rejection{}, nil
	}
	if why, ok := rejectedWith(err); ok {
		return why, errorOf(why, own)
	}
	switch cause := ctx.Err(); {
	case cause != nil:
		return rejection{}, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		// An endpoint that names its model like one of OpenAI's and knows
		// max_tokens alone: go-openai refuses to ask it so.
		return rejection{http.StatusBadRequest, boundWords[1]},
			fmt.Errorf("%w: go-openai takes no max_tokens for this model", ErrRejected)
	case timedOut(err):
		return rejection{}, fmt.Errorf("%w: the connection timed out", ErrUnavailable)
	}
	for _, known := range []error{errAnswerSize, errRedirect, errNoChoice} {
		if errors.Is(err, known) {
			return rejection{}, fmt.Errorf("%w: %w", ErrUnavailable, known)
		}
	}
	return rejection{}, fmt.Errorf("%w: no connection, or a reply that is no completion",
		ErrUnavailable)
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// rejectedWith returns the status and the words of an endpoint that did not take a
// request.
func rejectedWith(err error) (why rejection, ok bool) {
	var api *openai.APIError
	if errors.As(err, &api) {
		words := fmt.Sprint(api.Code, " ", api.Message)
		if api.Param != nil {
			words += " " + *api.Param
		}
		return rejection{api.HTTPStatusCode, words}, true
	}
	var raw *openai.RequestError
	if errors.As(err, &raw) {
		return rejection{raw.HTTPStatusCode, string(raw.Body)}, true
	}
	return rejection{}, false
}

// errorOf says what a rejection means. The words of the endpoint decide between kinds;
// they are not repeated.
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

// tooLongWords are of the errors by which endpoints say that a request exceeds the
// window: OpenAI, vLLM, Mistral, llama.cpp, Anthropic, Gemini.
var tooLongWords = []string{
	"context_length_exceeded", "maximum context length", "context window", "context size",
	"prompt is too long", "exceeds the maximum number of tokens",
}
