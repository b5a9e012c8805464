// Package coding decodes HTTP's content codings (gzip, br, zstd, deflate), pulled by a
// reader or pushed piece by piece, with bounded memory. It never encodes, and decodes only
// for inspection: the bytes themselves are forwarded unchanged.
package coding

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrUnknown is returned for unsupported content codings, including combinations of several.
var ErrUnknown = errors.New("unknown content encoding")

// maxWindow bounds the memory for a zstd frame: RFC 9659 allows 8 MiB.
const maxWindow = 8 << 20

// Of returns the content coding of a body in lower case, "" for none.
func Of(h http.Header) string {
	values := h["Content-Encoding"]
	if len(values) == 0 {
		return ""
	}
	coding := strings.ToLower(strings.TrimSpace(strings.Join(values, ",")))
	if coding == "identity" {
		return ""
	}
	return coding
}

// decoders open a reader by content coding.
var decoders = map[string]func(src io.Reader) (io.ReadCloser, error){
	"gzip": openGzip, "x-gzip": openGzip, "br": openBrotli, "zstd": openZstd,
	"deflate": openDeflate,
}

// Known reports whether a content coding is supported.
func Known(coding string) bool { return decoders[coding] != nil }

// Open returns a reader of what src holds under a content coding. The caller closes
// it; src is not closed.
func Open(coding string, src io.Reader) (io.ReadCloser, error) {
	if open := decoders[coding]; open != nil {
		return open(src)
	}
	return nil, ErrUnknown
}

func openGzip(src io.Reader) (io.ReadCloser, error) { return gzip.NewReader(src) }

func openBrotli(src io.Reader) (io.ReadCloser, error) {
	return io.NopCloser(brotli.NewReader(src)), nil
}

func openZstd(src io.Reader) (io.ReadCloser, error) {
	// Concurrency 1 decodes in the caller's goroutine and starts none.
	d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// openDeflate reads zlib, which is what HTTP means by deflate, and the raw
// deflate that some send instead.
func openDeflate(src io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReader(src)
	head, err := b.Peek(2)
	if err != nil {
		return nil, err
	}
	// RFC 1950: method 8, and both bytes together a multiple of 31.
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}
