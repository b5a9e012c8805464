package fakegemini

import (
	"encoding/json"
	"fmt"
)

// Request is what is read of a request.
type Request struct {
	Body     []byte    `json:"-"`
	Contents []Content `json:"contents"`
	Tools    []struct {
		Declarations []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

// Content is one element of the contents.
type Content struct {
	Role  string `json:"role"`
	Parts []Part `json:"parts"`
}

// Part is one part of a content.
type Part struct {
	Text      *string         `json:"text,omitempty"`
	Call      *Call           `json:"functionCall,omitempty"`
	Response  *Response       `json:"functionResponse,omitempty"`
	Inline    json.RawMessage `json:"inlineData,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
}

// Call is a call of a function.
type Call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Response is the result of a call.
type Response struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// ToolNames returns the names of the declared functions.
func (r *Request) ToolNames() (names []string) {
	for _, tool := range r.Tools {
		for _, d := range tool.Declarations {
			names = append(names, d.Name)
		}
	}
	return names
}

// count returns how many parts call a function and how many answer one. A result that is repeated
// with its id counts once: Gemini CLI (0.61.0) repeats all when it resumes a session.
func (c *Content) count() (calls, results int) {
	seen := map[string]bool{}
	for _, p := range c.Parts {
		if p.Call != nil {
			calls++
		}
		if p.Response != nil && (p.Response.ID == "" || !seen[p.Response.ID]) {
			seen[p.Response.ID] = true
			results++
		}
	}
	return calls, results
}

// asks reports whether a content has more than results.
func (c *Content) asks() bool {
	for _, p := range c.Parts {
		if p.Response == nil {
			return true
		}
	}
	return false
}

// check returns the message of a refusal, "" if the API takes the request. The wordings are those
// of issues 4258 of google-gemini/gemini-cli and 1031 of googleapis/js-genai, and of the guide
// "Thought signatures".
func (r *Request) check(signed bool) string {
	if len(r.Contents) == 0 {
		return "* GenerateContentRequest.contents: contents is not specified"
	}
	turn := 0 // where the current turn begins: the last content of the user with more than results
	for i := range r.Contents {
		c := &r.Contents[i]
		if message := r.checkContent(i); message != "" {
			return message
		}
		if c.Role != "model" && c.asks() {
			turn = i
		}
	}
	if calls, _ := r.Contents[len(r.Contents)-1].count(); calls > 0 {
		return "Please ensure that function call turns are followed by a function response turn."
	}
	for i := turn; signed && i < len(r.Contents); i++ {
		for _, p := range r.Contents[i].Parts {
			if p.Call == nil {
				continue
			}
			if p.Signature != signatureOf(p.Call) {
				return fmt.Sprintf("Function call `%s` in the %d. content block is missing a "+
					"thought_signature.", p.Call.Name, i+1)
			}
			break // only the first call of a step has one
		}
	}
	return ""
}

// checkContent checks one content and the one before it.
func (r *Request) checkContent(i int) string {
	c := &r.Contents[i]
	calls, results := c.count()
	before, called := "", 0
	if i > 0 {
		before = r.Contents[i-1].Role
		called, _ = r.Contents[i-1].count()
	}
	switch {
	case c.Role != "user" && c.Role != "model" && c.Role != "function" && c.Role != "":
		return "Please use a valid role: user, model."
	case len(c.Parts) == 0:
		return fmt.Sprintf("* GenerateContentRequest.contents[%d].parts: contents.parts must not "+
			"be empty.", i)
	case i == 0 && c.Role == "model":
		return "Please ensure that multiturn requests begin with a user turn."
	case calls > 0 && c.Role != "model" || results > 0 && c.Role == "model":
		return "Please ensure that function calls are made by the model."
	case calls > 0 && before == "model":
		return "Please ensure that function call turn comes immediately after a user turn or " +
			"after a function response turn."
	case results != called:
		return "Please ensure that the number of function response parts is equal to the number " +
			"of function call parts of the function call turn."
	}
	for k, p := range c.Parts {
		if p.Response != nil && (len(p.Response.Response) == 0 || p.Response.Response[0] != '{') {
			return fmt.Sprintf("Invalid value at 'contents[%d].parts[%d].function_response."+
				"response' (type.googleapis.com/google.protobuf.Struct)", i, k)
		}
		if p.Text == nil && p.Call == nil && p.Response == nil && p.Inline == nil {
			return fmt.Sprintf("* GenerateContentRequest.contents[%d].parts[%d].data: required "+
				"oneof field 'data' must have one initialized field", i, k)
		}
	}
	return ""
}

// signatureOf returns the signature of a call. It depends on nothing but the call.
func signatureOf(c *Call) string {
	args := c.Args
	var value any
	if json.Unmarshal(args, &value) == nil { // clients may write them otherwise
		args, _ = json.Marshal(value)
	}
	return fmt.Sprintf("c2ln%x", c.Name+string(args))
}
