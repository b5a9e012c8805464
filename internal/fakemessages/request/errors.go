package request

import (
	"fmt"
	"net/http"

	"killick/internal/fakeserver"
)

// Error is an error in Anthropic's shape. Its wordings are Anthropic's own where a source is
// known (see the package comment), and in the style of its validation otherwise.
type Error struct {
	Status        int
	Type, Message string
	Code          string // error.details.error_code, "" for none
}

const invalidRequest = "invalid_request_error"

// Invalid is a refusal of what a request says.
func Invalid(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Type: invalidRequest,
		Message: fmt.Sprintf(format, args...)}
}

func required(at string) *Error { return Invalid("%s: Field required", at) }

func extra(at string) *Error { return Invalid("%s: Extra inputs are not permitted", at) }

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
	Overloaded:                     {"overloaded_error", "Overloaded"},
}

// Overloaded is the status of overloaded_error, which has no name in HTTP.
const Overloaded = 529

// ErrorOf is the error that goes with a status.
func ErrorOf(status int) *Error {
	e := &Error{Status: status, Type: invalidRequest, Message: http.StatusText(status)}
	if status >= http.StatusInternalServerError {
		e.Type = "api_error"
	}
	if known, ok := errorTypes[status]; ok {
		e.Type, e.Message = known[0], known[1]
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

// Body is the error as Anthropic's clients read it.
func (e *Error) Body(requestID string) []byte {
	j := errorJSON{Type: "error", RequestID: requestID}
	j.Error.Type, j.Error.Message = e.Type, e.Message
	if e.Code != "" {
		j.Error.Details = &errorCode{e.Code}
	}
	return fakeserver.EncodeJSON(j)
}
