package endpoint

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"

	"killick/proxy/format"
	"killick/rawjson"
)

// post sends a body to a target and reads the reply. It follows no redirect and bounds what it
// reads. A reply with another status than 2xx is a [rejection].
func (c *Client) post(ctx context.Context, r *Request, body []byte) (answer, error) {
	p := protocols[r.format()]
	req := (&http.Request{
		Method: http.MethodPost, URL: r.Target.URL, Host: r.Target.URL.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{},
		ContentLength: int64(len(body)),
		Body:          io.NopCloser(bytes.NewReader(body)),
		GetBody: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(body)), nil
		},
	}).WithContext(ctx)
	maps.Copy(req.Header, r.Target.Header)
	p.setHeader(req.Header)
	if r.summarize {
		format.Format(r.format()).AllowSummary(req.Header)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "killick")
	resp, err := c.opt.Transport.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return answer{}, errRedirect // nothing of it is read
	}
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return answer{}, err
	case len(reply) > maxAnswerBytes:
		return answer{}, errAnswerSize
	case resp.StatusCode/100 != 2:
		return answer{}, rejectionOf(resp.StatusCode, reply)
	}
	reply = reply[rawjson.Space(reply, 0):]
	if _, err := rawjson.Skip(reply, 0); err != nil {
		return answer{}, errNoAnswer
	}
	if r.summarize {
		return p.(summarizer).readSummary(reply)
	}
	var a answer
	a.reply, err = p.read(reply)
	a.used = reportedUsage(format.Format(r.format()), reply)
	return a, err
}
