package proxy

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

// errUnknownEncoding is returned for content encodings that are not read here,
// several on top of one another among them.
var errUnknownEncoding = errors.New("unknown content encoding")

// maxWindow bounds what a zstd frame makes us hold: RFC 9659 allows 8 MiB.
const maxWindow = 8 << 20

// contentEncoding returns the encoding of a body in lower case, "" for none.
func contentEncoding(h http.Header) string {
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

// openDecoder returns a reader of what src holds under a content encoding. The
// caller closes it; src is not closed.
func openDecoder(coding string, src io.Reader) (io.ReadCloser, error) {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(src)
	case "br":
		return io.NopCloser(brotli.NewReader(src)), nil
	case "zstd":
		// Concurrency 1 decodes in the caller's goroutine and starts none.
		d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case "deflate":
		return openDeflate(src)
	}
	return nil, errUnknownEncoding
}

// openDeflate reads zlib, which is what HTTP means by deflate, and the bare
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

// decodable tells whether a content encoding is read here.
func decodable(coding string) bool {
	switch coding {
	case "gzip", "x-gzip", "br", "zstd", "deflate":
		return true
	}
	return false
}
