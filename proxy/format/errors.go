package format

import (
	"net/http"
	"strconv"

	"killick/chat"
	"killick/rawjson"
)

// Error is an error of the proxy itself, for a client.
type Error struct {
	Status    int    // with which it is sent, or would have been
	Message   string // for people; it names no address, path or credential
	Type      string // what OpenAI's clients check besides the status
	Code      string // a fixed word
	RequestID string // "" for none
}

// Body returns the error as a body in the shape that clients of a format read. Those of
// other paths get the one of chat completions.
func (e Error) Body(f Format) []byte {
	switch f {
	case Messages:
		return e.messagesBody()
	case Gemini:
		return e.geminiBody()
	case Converse:
		return e.converseBody()
	case Ollama:
		return append(rawjson.AppendQuoted([]byte(`{"error":`), e.Message), '}')
	}
	return chat.ErrorBody(e.Message, e.Type, e.Code)
}

// Event returns the error as an event in a stream that has begun, in the shape of a format. The
// stream so far must end in an empty line.
func (e Error) Event(f Format) []byte {
	switch f {
	case Messages:
		return event("error", e.messagesBody())
	case Gemini:
		return event("", e.geminiBody())
	case Responses:
		b := rawjson.AppendQuoted([]byte(`{"type":"error","code":`), e.Code)
		b = rawjson.AppendQuoted(append(b, `,"message":`...), e.Message)
		return event("error", append(b, `,"param":null,"sequence_number":0}`...))
	}
	return event("", chat.ErrorBody(e.Message, e.Type, e.Code))
}

func event(name string, data []byte) []byte {
	var b []byte
	if name != "" {
		b = append(append(b, "event: "...), name...)
		b = append(b, '\n')
	}
	b = append(append(b, "data: "...), data...)
	return append(b, "\n\n"...)
}

func (e Error) messagesBody() []byte {
	b := rawjson.AppendQuoted([]byte(`{"type":"error","error":{"type":`), messagesType(e.Status))
	b = append(rawjson.AppendQuoted(append(b, `,"message":`...), e.Message), `},"request_id":`...)
	if e.RequestID == "" {
		b = append(b, "null"...)
	} else {
		b = rawjson.AppendQuoted(b, e.RequestID)
	}
	return append(b, '}')
}

func (e Error) geminiBody() []byte {
	b := strconv.AppendInt([]byte(`{"error":{"code":`), int64(e.Status), 10)
	b = rawjson.AppendQuoted(append(b, `,"message":`...), e.Message)
	b = rawjson.AppendQuoted(append(b, `,"status":`...), geminiStatus(e.Status))
	return append(b, `}}`...)
}

// converseBody has the type of the error in the body too: it is where clients look without the
// header (https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html, "Operation error
// serialization").
func (e Error) converseBody() []byte {
	b := rawjson.AppendQuoted([]byte(`{"__type":`), ConverseType(e.Status))
	return append(rawjson.AppendQuoted(append(b, `,"message":`...), e.Message), '}')
}

// ConverseType returns Bedrock's name for the error with a status, which its clients look for in
// the header X-Amzn-Errortype: "Converse" of Bedrock's API reference, errors.
func ConverseType(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "AccessDeniedException"
	case http.StatusNotFound:
		return "ResourceNotFoundException"
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return "ModelTimeoutException"
	case http.StatusTooManyRequests:
		return "ThrottlingException"
	case http.StatusServiceUnavailable, http.StatusBadGateway:
		return "ServiceUnavailableException"
	}
	if status >= 500 {
		return "InternalServerException"
	}
	return "ValidationException"
}

// geminiStatus returns the name of Google's error code for a status: google/rpc/code.proto of
// googleapis.
func geminiStatus(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	}
	if status >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

// messagesType returns Anthropic's error type for a status: platform.claude.com, "Errors", and
// shared.ErrorType of anthropic-sdk-go.
func messagesType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable, 529:
		return "overloaded_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}
