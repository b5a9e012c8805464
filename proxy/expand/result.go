package expand

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"killick/rawjson"
)

// ErrUnknown is returned by a Lookup for an unknown ref.
var ErrUnknown = errors.New("nothing is kept under this ref")

// A Lookup returns the text under a ref for one client, or ErrUnknown. Other errors mean that the
// store does not answer. It must be safe for concurrent use.
type Lookup func(ctx context.Context, ref string) ([]byte, error)

// Outcome is the outcome of a call, a fixed word for metrics and logs.
type Outcome string

// The outcomes.
const (
	Answered     Outcome = "answered"
	UnknownRef   Outcome = "unknown_ref"
	BadArguments Outcome = "bad_arguments"
	StoreFailed  Outcome = "store_failed"
	// The model was told to continue without: it had reached the limit of a reply.
	Limited Outcome = "limited"
	// The call was dropped from the reply, because of calls of client tools or after Limited.
	LeftOut Outcome = "left_out"
	// It was dropped from a turn that ended abnormally or could not be read.
	Unfinished Outcome = "unfinished"
	// It was answered, but the upstream did not continue.
	UpstreamFailed Outcome = "upstream_failed"
)

// The limits of one reply.
const (
	maxResult  = 32 << 10 // bytes of one result
	maxResults = 128 << 10
	maxRounds  = 8
)

// RefLength is the number of characters of a ref.
const RefLength = 16

// Answer returns the result of a call with these arguments, of at most maxResult bytes of text.
func Answer(ctx context.Context, lookup Lookup, arguments rawjson.Value) (string, Outcome) {
	ref := strings.TrimPrefix(strings.TrimSpace(arguments.Get("ref").Text()), "ref=")
	if !IsRef(ref) {
		return "This call needs the argument ref: the 16 letters and digits behind \"ref=\".",
			BadArguments
	}
	from := 1
	if line := arguments.Get("from_line"); line.Kind() > rawjson.Null {
		n, ok := line.Int()
		if !ok || n < 1 {
			return "from_line must be the number of a line, 1 or more.", BadArguments
		}
		from = n
	}
	text, err := lookup(ctx, ref)
	switch {
	case errors.Is(err, ErrUnknown):
		return "Nothing is kept under this ref. It may have expired: repeat the call that made " +
			"the output, unless that has side effects.", UnknownRef
	case err != nil:
		return "The store does not answer. Repeat the call that made the output, unless that " +
			"has side effects.", StoreFailed
	}
	return part(ref, string(text), from)
}

// part returns the text from a line on, up to the limit of a result, and says what is missing.
func part(ref, text string, from int) (string, Outcome) {
	if from == 1 && len(text) <= maxResult {
		return text, Answered
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if from > len(lines) {
		return fmt.Sprintf("This text has %d lines: there is none from line %d on.", len(lines),
			from), BadArguments
	}
	size, to := 0, from-1
	for to < len(lines) && size+len(lines[to]) <= maxResult {
		size += len(lines[to])
		to++
	}
	if to == from-1 { // one line that is too long
		head := lines[to][:maxResult]
		for !utf8.RuneStart(lines[to][len(head)]) {
			head = head[:len(head)-1]
		}
		return fmt.Sprintf("[Line %d of %d, its first %d of %d bytes.%s]\n%s", from, len(lines),
			len(head), len(lines[to]), more(ref, from, len(lines)), head), Answered
	}
	return fmt.Sprintf("[Lines %d to %d of %d.%s]\n%s", from, to, len(lines),
		more(ref, to, len(lines)), strings.Join(lines[from-1:to], "")), Answered
}

// more explains how to read on after a line.
func more(ref string, line, of int) string {
	if line >= of {
		return ""
	}
	return fmt.Sprintf(" Call %s with ref %s and from_line %d for more.", Name, ref, line+1)
}

// IsRef reports whether s has the form of a ref: lower-case letters and digits of base32.
func IsRef(s string) bool {
	if len(s) != RefLength {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}
