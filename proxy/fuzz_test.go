package proxy

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"killick/proxy/events"
)

// FuzzSSE: whatever an upstream streams, cut anywhere, reaches the client to the
// byte; and the events that the tap reads are those of the whole.
func FuzzSSE(f *testing.F) {
	whole := strings.Join(eventStream, "")
	for _, seed := range []string{
		whole, strings.ReplaceAll(whole, "\n", "\r\n"), strings.ReplaceAll(whole, "\n", "\r"),
		"\ufeff" + whole, whole[:len(whole)/2],
		"data: a\ndata\ndata:\n\n\r\n:\n\n", "data: {\"usage\":{\"prompt_tokens\":1}}", "data:" +
			strings.Repeat("x", 5000), "\x00\xff\n\n",
		"event: error\ndata: {\"error\":{\"message\":\"x\"}}\n\n", "",
	} {
		f.Add([]byte(seed), uint16(3), true)
		f.Add([]byte(seed), uint16(4095), false)
	}
	var stream []byte
	var piece int
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.WriteHeader(http.StatusOK)
		for b := range slices.Chunk(stream, piece) {
			_, _ = w.Write(b)
			_ = http.NewResponseController(w).Flush()
		}
	})
	r := newRig(f, up, compacting)
	f.Fuzz(func(t *testing.T, reply []byte, cut uint16, long bool) {
		// A flush is a segment: few of them are as good as many.
		stream, piece = reply, max(1, len(reply)/40, int(cut)%(len(reply)+1))
		r := *r
		r.t = t
		body := threeTurns
		if !long {
			body = `{"messages":[]}`
		}
		res := r.chat(body)
		if res.err != nil || res.StatusCode != http.StatusOK || !bytes.Equal(res.body, reply) {
			t.Fatalf("got %d, %q, %v; want %q", res.StatusCode, res.body, res.err, reply)
		}
		if res.Header.Get("Killick-Action") == "" {
			t.Error("the reply does not say what was done")
		}
		once, pieces := eventsOf(reply, len(reply)), eventsOf(reply, int(cut)%7+1)
		if !slices.Equal(once, pieces) {
			t.Fatalf("cut it holds %q, whole %q", pieces, once)
		}
	})
}

// eventsOf returns the data of the events in a stream that is read in pieces.
func eventsOf(stream []byte, piece int) (all []string) {
	var reader events.Reader
	for b := range slices.Chunk(stream, max(1, piece)) {
		reader.Feed(b, func(data []byte) { all = append(all, string(data)) })
	}
	return all
}
