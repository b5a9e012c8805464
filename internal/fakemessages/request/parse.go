package request

import (
	"net/http"
	"strings"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/jsontree"
)

// Parse reads a request and refuses what the API refuses before it looks at signatures. models are
// those of the script.
func Parse(
	body []byte, header http.Header, counting bool, on Cloud, models map[string]claude.Model,
) (*Request, *Error) {
	v, err := jsontree.Decode(body)
	if err != nil {
		return nil, Invalid("The request body is not valid JSON: %s",
			strings.TrimPrefix(err.Error(), "decoding JSON: "))
	}
	fields, ok := v.(jsontree.Object)
	if !ok {
		return nil, Invalid("Input should be a valid dictionary")
	}
	r := &Request{Body: body, Betas: append(betas(header), fields.Texts("anthropic_beta")...),
		counting: counting, Frames: on.byPath}
	var refused *Error
	if r.Fields, refused = on.fields(fields); refused != nil {
		return nil, refused
	}
	r.Model = r.Fields.Text("model")
	for _, check := range []func() *Error{
		r.checkFields, r.readMaxTokens, r.readTools, r.readSystem, r.readMessages,
	} {
		if e := check(); e != nil {
			return nil, e
		}
	}
	if r.Rules, ok = claude.LookUp(models, r.Model); !ok {
		return nil, &Error{Status: http.StatusNotFound, Type: "not_found_error",
			Message: "model: " + r.Model}
	}
	for _, check := range []func() *Error{
		r.readThinking, r.checkRoles, r.checkPairs, r.checkServerTools, r.checkMarks,
		r.checkMarksOfCode, r.checkToolChoice, r.checkCompaction, r.checkManualThinking,
	} {
		if e := check(); e != nil {
			return nil, e
		}
	}
	return r, nil
}

// betas returns the values of the header anthropic-beta.
func betas(header http.Header) (all []string) {
	for _, line := range header.Values("Anthropic-Beta") {
		for value := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return all
}
