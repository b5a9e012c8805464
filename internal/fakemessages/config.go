package fakemessages

import (
	"net/http"
	"time"

	"killick/internal/fakemessages/claude"
	"killick/internal/fakemessages/request"
	"killick/internal/fakeserver"
)

// Request is a request that was accepted, for scripts to answer.
type Request = request.Request

// Config is the script. The zero value accepts every key and every size, answers with a short
// text, thinks where the model does, and refuses thinking whose prefix has changed, as for accounts
// made since 31 August 2026. Functions must be safe for concurrent use.
type Config struct {
	// Keys are the accepted credentials: API keys, and OAuth tokens. If empty, any is accepted.
	Keys []string

	// Models are models besides those of claude.Named, or instead of them, by their whole names.
	Models map[string]claude.Model

	// Reply is what the model answers. If nil, one sentence that says how many messages came.
	Reply func(*Request) Reply

	// Think is the text of the thinking that replies start with where the model thinks and Reply
	// gives none. If nil, one sentence.
	Think func(*Request) string

	// Summarize is the text of a summary that was asked for with compaction. If nil, one sentence
	// that says how many messages came.
	Summarize func(*Request) string

	// NoSummary is the stop reason of an answer to a request for a summary that has none, "" where
	// it has one. If nil, all have.
	NoSummary func(*Request) string

	// Text counts the tokens of a text. If nil, four bytes count as a token.
	Text func(string) int

	// CountsEveryBlock is set for platforms where the look-back of the prompt cache counts each
	// call and each result, not runs of them.
	CountsEveryBlock bool

	// Now is the clock of the prompt cache. If nil, time.Now.
	Now func() time.Time

	// Fault returns what goes wrong with the nth request, counted from 1 in the order of arrival.
	// If nil, nothing goes wrong.
	Fault func(n int, r *http.Request) fakeserver.Fault

	// Record keeps every request for Requests.
	Record bool
}
