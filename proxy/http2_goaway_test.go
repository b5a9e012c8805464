package proxy

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestUpstreamsThatGoAway: an upstream that restarts says so in mid-stream. What it completes is
// whole, what it did not process is sent again, and what breaks off is not whole.
func TestUpstreamsThatGoAway(t *testing.T) {
	const begun, ended, again = "data: {\"a\":1}\n\n", "data: [DONE]\n\n", "data: {\"again\":1}\n\n"
	for name, test := range map[string]struct {
		first func(*http2.Framer, uint32) // answers the first request
		want  string                      // "": the reply is not whole
	}{
		"completes": {func(frames *http2.Framer, id uint32) {
			beginStream(frames, id, begun)
			_ = frames.WriteGoAway(id, http2.ErrCodeNo, nil)
			_ = frames.WriteData(id, true, []byte(ended))
		}, begun + ended},
		"did not process it": {func(frames *http2.Framer, _ uint32) {
			_ = frames.WriteGoAway(0, http2.ErrCodeNo, nil)
		}, again},
		"drops it in mid-stream": {func(frames *http2.Framer, id uint32) {
			beginStream(frames, id, begun)
			_ = frames.WriteGoAway(0, http2.ErrCodeNo, nil)
		}, ""},
		"ends the stream": {func(frames *http2.Framer, id uint32) {
			beginStream(frames, id, begun)
			_ = frames.WriteGoAway(id, http2.ErrCodeEnhanceYourCalm, nil)
			_ = frames.WriteRSTStream(id, http2.ErrCodeNo)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			connections := make(chan struct{}, 2)
			base := rawUpstream(t, func(conn net.Conn, in *bufio.Reader) {
				connections <- struct{}{}
				answer := test.first
				if len(connections) > 1 {
					answer = func(frames *http2.Framer, id uint32) {
						beginStream(frames, id, again)
						_ = frames.WriteData(id, true, nil)
					}
				}
				answerStreams(conn, in, func(frames *http2.Framer, id uint32, _ string) {
					answer(frames, id)
				})
			})
			r := newRigAt(t, base, unchanged, func(o *Options) { o.Upstream.H2C = true })
			a := r.chat(threeTurns)
			if whole := a.err == nil && a.StatusCode == 200; whole != (test.want != "") ||
				whole && string(a.body) != test.want {
				t.Errorf("got %d %q, %v; want %q", a.StatusCode, a.body, a.err, test.want)
			}
			if a := r.chat(threeTurns); a.err != nil || string(a.body) != again {
				t.Errorf("the next request: %d %q, %v; want it on another connection",
					a.StatusCode, a.body, a.err)
			}
		})
	}
}

// beginStream sends the header of a stream of events and some of its data.
func beginStream(frames *http2.Framer, id uint32, data string) {
	var block bytes.Buffer
	header := hpack.NewEncoder(&block)
	_ = header.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = header.WriteField(hpack.HeaderField{Name: "content-type", Value: "text/event-stream"})
	_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(),
		EndHeaders: true})
	_ = frames.WriteData(id, false, []byte(data))
}

// answerStreams reads whole requests of a connection and has each answered, by its stream and body.
func answerStreams(
	conn net.Conn, in *bufio.Reader, answer func(frames *http2.Framer, id uint32, body string),
) {
	_, _ = io.ReadFull(in, make([]byte, len(http2.ClientPreface)))
	frames := http2.NewFramer(conn, in)
	_ = frames.WriteSettings()
	var body []byte
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = frames.WriteSettingsAck()
			}
		case *http2.DataFrame:
			if body = append(body, f.Data()...); f.StreamEnded() {
				answer(frames, f.StreamID, string(body))
				body = nil
			}
		}
	}
}
