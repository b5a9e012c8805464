package openaiapi

import (
	"fmt"
	"net/http"

	"killick/internal/fakeserver"
)

// InvalidRequest is the type of most errors.
const InvalidRequest = "invalid_request_error"

// NotJSON is the message for a body that is not JSON.
const NotJSON = "We could not parse the JSON body of your request. (HINT: This likely means you " +
	"aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but " +
	"what was sent was not valid JSON. If you have trouble figuring out how to fix this, " +
	"please contact us through our help center at help.openai.com.)"

// Error is an error in OpenAI's shape. Its wordings are OpenAI's own, as
// public bug reports quote them, slips of spelling included.
type Error struct {
	Status        int
	Message, Type string
	Param, Code   string // "" is null
}

// Body is the error as OpenAI's clients read it.
func (e *Error) Body() []byte {
	type body struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	return fakeserver.EncodeJSON(map[string]body{
		"error": {e.Message, e.Type, OrNull(e.Param), OrNull(e.Code)}})
}

// BadRequest is an error with status 400 about a member, "" for none.
func BadRequest(param, code, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Type: InvalidRequest,
		Message: fmt.Sprintf(format, args...), Param: param, Code: code}
}

// Lacks is the error for a member that must be there.
func Lacks(at string) *Error {
	return BadRequest(at, "missing_required_parameter", "Missing required parameter: '%s'.", at)
}

// Empty is the error for a list that must have an element.
func Empty(at string) *Error {
	return BadRequest(at, "empty_array",
		"Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty "+
			"array instead.", at)
}

// Unsupported is the error for a value that is not among the supported ones.
func Unsupported(at, got, supported string) *Error {
	return BadRequest(at, "invalid_value", "Invalid value: '%s'. Supported values are: %s.",
		got, supported)
}

// Mistyped is the error for a member that is of another kind than it should be. Kinds are named
// with their article: a string, an array of objects.
func Mistyped(at, want, got string) *Error {
	return BadRequest(at, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.",
		at, want, got)
}

// Unauthorized is the error for a wrong key, or for none if it is empty.
func Unauthorized(key string) *Error {
	e := &Error{Status: http.StatusUnauthorized, Type: InvalidRequest, Code: "invalid_api_key",
		Message: "Incorrect API key provided. You can find your API key at " +
			"https://platform.openai.com/account/api-keys."}
	if key == "" {
		e.Code = ""
		e.Message = "You didn't provide an API key. You need to provide your API key in an " +
			"Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
	}
	return e
}

// NotAllowed is the error for another method than POST.
func NotAllowed() *Error {
	return &Error{Status: http.StatusMethodNotAllowed, Type: InvalidRequest,
		Code:    "method_not_supported",
		Message: "Only POST requests are accepted."}
}

// ErrorOf is what OpenAI says with a status when the script says nothing else.
func ErrorOf(status int) *Error {
	e := &Error{Status: status, Type: "server_error",
		Message: "The server had an error while processing your request. Sorry about that!"}
	switch {
	case status == http.StatusUnauthorized:
		e = Unauthorized("any")
	case status == http.StatusTooManyRequests:
		e.Type, e.Code = "requests", "rate_limit_exceeded"
		e.Message = "Rate limit reached for requests. Please try again in 1s."
	case status == http.StatusServiceUnavailable:
		e.Message = "The engine is currently overloaded, please try again later"
	case status < 500:
		e.Type, e.Message = InvalidRequest, http.StatusText(status)
	}
	return e
}

// OrNull returns s, and nil for an empty one.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// BodyOf is the body of ErrorOf.
func BodyOf(status int) []byte { return ErrorOf(status).Body() }

// TooLarge is the error for a body of more than limit bytes.
func TooLarge(limit int64) *Error {
	return &Error{Status: http.StatusRequestEntityTooLarge, Type: InvalidRequest,
		Message: fmt.Sprintf("Request body is larger than %d bytes.", limit)}
}
