// Package codingtest encodes bodies for tests, in every content coding that package coding
// reads.
package codingtest

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

var writers = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		e, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		return e
	},
}

// Codings are the content codings.
var Codings = []string{"gzip", "br", "deflate", "zstd"}

// Encode returns text under a content coding.
func Encode(coding, text string) string { return encode(writers[coding], text) }

// BareDeflate returns text in deflate without the frame of zlib, as some send it.
func BareDeflate(text string) string {
	return encode(func(w io.Writer) io.WriteCloser {
		f, _ := flate.NewWriter(w, 6)
		return f
	}, text)
}

func encode(open func(io.Writer) io.WriteCloser, text string) string {
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}
