package model

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	openai "github.com/sashabaranov/go-openai"
)

//go:embed schema/*.json
var schemas embed.FS

// shape is the form of an answer. The very schema that is sent is what answers
// are held to, and the validator names each fault with its place, which is what
// the corrective retry needs: this is what the library is for. Sizes are checked
// apart, since strict endpoints take no bounds in a schema.
type shape struct {
	name   string
	schema json.RawMessage
	valid  *jsonschema.Schema
}

var (
	statementsShape = mustShape("statements")
	questionsShape  = mustShape("questions")
	verdictsShape   = mustShape("verdicts")
	answersShape    = mustShape("answers")
	gradesShape     = mustShape("grades")

	// In append no message has a number that the model could see: the quote, or the
	// answer's own words, say where it stands.
	statementsAppendShape = mustShape("statements_append")
	questionsAppendShape  = mustShape("questions_append")
)

// mustShape reads an embedded schema. It panics at start-up if that is broken,
// which the first test to run shows.
func mustShape(name string) *shape {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name+".json", doc); err != nil {
		panic(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		panic(err)
	}
	return &shape{name: name, schema: compact.Bytes(), valid: compiler.MustCompile(name + ".json")}
}

// format returns the response_format that asks for the shape.
func (s *shape) format(f format) *openai.ChatCompletionResponseFormat {
	if f == jsonObject {
		return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return &openai.ChatCompletionResponseFormat{
		Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: s.name, Schema: s.schema, Strict: true},
	}
}

// mostFaults bounds what a corrective retry names.
const mostFaults = 12

// faults holds a decoded answer to the schema.
func (s *shape) faults(v any) []string {
	err := s.valid.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{"the answer does not follow the schema"}
	}
	var named []string
	name(invalid, &named)
	return named
}

// name appends the faults at the leaves of a validation error, in words for the
// model.
func name(e *jsonschema.ValidationError, to *[]string) {
	for _, cause := range e.Causes {
		name(cause, to)
	}
	if len(e.Causes) > 0 || len(*to) >= mostFaults {
		return
	}
	at := "the answer"
	if len(e.InstanceLocation) > 0 {
		at = strings.Join(e.InstanceLocation, ".")
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		missing := slices.Sorted(slices.Values(k.Missing))
		*to = append(*to, fmt.Sprintf("%s lacks the member %s", at, strings.Join(missing, ", ")))
	case *kind.AdditionalProperties:
		*to = append(*to, fmt.Sprintf("%s has %d members that the schema does not know", at, len(k.Properties)))
	case *kind.Type:
		*to = append(*to, fmt.Sprintf("%s is of type %s, want %s", at, k.Got, strings.Join(k.Want, " or ")))
	case *kind.Enum:
		*to = append(*to, fmt.Sprintf("%s is none of %v", at, k.Want))
	default:
		*to = append(*to, at+" does not follow the schema")
	}
}
