package fakeupstream

import (
	"fmt"
	"net/http"

	"killick/rawjson"
)

// invalidRequest is the type of most errors.
const invalidRequest = "invalid_request_error"

// apiError is an error in OpenAI's shape. Its wordings are OpenAI's own, as
// public bug reports quote them, slips of spelling included.
type apiError struct {
	status       int
	message, typ string
	param, code  string // "" is null
}

func badRequest(param, code, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, typ: invalidRequest,
		message: fmt.Sprintf(format, args...), param: param, code: code}
}

// wrongType is worded for a member, what it should be and what it is.
const wrongType = "Invalid type for '%s': expected %s, but got %s instead."

func lacks(at string) *apiError {
	return badRequest(at, "missing_required_parameter", "Missing required parameter: '%s'.", at)
}

func empty(at string) *apiError {
	return badRequest(at, "empty_array",
		"Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty "+
			"array instead.", at)
}

func unsupported(at, got, supported string) *apiError {
	return badRequest(at, "invalid_value", "Invalid value: '%s'. Supported values are: %s.",
		got, supported)
}

func mistyped(at, want string, got rawjson.Value) *apiError {
	return badRequest(at, "invalid_type", wrongType, at, want, kinds[got.Kind()])
}

// kinds names the kinds of values as OpenAI's errors do.
var kinds = map[rawjson.Kind]string{
	rawjson.Null: "null", rawjson.Bool: "a boolean", rawjson.Number: "a number",
	rawjson.String: "a string",
	rawjson.Array:  "an array", rawjson.Object: "an object",
}

// fail answers with e.
func (x *exchange) fail(e apiError) { x.answer(e.status, e.body()) }

// body is the error as OpenAI's clients read it.
func (e *apiError) body() []byte {
	type body struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	return encodeJSON(map[string]body{"error": {e.message, e.typ, orNull(e.param), orNull(e.code)}})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func unauthorized(key string) apiError {
	e := apiError{status: http.StatusUnauthorized, typ: invalidRequest, code: "invalid_api_key",
		message: "Incorrect API key provided. You can find your API key at " +
			"https://platform.openai.com/account/api-keys."}
	if key == "" {
		e.code = ""
		e.message = "You didn't provide an API key. You need to provide your API key in an " +
			"Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
	}
	return e
}

func notAllowed() apiError {
	return apiError{status: http.StatusMethodNotAllowed, typ: invalidRequest,
		code:    "method_not_supported",
		message: "Only POST requests are accepted."}
}

func noSuchModel(id string) apiError {
	return apiError{status: http.StatusNotFound, typ: invalidRequest, param: "model",
		code:    "model_not_found",
		message: fmt.Sprintf("The model '%s' does not exist or you do not have access to it.", id)}
}

// errorOf is what OpenAI says with a status when the script says nothing else.
func errorOf(status int) apiError {
	e := apiError{status: status, typ: "server_error",
		message: "The server had an error while processing your request. Sorry about that!"}
	switch {
	case status == http.StatusUnauthorized:
		e = unauthorized("any")
	case status == http.StatusTooManyRequests:
		e.typ, e.code = "requests", "rate_limit_exceeded"
		e.message = "Rate limit reached for requests. Please try again in 1s."
	case status == http.StatusServiceUnavailable:
		e.message = "The engine is currently overloaded, please try again later"
	case status < 500:
		e.typ, e.message = invalidRequest, http.StatusText(status)
	}
	return e
}
