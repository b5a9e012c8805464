package fakeserver

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Exchange is one request and the answer to it. Its methods write the answer
// with the faults it was given; those that cannot go on panic with
// http.ErrAbortHandler, which closes the connection.
type Exchange struct {
	Request *http.Request // its context also ends when the server closes
	N       int           // from 1, in order of arrival
	Body    []byte        // as received, content encoding included
	Fault   Fault         // what the script asks for

	s      *Server
	w      http.ResponseWriter
	record *Recorded

	status  int
	pieces  int  // events or bodies begun
	sent    int  // bytes of body on the wire
	done    bool // the answer went out whole
	flush   bool // after every write
	encoder flushWriter
	frame   func(event []byte) []byte // nil for server-sent events
}

// flushWriter is a compressing writer.
type flushWriter interface {
	io.WriteCloser
	Flush() error
}

// Answer writes a whole JSON body at once, with its length.
func (x *Exchange) Answer(status int, body []byte) {
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
	x.flush = x.Fault.PieceBytes > 0
	x.countPiece()
	x.put(body)
}

// StartStream begins an answer of unknown length whose events are flushed one
// by one.
func (x *Exchange) StartStream() { x.startStream("text/event-stream; charset=utf-8") }

// StartFrames begins such an answer of a media type whose events are framed otherwise.
func (x *Exchange) StartFrames(contentType string, frame func(event []byte) []byte) {
	x.frame = frame
	x.startStream(contentType)
}

func (x *Exchange) startStream(contentType string) {
	x.breakBeforeAnswer()
	x.flush = true
	if encoding := x.encoding(); encoding != "" {
		x.w.Header().Set("Content-Encoding", encoding)
		x.encoder = newEncoder(encoding, wire{x})
	}
	x.writeHeader(http.StatusOK, contentType)
	x.flushNow()
}

// Event writes data as one event: in a frame, or as a server-sent event, with a name unless that
// is empty.
func (x *Exchange) Event(name string, data []byte) {
	x.countPiece()
	line := make([]byte, 0, len(name)+len(data)+16)
	switch {
	case x.frame != nil:
		line = x.frame(data)
	case name != "":
		line = append(append(append(line, "event: "...), name...), '\n')
		fallthrough
	default:
		line = append(append(append(line, "data: "...), data...), "\n\n"...)
	}
	if x.encoder == nil {
		x.put(line)
	} else {
		_, _ = x.encoder.Write(line) // wire never fails, it aborts
		_ = x.encoder.Flush()
	}
	if x.Fault.Pause > 0 && x.Fault.PieceBytes == 0 {
		x.Wait(x.Fault.Pause)
	}
}

// EndStream ends the answer that StartStream began.
func (x *Exchange) EndStream() {
	x.countPiece()
	if x.encoder != nil {
		_ = x.encoder.Close()
	}
}

// wire is what an encoder writes to.
type wire struct{ x *Exchange }

func (w wire) Write(b []byte) (int, error) {
	w.x.put(b)
	return len(b), nil
}

// put writes bytes of the body, in the pieces and up to the cut of the fault.
func (x *Exchange) put(b []byte) {
	for len(b) > 0 {
		piece := b
		if size := x.Fault.PieceBytes; size > 0 && size < len(piece) {
			piece = piece[:size]
		}
		left := x.Fault.CutBytes - x.sent
		cut := x.Fault.CutBytes > 0 && len(piece) >= left
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
		if x.Fault.PieceBytes > 0 && x.Fault.Pause > 0 {
			x.Wait(x.Fault.Pause)
		}
		b = b[len(piece):]
	}
}

func (x *Exchange) flushNow() {
	if err := http.NewResponseController(x.w).Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (x *Exchange) writeHeader(status int, contentType string) {
	h := x.w.Header()
	h.Set("Content-Type", contentType)
	if x.s.cfg.Header != nil {
		x.s.cfg.Header(x, h)
	}
	for name, values := range x.Fault.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	x.status = status
	x.w.WriteHeader(status)
}

// encoding returns the content encoding to answer with, "" for none.
func (x *Exchange) encoding() string {
	if !x.s.cfg.Compress {
		return ""
	}
	accepted := strings.ToLower(strings.Join(x.Request.Header.Values("Accept-Encoding"), ","))
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

// DecodedBody returns the body of a request without its content encoding.
func (x *Exchange) DecodedBody() ([]byte, error) {
	var decoder io.ReadCloser
	var err error
	switch encoding := strings.ToLower(x.Request.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return x.Body, nil
	case "gzip":
		decoder, err = gzip.NewReader(bytes.NewReader(x.Body))
	case "deflate":
		decoder, err = zlib.NewReader(bytes.NewReader(x.Body))
	default:
		return nil, fmt.Errorf("decoding a request: encoding %q, want gzip or deflate", encoding)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding a request: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(decoder, x.s.cfg.MaxBody))
	if err != nil {
		return nil, fmt.Errorf("decoding a request: %w", err)
	}
	return body, decoder.Close()
}

// Hijack returns what answers are written to, for a handler that takes the connection over. None of
// the other methods may be called after it. The record has the status 101.
func (x *Exchange) Hijack() http.ResponseWriter {
	x.breakBeforeAnswer()
	x.status = http.StatusSwitchingProtocols
	return x.w
}
