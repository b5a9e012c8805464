package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// maxAnswer bounds an answer in bytes: validating one of 4 MiB took 500 MB of memory. A valid
// one has about 150 KB.
const maxAnswer = 512 << 10

// maxTries bounds how many places of an answer are searched for an object.
const maxTries = 16

// Decode reads the JSON object of an answer into a value: bare, in a code fence, after a
// preamble or thoughts, or with text after it. Two different ones that follow the schema are a
// defect: one may be a copy of what somebody else wrote. If none does, the defects are those of the
// first.
func (s *Schema) Decode(text string, into any) (faults []string) {
	text = WithoutThoughts(text)
	if len(text) > maxAnswer {
		return []string{fmt.Sprintf("the answer has more than %d bytes", maxAnswer)}
	}
	from := 0
	var valid any
	for range maxTries {
		open := strings.IndexByte(text[from:], '{')
		if open < 0 {
			break
		}
		from += open
		v, size, err := decodeObject(text[from:])
		var number *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &number) {
			if faults == nil && errors.Is(err, io.ErrUnexpectedEOF) {
				faults = []string{"the answer's JSON object does not end"}
			}
			from++
			continue
		}
		end := from + size
		wrong := []string{errNumber}
		if err == nil {
			wrong = s.faults(v)
		}
		if len(wrong) == 0 {
			if valid != nil && !reflect.DeepEqual(v, valid) {
				return []string{"the answer holds two JSON objects that follow the schema"}
			}
			valid = v
		} else if faults == nil {
			faults = wrong
		}
		from = end
	}
	if valid != nil {
		return assign(valid, into)
	}
	if faults == nil {
		faults = []string{"the answer holds no complete JSON object"}
	}
	return faults
}

const errNumber = "a number of the answer is out of range"

// decodeObject decodes the JSON object at the start of a text and returns its size. Numbers are
// floating-point: checking exact ones such as 1e999999 takes milliseconds each.
func decodeObject(text string) (v any, size int, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	err = decoder.Decode(&v)
	return v, int(decoder.InputOffset()), err
}

// assign stores a validated answer in a value. It encodes what was validated instead of reading
// the text again: of a member that the text repeats, only the last one was validated.
func assign(v, into any) (faults []string) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return []string{errNumber}
	}
	return nil
}

// thoughts are the tags that models put around their reasoning if the endpoint does not
// remove it.
var thoughts = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"},
}

// WithoutThoughts returns an answer without the reasoning before it. A closing tag alone
// counts too: some templates contain the opening one. Tags inside an object are data.
func WithoutThoughts(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range thoughts {
		end := strings.Index(text, mark[1])
		if strings.HasPrefix(text, mark[0]) && end < 0 {
			return "" // cut off while thinking
		}
		opened := strings.HasPrefix(text, mark[0])
		if end >= 0 && (opened || !strings.HasPrefix(text, "{") && !inObject(text, end)) {
			return strings.TrimSpace(text[end+len(mark[1]):])
		}
	}
	return text
}

// inObject reports whether a JSON object contains the byte at an offset of text.
func inObject(text string, offset int) bool {
	from := 0
	for range maxTries {
		open := strings.IndexByte(text[from:offset], '{')
		if open < 0 {
			return false
		}
		from += open
		_, size, err := decodeObject(text[from:])
		switch {
		case err != nil:
			from++
		case from+size > offset:
			return true
		default:
			from += size
		}
	}
	return false
}
