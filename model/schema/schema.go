package schema

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
)

//go:embed json/*.json
var files embed.FS

// Schema is the schema of an answer. Answers are validated against the schema that is sent,
// and the validator names each defect with its place, as the corrective retry needs: that is
// what the library is for. Sizes are checked separately, since strict endpoints accept no
// bounds in a schema.
type Schema struct {
	Name  string
	JSON  json.RawMessage
	valid *jsonschema.Schema
}

// The schemas of the tasks.
var (
	Statements = mustRead("statements")
	Questions  = mustRead("questions")
	Verdicts   = mustRead("verdicts")
	Answers    = mustRead("answers")
	Grades     = mustRead("grades")

	// In append no message has a number that the model could see: the quote, or the answer's own
	// words, say where it is.
	StatementsAppend = mustRead("statements_append")
	QuestionsAppend  = mustRead("questions_append")
)

// mustRead reads an embedded schema. It panics at start-up if that is broken, which the
// first test to run shows.
func mustRead(name string) *Schema {
	text, err := files.ReadFile("json/" + name + ".json")
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
	return &Schema{Name: name, JSON: compact.Bytes(), valid: compiler.MustCompile(name + ".json")}
}

// maxFaults bounds the defects that a corrective retry names.
const maxFaults = 12

// faults validates a decoded answer against the schema.
func (s *Schema) faults(v any) []string {
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

// name appends the defects at the leaves of a validation error, in words for the model.
func name(e *jsonschema.ValidationError, to *[]string) {
	for _, cause := range e.Causes {
		name(cause, to)
	}
	if len(e.Causes) > 0 || len(*to) >= maxFaults {
		return
	}
	at := "the answer"
	if len(e.InstanceLocation) > 0 {
		at = strings.Join(e.InstanceLocation, ".")
	}
	fault := at + " does not follow the schema"
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		missing := slices.Sorted(slices.Values(k.Missing))
		fault = fmt.Sprintf("%s lacks the member %s", at, strings.Join(missing, ", "))
	case *kind.AdditionalProperties:
		fault = fmt.Sprintf("%s has members that the schema does not have: %d",
			at, len(k.Properties))
	case *kind.Type:
		fault = fmt.Sprintf("%s is of type %s, want %s", at, k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		fault = fmt.Sprintf("%s is none of %v", at, k.Want)
	}
	*to = append(*to, fault)
}
