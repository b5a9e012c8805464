package schema

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxTries bounds how many places of an answer are searched for an object.
const maxTries = 16

// Decode reads the JSON object of an answer into a value: bare, in a code fence, after a
// preamble or thoughts, or with text after it. Of several, the first that follows the schema
// counts, else the first of all, with its defects.
func (s *Schema) Decode(text string, into any) (faults []string) {
	text = WithoutThoughts(text)
	from := 0
	for range maxTries {
		open := strings.IndexByte(text[from:], '{')
		if open < 0 {
			break
		}
		from += open
		decoder := json.NewDecoder(strings.NewReader(text[from:]))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			if faults == nil && errors.Is(err, io.ErrUnexpectedEOF) {
				faults = []string{"the answer's JSON object does not end"}
			}
			from++
			continue
		}
		end := from + int(decoder.InputOffset())
		wrong := s.faults(v)
		if len(wrong) == 0 {
			if err := json.Unmarshal([]byte(text[from:end]), into); err != nil {
				return []string{"a number of the answer is out of range"}
			}
			return nil
		}
		if faults == nil {
			faults = wrong
		}
		from = end
	}
	if faults == nil {
		faults = []string{"the answer holds no complete JSON object"}
	}
	return faults
}

// thoughts are the tags that models put around their reasoning if the endpoint does not
// remove it.
var thoughts = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"},
}

// WithoutThoughts returns an answer without the reasoning before it. A closing tag alone
// counts too: some templates contain the opening one. Tags after the beginning of an object
// are data.
func WithoutThoughts(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range thoughts {
		end := strings.Index(text, mark[1])
		if strings.HasPrefix(text, mark[0]) && end < 0 {
			return "" // cut off while thinking
		}
		if end >= 0 && !strings.HasPrefix(text, "{") {
			return strings.TrimSpace(text[end+len(mark[1]):])
		}
	}
	return text
}
