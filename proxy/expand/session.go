package expand

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"killick/proxy/coding"
	"killick/proxy/format"
	"killick/rawjson"
)

// maxReply is the maximum size of a whole reply, or of one turn of a stream, in memory.
const maxReply = 32 << 20

// Session answers the calls of one exchange. It is used by one goroutine.
type Session struct {
	Format format.Format
	Body   []byte // the request as it was sent, with the tool
	Lookup Lookup // for the client
	// DropThinking leaves thinking out of the reply that was made after a call: the model refuses
	// it where the client sends it back after another beginning.
	DropThinking bool
	// Send sends a request upstream, with all else as in the exchange.
	Send func(body []byte) (*http.Response, error)
	// Report is called with the outcome of each call.
	Report func(Outcome)
	Now    func() time.Time // if nil, time.Now

	rounds int // requests that were sent beside the first
	bytes  int // of results
}

// call is one call of the tool in a turn.
type call struct {
	id        rawjson.Value // a JSON string
	arguments []byte        // JSON text
}

// result is the answer to a call.
type result struct {
	id     rawjson.Value
	text   string
	failed bool
}

func mediaType(h http.Header) string {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// decoded removes the content coding of a reply and reports whether it has none now.
func decoded(res *http.Response) bool {
	name := coding.Of(res.Header)
	if name == "" {
		return true
	}
	if !coding.Known(name) {
		return false
	}
	res.Body = &decoding{name: name, src: res.Body}
	res.ContentLength = -1
	bodyChanged(res.Header)
	res.Header.Del("Content-Length")
	return true
}

// decoding is a body with a content coding. It is opened at the first read: the coding's header may
// arrive late.
type decoding struct {
	name string
	src  io.ReadCloser
	text io.ReadCloser
}

func (d *decoding) Read(p []byte) (int, error) {
	if d.text == nil {
		text, err := coding.Open(d.name, d.src)
		if err != nil {
			return 0, err
		}
		d.text = text
	}
	return d.text.Read(p)
}

func (d *decoding) Close() error {
	if d.text != nil {
		_ = d.text.Close()
	}
	return d.src.Close()
}

// bodyChanged removes the headers that depend on the bytes of a body.
func bodyChanged(h http.Header) {
	for _, name := range []string{"Content-Encoding", "Content-Md5", "Digest", "Content-Digest",
		"Repr-Digest", "Etag"} {
		h.Del(name)
	}
}

// due reports whether a turn with these calls is to be answered, and if not, why.
func (s *Session) due(ours, others int, calls bool) (answer bool, why Outcome) {
	switch {
	case ours == 0:
		return false, ""
	case !calls:
		return false, Unfinished
	case others > 0:
		return false, LeftOut
	case s.rounds > maxRounds:
		return false, LeftOut
	}
	return true, ""
}

// report reports the same outcome for n calls.
func (s *Session) report(n int, o Outcome) {
	for range n {
		s.Report(o)
	}
}

// answer returns the results of calls.
func (s *Session) answer(ctx context.Context, calls []call) []result {
	results := make([]result, len(calls))
	for i, c := range calls {
		text, outcome := "No more can be expanded in this turn. Go on with what you have.", Limited
		if s.rounds < maxRounds && s.bytes < maxResults {
			text, outcome = Answer(ctx, s.Lookup, c.arguments)
		}
		s.Report(outcome)
		s.bytes += len(text)
		results[i] = result{c.id, text, outcome != Answered}
	}
	return results
}

// next sends the follow-up request, with the turn and the results appended. The error means that it
// failed.
func (s *Session) next(turn []byte, results []byte) (*http.Response, error) {
	body, ok := extend(s.Format, s.Body, append(append(turn, ','), results...))
	if !ok {
		return nil, errors.New("the conversation of the request was not found")
	}
	s.Body = body
	s.rounds++
	res, err := s.Send(body)
	if err != nil {
		s.Report(UpstreamFailed)
	}
	return res, err
}

// appendResults returns the results of a turn as elements of a conversation.
func appendResults(f format.Format, results []result) (b []byte) {
	if f == format.Messages {
		b = append(b, `{"role":"user","content":[`...)
	}
	for i, r := range results {
		if i > 0 {
			b = append(b, ',')
		}
		switch f {
		case format.Messages:
			b = append(append(b, `{"type":"tool_result","tool_use_id":`...), r.id...)
			b = rawjson.AppendQuoted(append(b, `,"content":`...), r.text)
			if r.failed {
				b = append(b, `,"is_error":true`...)
			}
		case format.Responses:
			b = append(append(b, `{"type":"function_call_output","call_id":`...), r.id...)
			b = rawjson.AppendQuoted(append(b, `,"output":`...), r.text)
		default:
			b = append(append(b, `{"role":"tool","tool_call_id":`...), r.id...)
			b = rawjson.AppendQuoted(append(b, `,"content":`...), r.text)
		}
		b = append(b, '}')
	}
	if f == format.Messages {
		b = append(b, `]}`...)
	}
	return b
}
