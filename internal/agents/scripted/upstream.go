package scripted

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"killick/internal/fakeserver"
)

// Request is one request as it came to the scripted upstream.
type Request struct {
	fakeserver.Recorded
	Ask     Ask  // of a request to the model
	ToModel bool // whether it was one
	Tokens  int  // of the prompt
	Cached  int  // of these, read from the prompt cache
	Prefix  int  // of these, what a cache of the longest prefix would have read
	Refused string
}

// Upstream is the scripted upstream of one run, which refuses what the API of its format is
// documented to refuse.
type Upstream struct {
	Base  string // URL without /v1
	Close func()
	All   func() []*Request // the requests so far, in order of arrival
}

// allOf returns what reads all requests of an upstream.
func allOf[R any](requests func() []R, read func(R) *Request) func() []*Request {
	return func() (all []*Request) {
		for _, r := range requests() {
			all = append(all, read(r))
		}
		return all
	}
}

// read reads the body of a request to the model, whose path has one of these ends, and returns r.
func (r *Request) read(format string, ends ...string) *Request {
	if r.Method != http.MethodPost || !slices.ContainsFunc(ends, func(end string) bool {
		return strings.HasSuffix(r.Path, end)
	}) {
		return r
	}
	r.ToModel = true
	a, err := readAsk(format, r.Body)
	if err != nil {
		r.Refused = fmt.Sprint(err)
		return r
	}
	r.Ask = a
	return r
}

// thought is what the model thinks before it answers.
const thought = "I look at what came back, and choose the next file."
