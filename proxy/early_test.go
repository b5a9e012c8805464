package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestFastRepliesToLargeUploads: an upstream that answers before it has read the
// request is received, and one that reads the rest afterwards gets it.
func TestFastRepliesToLargeUploads(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 4<<20)
	sums := make(chan int64, 1)
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(401)
		_, _ = io.WriteString(w, `{"error":{}}`)
		_ = http.NewResponseController(w).Flush()
		n, _ := io.Copy(io.Discard, r.Body)
		sums <- n
	}))
	for range 8 {
		for _, path := range []string{chatPath, "/v1/files"} {
			a := r.do(r.request("POST", path, bytes.NewReader(body)))
			if a.StatusCode != 401 || string(a.body) != `{"error":{}}` || a.err != nil {
				t.Errorf("%s: got %d %q %v", path, a.StatusCode, a.body, a.err)
			}
			if got := <-sums; got != int64(len(body)) {
				t.Errorf("%s: the upstream got %d bytes, want %d", path, got, len(body))
			}
		}
	}
}

// TestRepliesToUploadsNobodyReads: the upstream answers and hangs up.
func TestRepliesToUploadsNobodyReads(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 8<<20)
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(413)
		_, _ = io.WriteString(w, "too large")
	}))
	for range 5 {
		a := r.do(r.request("POST", chatPath, bytes.NewReader(body)))
		if a.StatusCode != 413 || string(a.body) != "too large" {
			t.Errorf("got %d %q", a.StatusCode, a.body)
		}
	}
}

// TestUploadsAnsweredEarlyAreReadOn: a client that sends all of its upload before
// it listens gets the answer that came long before, and no reset.
func TestUploadsAnsweredEarlyAreReadOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(413)
		_, _ = io.WriteString(w, "too large")
	}))
	small := newRig(t, new(recorder), func(o *Options) { o.MaxBody = 1 << 20 })
	for name, test := range map[string]struct {
		rig          *rig
		path, header string
	}{
		"by the upstream":          {r, "/v1/files", ""},
		"by the upstream, a chat":  {r, chatPath, "Killick-Mode: off\r\n"},
		"over the limit of bodies": {small, chatPath, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var err error
			// a client that pauses, as all do on a machine under load, may be given up
			for range 3 {
				var answer string
				if answer, err = sendSlowly(test.rig.dial(), test.path, test.header); err == nil &&
					strings.HasPrefix(answer, "HTTP/1.1 413") {
					return
				}
				err = fmt.Errorf("got %q, %w", answer, err)
			}
			t.Error(err)
		})
	}
}

// sendSlowly sends an upload for longer than a server waits by itself before it
// closes a connection that is still being sent to, then reads the answer.
func sendSlowly(conn net.Conn, path, header string) (string, error) {
	const pieces = 80
	piece := make([]byte, 64<<10)
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\n%sContent-Length: %d\r\n\r\n", path, header,
		pieces*len(piece))
	for range pieces {
		if _, err := conn.Write(piece); err != nil {
			return "", err
		}
		time.Sleep(15 * time.Millisecond)
	}
	answer := make([]byte, 4096)
	n, err := conn.Read(answer)
	return string(answer[:n]), err
}
