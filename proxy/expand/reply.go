package expand

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"killick/proxy/format"
	"killick/rawjson"
)

// Reply returns the client's reply for an upstream's reply. An error means that a further request
// could not be sent.
func (s *Session) Reply(ctx context.Context, res *http.Response) (*http.Response, error) {
	if res.StatusCode != http.StatusOK || !decoded(res) {
		return res, nil
	}
	switch media := mediaType(res.Header); {
	case media == "text/event-stream":
		res.Header.Del("Content-Length")
		res.ContentLength = -1
		res.Body = &stream{s: s, ctx: ctx, src: res.Body, split: new(splitter), relay: s.relay()}
		return res, nil
	case strings.HasSuffix(media, "json"):
		return s.whole(ctx, res)
	}
	return res, nil
}

// whole returns the client's reply for one that is not streamed: the last of its rounds, or the
// first that is not an answer.
func (s *Session) whole(ctx context.Context, res *http.Response) (*http.Response, error) {
	var running []rawjson.Value
	for {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
		if err != nil || len(body) > maxReply {
			res.Body = &readAgain{io.MultiReader(bytes.NewReader(body), failing{err}, res.Body),
				res.Body}
			return res, nil
		}
		_ = res.Body.Close()
		m := readWhole(s.Format, body)
		answer, why := s.due(len(m.calls), m.others, m.proper)
		if !answer {
			s.report(len(m.calls), why)
			return withBody(res, body, m.without(body, s.DropThinking, s.rounds > 0, running)), nil
		}
		running = append(running, m.running...)
		results := s.answer(ctx, m.calls)
		again, err := s.next(bytes.Clone(m.turn), appendResults(s.Format, results))
		if err != nil {
			return nil, err
		}
		if res = again; res.StatusCode != http.StatusOK || !decoded(res) ||
			!strings.HasSuffix(mediaType(res.Header), "json") {
			s.Report(UpstreamFailed)
			return res, nil
		}
	}
}

// relay returns the relay for the format of a reply.
func (s *Session) relay() relay {
	switch s.Format {
	case format.Messages:
		return &messagesStream{dropThinking: s.DropThinking}
	case format.Responses:
		now := s.Now
		if now == nil {
			now = time.Now
		}
		return &responsesStream{now: now}
	}
	return &chatStream{}
}

// withBody returns a reply with another body than it had.
func withBody(res *http.Response, had, body []byte) *http.Response {
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	res.TransferEncoding = nil
	if !bytes.Equal(had, body) {
		bodyChanged(res.Header)
	}
	res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return res
}

// readAgain reads what was already read of a body, and then the rest.
type readAgain struct {
	io.Reader
	io.Closer
}

// failing fails with an error, or is empty.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}
