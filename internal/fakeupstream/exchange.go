package fakeupstream

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// exchange is one request and the answer to it. Its methods write the answer
// with the faults it was given; those that cannot go on panic with
// http.ErrAbortHandler, which closes the connection.
type exchange struct {
	s      *Server
	w      http.ResponseWriter
	r      *http.Request // its context also ends when the server closes
	n      int           // from 1, in order of arrival
	body   []byte
	record *Recorded
	fault  Fault

	status  int
	pieces  int  // events or bodies begun
	sent    int  // bytes of body on the wire
	done    bool // the answer went out whole
	flush   bool // after every write
	encoder flushWriter
}

// flushWriter is a compressing writer.
type flushWriter interface {
	io.WriteCloser
	Flush() error
}

// answerJSON answers with v as a JSON body.
func (x *exchange) answerJSON(v any) { x.answer(http.StatusOK, encodeJSON(v)) }

// encodeJSON encodes values of our own, which always can be.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// answer writes a whole JSON body at once, with its length.
func (x *exchange) answer(status int, body []byte) {
	x.breakBeforeAnswer()
	if encoding := x.encoding(); encoding != "" && len(body) > 0 {
		var b bytes.Buffer
		encoder := newEncoder(encoding, &b)
		_, _ = encoder.Write(body) // a Buffer takes everything
		_ = encoder.Close()
		body = b.Bytes()
		x.w.Header().Set("Content-Encoding", encoding)
	}
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.writeHeader(status, "application/json")
	x.flush = x.fault.PieceBytes > 0
	x.countPiece()
	x.put(body)
}

// startStream begins an answer of unknown length whose events are flushed one
// by one.
func (x *exchange) startStream() {
	x.breakBeforeAnswer()
	x.flush = true
	if encoding := x.encoding(); encoding != "" {
		x.w.Header().Set("Content-Encoding", encoding)
		x.encoder = newEncoder(encoding, wire{x})
	}
	x.writeHeader(http.StatusOK, "text/event-stream; charset=utf-8")
	x.flushNow()
}

// event writes data as one server-sent event.
func (x *exchange) event(data []byte) {
	x.countPiece()
	line := make([]byte, 0, len(data)+8)
	line = append(append(append(line, "data: "...), data...), "\n\n"...)
	if x.encoder == nil {
		x.put(line)
	} else {
		_, _ = x.encoder.Write(line) // wire never fails, it aborts
		_ = x.encoder.Flush()
	}
	if x.fault.Pause > 0 && x.fault.PieceBytes == 0 {
		x.wait(x.fault.Pause)
	}
}

func (x *exchange) endStream() {
	x.countPiece()
	if x.encoder != nil {
		_ = x.encoder.Close()
	}
}

// wire is what an encoder writes to.
type wire struct{ x *exchange }

func (w wire) Write(b []byte) (int, error) {
	w.x.put(b)
	return len(b), nil
}

// put writes bytes of the body, in the pieces and up to the cut of the fault.
func (x *exchange) put(b []byte) {
	for len(b) > 0 {
		piece := b
		if size := x.fault.PieceBytes; size > 0 && size < len(piece) {
			piece = piece[:size]
		}
		left := x.fault.CutBytes - x.sent
		cut := x.fault.CutBytes > 0 && len(piece) >= left
		if cut {
			piece = piece[:left]
		}
		if _, err := x.w.Write(piece); err != nil {
			panic(http.ErrAbortHandler) // the client has left
		}
		x.sent += len(piece)
		if x.flush || cut {
			x.flushNow()
		}
		if cut {
			x.breakOff()
		}
		if x.fault.PieceBytes > 0 && x.fault.Pause > 0 {
			x.wait(x.fault.Pause)
		}
		b = b[len(piece):]
	}
}

func (x *exchange) flushNow() {
	if err := http.NewResponseController(x.w).Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (x *exchange) writeHeader(status int, contentType string) {
	h := x.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Request-Id", fmt.Sprintf("req_%016x", x.n))
	h.Set("Openai-Organization", "scripted")
	h.Set("Openai-Processing-Ms", "7")
	h.Set("Openai-Version", "2020-10-01")
	h.Set("X-Ratelimit-Limit-Requests", "10000")
	h.Set("X-Ratelimit-Limit-Tokens", "30000000")
	h.Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(max(0, 10000-x.n)))
	h.Set("X-Ratelimit-Remaining-Tokens", strconv.Itoa(max(0, 30000000-len(x.body)/bytesPerToken)))
	h.Set("X-Ratelimit-Reset-Requests", "6ms")
	h.Set("X-Ratelimit-Reset-Tokens", "2ms")
	for name, values := range x.fault.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	x.status = status
	x.w.WriteHeader(status)
}

// encoding returns the content encoding to answer with, "" for none.
func (x *exchange) encoding() string {
	if !x.s.cfg.Compress {
		return ""
	}
	accepted := strings.ToLower(strings.Join(x.r.Header.Values("Accept-Encoding"), ","))
	for _, encoding := range []string{"gzip", "deflate"} {
		for offer := range strings.SplitSeq(accepted, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(offer), ";")
			if strings.TrimSpace(name) == encoding && strings.ReplaceAll(weight, " ", "") != "q=0" {
				return encoding
			}
		}
	}
	return ""
}

// newEncoder returns an encoder for gzip or for deflate, which on the web is
// zlib (RFC 9110, 8.4.1.2).
func newEncoder(encoding string, w io.Writer) flushWriter {
	if encoding == "gzip" {
		return gzip.NewWriter(w)
	}
	return zlib.NewWriter(w)
}

// decodedBody returns the body of a request without its content encoding.
func (x *exchange) decodedBody() ([]byte, error) {
	var decoder io.ReadCloser
	var err error
	switch encoding := strings.ToLower(x.r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return x.body, nil
	case "gzip":
		decoder, err = gzip.NewReader(bytes.NewReader(x.body))
	case "deflate":
		decoder, err = zlib.NewReader(bytes.NewReader(x.body))
	default:
		return nil, fmt.Errorf("decoding a request: encoding %q, want gzip or deflate", encoding)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding a request: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(decoder, maxBody))
	if err != nil {
		return nil, fmt.Errorf("decoding a request: %w", err)
	}
	return body, decoder.Close()
}
