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
	// Keys are the accepted credentials, as x-api-key or bearer token. If empty, any is accepted.
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

	// Window returns how many tokens a model takes, 0 for no limit. If nil, there is none.
	Window func(model string) int

	// Overflow is how a request that is too long is answered. If empty, by the model.
	Overflow Overflow

	// Text counts the tokens of a text. If nil, four bytes count as a token.
	Text func(string) int

	// Factor multiplies what Text counts. If nil, by 1; Factors is what Anthropic's tokenizers
	// count beside o200k.
	Factor func(m claude.Model, kind Kind) float64

	// CountsEveryBlock is set for platforms where the look-back of the prompt cache counts each
	// call and each result, not runs of them.
	CountsEveryBlock bool

	// OlderAccount lets thinking pass whose prefix has changed, unless the request says what is to
	// be done about it.
	OlderAccount bool

	// Secret signs thinking. Servers with the same secret accept the thinking of each other. If
	// nil, all servers have the same.
	Secret []byte

	// Now is the clock of the prompt cache. If nil, time.Now.
	Now func() time.Time

	// Fault returns what goes wrong with the nth request, counted from 1 in the order of arrival.
	// If nil, nothing goes wrong.
	Fault func(n int, r *http.Request) fakeserver.Fault

	// MaxBody is the most bytes of a request; if zero, 32 MiB.
	MaxBody int64

	// Compress encodes answers with gzip or deflate for clients that accept it.
	Compress bool

	// Record keeps every request for Requests.
	Record bool
}

// Overflow is how a request that is too long is answered.
type Overflow string

// The ways that there are. Which one a model takes: claude-code#408 and #12186, and
// https://platform.claude.com/docs/en/build-with-claude/context-windows.
const (
	// ByModel refuses a prompt that is longer than the window. Where the prompt and max_tokens are
	// longer together, models before 4.5 refuse too, and later ones stop when the window is full.
	ByModel Overflow = ""
	// RefusesPrompt refuses a prompt that is longer than the window, and nothing else.
	RefusesPrompt Overflow = "prompt"
	// RefusesMaxTokens refuses also a prompt that is longer together with max_tokens.
	RefusesMaxTokens Overflow = "max_tokens"
	// Stops answers with stop_reason model_context_window_exceeded, however long the prompt is.
	Stops Overflow = "stops"
)
