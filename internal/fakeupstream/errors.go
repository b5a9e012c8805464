package fakeupstream

import (
	"fmt"
	"net/http"

	"killick/internal/fakeserver/openaiapi"
	"killick/rawjson"
)

func mistyped(at, want string, got rawjson.Value) *openaiapi.Error {
	return openaiapi.Mistyped(at, want, kinds[got.Kind()])
}

// kinds names the kinds of values as OpenAI's errors do.
var kinds = map[rawjson.Kind]string{
	rawjson.Null: "null", rawjson.Bool: "a boolean", rawjson.Number: "a number",
	rawjson.String: "a string",
	rawjson.Array:  "an array", rawjson.Object: "an object",
}

// fail answers with e.
func (x *exchange) fail(e *openaiapi.Error) { x.Answer(e.Status, e.Body()) }

func noSuchModel(id string) *openaiapi.Error {
	return &openaiapi.Error{Status: http.StatusNotFound, Type: openaiapi.InvalidRequest,
		Param: "model", Code: "model_not_found",
		Message: fmt.Sprintf("The model '%s' does not exist or you do not have access to it.", id)}
}
