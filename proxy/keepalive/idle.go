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
	conversation  uint64
}

// Used is called when the provider's entry was used by one of our requests. It may be nil.
type Used func(context.Context)

// call calls it if there is one. A panic in it is recovered from.
func (u Used) call(ctx context.Context) {
	if u == nil {
		return
	}
	defer func() { _ = recover() }()
	u(ctx)
}

// Responsible reports whether this process should keep an entry alive for this long. It may be nil
// if there are no other processes.
type Responsible func(ctx context.Context, lasts time.Duration) bool

// call calls it if there is one. After a panic the entry is not kept alive.
func (m Responsible) call(ctx context.Context, lasts time.Duration) (responsible bool) {
	if m == nil {
		return true
	}
	defer func() { _ = recover() }()
	return m(ctx, lasts)
}

// service identifies what accepts or rejects requests for short answers.
type service struct{ upstream, model string }

// idlePeriod is the idle period of a conversation. Its fields are guarded by the keeper's mutex,
// except those that never change.
type idlePeriod struct {
	key
	service     service
	prices      prices.Model
	used        Used
	responsible Responsible
	ended       time.Time // the end of the last reply

	request  *request // nil once no more are sent
	tokens   tokens   // of the next one
	expires  time.Time
	sent     int // how many kept the entry
	decision decision
	timer    *time.Timer
	cancel   context.CancelFunc // of the request that is being sent
}

func (r *idlePeriod) bytes() int64 {
	if r.request == nil {
		return 0
	}
	return r.request.size
}

// drop drops the request and its credentials.
func (r *idlePeriod) drop() { r.request, r.used, r.responsible = nil, nil, nil }

// request is the request that keeps an entry alive. It is immutable.
type request struct {
	format format.Format
	url    *url.URL
	header http.Header
	body   []byte
	size   int64 // reserved bytes
	output int   // tokens of the answer at most
	do     func(*http.Request) (*http.Response, error)
}

const (
	// timeout is how long one request may take; its answer has a few tokens.
	timeout = time.Minute
	// maxAnswerBytes bounds how much of an answer is read. Responses repeat instructions and tools.
	maxAnswerBytes = 4 << 20
)

// answer is the result of a request.
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
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	if a.status = res.StatusCode; a.status/100 != 2 {
		a.outcome = outcomeRefused
		return a
	}
	usage, ok := format.NewUsage(q.format)(text)
	switch a.usage = usage; {
	case err != nil || !ok:
	case usage.CompletionTokens > max(q.output, minResponsesOutput):
		a.outcome = outcomeUnbounded
	case usage.CachedTokens > 0:
		a.outcome = outcomeKept
	default:
		a.outcome = outcomeMissed
	}
	return a
}

// rejectedInGeneral reports whether the upstream rejects such requests in general, and not because
// of the client's limits or credentials.
func (a *answer) rejectedInGeneral() bool {
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	return a.outcome == outcomeUnbounded || a.outcome == outcomeRefused && a.status/100 == 4
}

// cost returns the cost of the answered request at a time.
func (a *answer) cost(m prices.Model, at time.Time) float64 {
	u := a.usage
	m = m.At(at).Sized(u.PromptTokens)
	fresh := max(u.PromptTokens-u.CachedTokens-u.WrittenTokens, 0)
	return m.Cost(fresh, u.CachedTokens, u.WrittenTokens, u.CompletionTokens)
}

// tokensOf returns the expected tokens when the same request is sent again: what was written to the
// cache is then read from it.
func tokensOf(u chat.Usage, output int) tokens {
	cached := min(u.CachedTokens+u.WrittenTokens, u.PromptTokens)
	return tokens{Cached: cached, Other: u.PromptTokens - cached, Output: output}
}
