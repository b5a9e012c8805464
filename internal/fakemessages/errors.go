package fakemessages

import (
	"fmt"
	"net/http"

	"killick/internal/fakeserver"
)

// apiError is an error in Anthropic's shape. Its wordings are Anthropic's own where a source is
// known (see the package comment), and in the style of its validation otherwise.
type apiError struct {
	status       int
	typ, message string
	code         string // error.details.error_code, "" for none
}

const invalidRequest = "invalid_request_error"

func invalid(format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, typ: invalidRequest,
		message: fmt.Sprintf(format, args...)}
}

func required(at string) *apiError { return invalid("%s: Field required", at) }

func extra(at string) *apiError { return invalid("%s: Extra inputs are not permitted", at) }

// errorTypes are what Anthropic answers with a status when the script says nothing else
// (https://platform.claude.com/docs/en/api/errors).
var errorTypes = map[int][2]string{
	http.StatusUnauthorized:          {"authentication_error", "invalid x-api-key"},
	http.StatusPaymentRequired:       {"billing_error", "Your credit balance is too low."},
	http.StatusForbidden:             {"permission_error", "Your API key lacks permission."},
	http.StatusNotFound:              {"not_found_error", "Not Found"},
	http.StatusRequestEntityTooLarge: {"request_too_large", "Request exceeds the maximum size"},
	http.StatusTooManyRequests: {"rate_limit_error",
		"This request would exceed your account's rate limit. Please try again later."},
	http.StatusInternalServerError: {"api_error", "Internal server error"},
	http.StatusGatewayTimeout:      {"timeout_error", "Request timed out"},
	overloaded:                     {"overloaded_error", "Overloaded"},
}

// overloaded is the status of overloaded_error, which has no name in HTTP.
const overloaded = 529

func errorOf(status int) *apiError {
	e := &apiError{status: status, typ: invalidRequest, message: http.StatusText(status)}
	if status >= http.StatusInternalServerError {
		e.typ = "api_error"
	}
	if known, ok := errorTypes[status]; ok {
		e.typ, e.message = known[0], known[1]
	}
	return e
}

type errorJSON struct {
	Type  string `json:"type"`
	Error struct {
		Type    string     `json:"type"`
		Message string     `json:"message"`
		Details *errorCode `json:"details,omitempty"`
	} `json:"error"`
	RequestID string `json:"request_id,omitempty"`
}

type errorCode struct {
	Code string `json:"error_code"`
}

// body is the error as Anthropic's clients read it.
func (e *apiError) body(requestID string) []byte {
	j := errorJSON{Type: "error", RequestID: requestID}
	j.Error.Type, j.Error.Message = e.typ, e.message
	if e.code != "" {
		j.Error.Details = &errorCode{e.code}
	}
	return fakeserver.EncodeJSON(j)
}
