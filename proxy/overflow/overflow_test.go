package overflow

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"killick/compaction"
	"killick/rawjson"
)

// sample is an error as a provider sends it.
type sample struct {
	name     string
	status   int
	provider string
	want     compaction.Overflow
	body     string
}

// samples reads a file of errors. Its first lines say what an entry is.
func samples(t testing.TB, file string) (list []sample) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, entries, _ := strings.Cut(string(text), "== ")
	for entry := range strings.SplitSeq(entries, "\n== ") {
		head, body, ok := strings.Cut(entry, "\n\n")
		name, fields, _ := strings.Cut(head, "\n")
		s := sample{name: name}
		s.body, _, _ = strings.Cut(body, "\n") // comments may follow
		for field := range strings.SplitSeq(fields, "\n") {
			key, value, _ := strings.Cut(field, " ")
			n, err := strconv.Atoi(value)
			switch to := s.number(key); {
			case key == "provider":
				s.provider = value
			case to != nil && err == nil:
				*to = n
			default:
				ok = false
			}
		}
		if !ok {
			t.Fatalf("%s: the entry %q cannot be read", file, name)
		}
		list = append(list, s)
	}
	return list
}

func (s *sample) number(key string) *int {
	return map[string]*int{
		"status": &s.status, "window": &s.want.Window, "input": &s.want.Input,
		"prompt": &s.want.Prompt, "output": &s.want.Output, "over": &s.want.Over,
	}[key]
}

func TestRefusalsAreRecognised(t *testing.T) {
	for _, s := range samples(t, "refusals.txt") {
		got := Read(s.status, []byte(s.body))
		if got == nil {
			t.Errorf("%s: not recognised", s.name)
		} else if got.Overflow != s.want || got.Provider != s.provider {
			t.Errorf("%s: got %+v in the words of %s, want %+v of %s",
				s.name, got.Overflow, got.Provider, s.want, s.provider)
		}
	}
}

// A gateway may hand on an error as text in its own: that states what the error states.
func TestRefusalsInsideOthersAreRecognised(t *testing.T) {
	for _, s := range samples(t, "refusals.txt") {
		if !json.Valid([]byte(s.body)) || strings.Contains(s.body, `"response.failed"`) {
			continue // plain text, or an event
		}
		outer := append(rawjson.AppendQuoted([]byte(`{"error":{"message":`), s.body), "}}"...)
		if got := Read(s.status, outer); got == nil || got.Overflow != s.want {
			t.Errorf("%s: got %+v, want %+v", s.name, got, s.want)
		}
	}
}

func TestOtherErrorsAreNoOverflow(t *testing.T) {
	for _, s := range samples(t, "other_errors.txt") {
		if got := Read(s.status, []byte(s.body)); got != nil {
			t.Errorf("%s: taken for an overflow in the words of %s: %+v",
				s.name, got.Provider, got.Overflow)
		}
	}
}

func TestErrorsInsideGoodRepliesAreRecognised(t *testing.T) {
	for data, want := range map[string]bool{
		`{"error":{"message":"no"}}`: true,
		`{"error":"no"}`:             true,
		`{"type":"error","error":{"type":"overloaded_error"}}`:  true, // Anthropic
		`{"type":"error","code":"context_length_exceeded"}`:     true, // OpenAI Responses
		`{"type":"response.failed","response":{}}`:              true,
		`{"object":"error","message":"no"}`:                     true,
		`{"type":"response.created","response":{"error":null}}`: false,
		`{"type":"message_start","message":{}}`:                 false,
		`{"object":"chat.completion.chunk","choices":[]}`:       false,
		`{"error":null,"choices":[]}`:                           false,
		`[DONE]`:                                                false,
		``:                                                      false,
	} {
		if got := IsError([]byte(data)); got != want {
			t.Errorf("%s: an error: %t, want %t", data, got, want)
		}
	}
}

// FuzzRead: an error's text is the upstream's to choose, and so is its length.
func FuzzRead(f *testing.F) {
	for _, s := range samples(f, "refusals.txt") {
		f.Add(s.status, []byte(s.body))
	}
	f.Add(400, []byte(strings.Repeat(`{"error":`, 5000)))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		o := Read(status, body)
		if o == nil {
			return
		}
		for _, n := range []int{o.Window, o.Input, o.Prompt, o.Output, o.Over} {
			if n < 0 || n > maxTokens {
				t.Errorf("a number out of bounds: %+v", o.Overflow)
			}
		}
	})
}
