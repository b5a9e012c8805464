package keepalive

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"killick/chat"
	"killick/prices"
	"killick/proxy/format"
)

// key identifies a conversation of one client at one upstream.
type key struct {
	who, upstream string
	opening       uint64
}

// Used is called when the provider's entry was used without a request of the client's. It may be
// nil.
type Used func(context.Context)

// call calls it if there is one. A panic in it costs what it notes and nothing else.
func (u Used) call(ctx context.Context) {
	if u == nil {
		return
	}
	defer func() { _ = recover() }()
	u(ctx)
}

// Mine reports whether this process is the one of several to keep an entry alive, for so long. It
// may be nil where there are no others.
type Mine func(ctx context.Context, lasts time.Duration) bool

// call calls it if there is one. After a panic in it the entry is left alone.
func (m Mine) call(ctx context.Context, lasts time.Duration) (mine bool) {
	if m == nil {
		return true
	}
	defer func() { _ = recover() }()
	return m(ctx, lasts)
}

// service is what accepts requests for short answers, or does not.
type service struct{ upstream, model string }

// rest is an idle conversation. Its fields are guarded by the keeper's mutex, but for those that
// never change.
type rest struct {
	key
	service service
	prices  prices.Model
	used    Used
	mine    Mine
	ended   time.Time // the end of the last reply

	request  *request // nil once no more are sent
	tokens   Tokens   // of the next one
	expires  time.Time
	sent     int // how many kept the entry
	decision Decision
	timer    *time.Timer
	cancel   context.CancelFunc // of the request that is being sent
}

func (r *rest) bytes() int64 {
	if r.request == nil {
		return 0
	}
	return r.request.size
}

// drop lets go of the request and its credentials.
func (r *rest) drop() { r.request, r.used, r.mine = nil, nil, nil }

// request is what is sent to keep an entry. It is not changed.
type request struct {
	format format.Format
	url    *url.URL
	header http.Header
	body   []byte
	size   int64 // of the room that is reserved
	output int   // tokens of the answer at most
	do     func(*http.Request) (*http.Response, error)
}

const (
	// timeout is how long one request may take; its answer has a few tokens.
	timeout = time.Minute
	// mostAnswer bounds what is read of an answer. Responses repeat instructions and tools.
	mostAnswer = 4 << 20
)

// answer is what came of a request.
type answer struct {
	outcome outcome
	status  int
	usage   chat.Usage
}

// send sends the request and reads its answer.
func (q *request) send(ctx context.Context) (a answer) {
	a.outcome = outcomeFailed
	defer func() {
		if recover() != nil {
			a.outcome = outcomeFailed
		}
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, q.url.String(),
		bytes.NewReader(q.body))
	if err != nil {
		return a
	}
	r.URL, r.Header = q.url, q.header.Clone()
	res, err := q.do(r)
	if err != nil {
		return a
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if a.status = res.StatusCode; a.status/100 != 2 {
		a.outcome = outcomeRefused
		return a
	}
	usage, ok := format.NewUsage(q.format)(text)
	switch a.usage = usage; {
	case err != nil || !ok:
	case usage.CompletionTokens > max(q.output, leastResponsesOutput):
		a.outcome = outcomeUnbounded
	case usage.CachedTokens > 0:
		a.outcome = outcomeKept
	default:
		a.outcome = outcomeMissed
	}
	return a
}

// notUnderstood reports whether the upstream does not take such requests. Limits and credentials
// are of the client alone.
func (a *answer) notUnderstood() bool {
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	return a.outcome == outcomeUnbounded || a.outcome == outcomeRefused && a.status/100 == 4
}

// cost returns what the answer's request was charged at a time.
func (a *answer) cost(m prices.Model, at time.Time) float64 {
	u := a.usage
	m = m.At(at).Sized(u.PromptTokens)
	fresh := max(u.PromptTokens-u.CachedTokens-u.WrittenTokens, 0)
	return m.Cost(fresh, u.CachedTokens, u.WrittenTokens, u.CompletionTokens)
}

// tokensOf returns what the same request is taken to be charged for when it is sent again: what was
// written to the cache is read from it.
func tokensOf(u chat.Usage, output int) Tokens {
	cached := min(u.CachedTokens+u.WrittenTokens, u.PromptTokens)
	return Tokens{Cached: cached, Other: u.PromptTokens - cached, Output: output}
}
