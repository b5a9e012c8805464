package endpoint

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
)

// maxAnswerBytes bounds the body of an endpoint's reply. The longest summary
// that is taken has about 150 KB.
const maxAnswerBytes = 4 << 20

var (
	errAnswerSize = errors.New("the reply has more than 4 MiB")
	errRedirect   = errors.New("the endpoint redirects, and a credential is not sent on")
)

// doer carries go-openai's requests: to the full address of the call, with its
// credentials, and in append with bytes of ours in the place of the encoded
// body. It follows no redirect and bounds what it reads.
type doer struct {
	transport http.RoundTripper
	url       *url.URL
	header    http.Header
	body      []byte // if nil, go-openai's
	sent      *int   // is set to the bytes of the body
}

// Do implements openai.HTTPDoer.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	req.URL, req.Host = d.url, d.url.Host
	maps.Copy(req.Header, d.header)
	req.Header.Set("User-Agent", "killick")
	if d.body != nil {
		req.Body = io.NopCloser(bytes.NewReader(d.body))
		req.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(d.body)), nil
		}
		req.ContentLength = int64(len(d.body))
	}
	*d.sent = int(req.ContentLength)
	resp, err := d.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		_ = resp.Body.Close() // nothing of it is read
		return nil, errRedirect
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxAnswerBytes}
	return resp, nil
}

// boundedBody fails, rather than ends, past its bound.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errAnswerSize
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
