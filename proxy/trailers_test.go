package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestUploadOfUnknownLengthStreams(t *testing.T) {
	first, release := make(chan string, 1), make(chan struct{})
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, b)
		first <- string(b)
		rest, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v %v", rest, r.TransferEncoding, r.Trailer)
	}))
	pr, pw := io.Pipe()
	req := r.request("POST", "/v1/files", pr)
	req.Trailer = http.Header{"X-Sum": nil, "Killick-X": nil}
	go func() {
		_, _ = io.WriteString(pw, "first")
		<-release
		_, _ = io.WriteString(pw, "rest")
		req.Trailer.Set("X-Sum", "42")
		req.Trailer.Set("Killick-X", "42")
		pw.Close()
	}()
	go func() {
		if got := <-first; got != "first" {
			t.Errorf("got %q, want the first bytes before the last are sent", got)
		}
		close(release)
	}()
	if a := r.do(req); string(a.body) != `rest [chunked] map[X-Sum:[42]]` {
		t.Errorf("got %s", a.body)
	}
}

func TestChatRequestTrailersPass(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, unchanged)
	req := r.request("POST", chatPath, struct{ io.Reader }{strings.NewReader(`{"messages":[]}`)})
	req.Trailer = http.Header{"X-Sum": {"42"}, "Killick-X": {"42"}}
	r.do(req)
	if got := up.last(); got.Trailer.Get("X-Sum") != "42" || len(got.Trailer) != 1 ||
		string(got.body) != `{"messages":[]}` {
		t.Errorf("got trailer %v and body %q", got.Trailer, got.body)
	}
}

// A credential in a trailer would pass what reads and replaces those in headers.
func TestCredentialsInTrailersGoNowhere(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, unchanged, withKey("sk-up"))
	for _, path := range []string{chatPath, "/v1/files"} {
		body := struct{ io.Reader }{strings.NewReader(`{"messages":[]}`)}
		req := r.request("POST", path, body, "Authorization", "Bearer "+inbound)
		req.Trailer = http.Header{"X-Sum": {"42"}, "Authorization": {"Bearer a"},
			"X-Litellm-Api-Key": {"a"}, "Cookie": {"sid=a"}, "X-Note": {inbound}}
		r.do(req)
		got := up.last()
		// The name of a note that is announced goes out before its value is known.
		if got.Trailer.Get("X-Note") == "" {
			got.Trailer.Del("X-Note")
		}
		if got.Trailer.Get("X-Sum") != "42" || len(got.Trailer) != 1 ||
			string(got.body) != `{"messages":[]}` {
			t.Errorf("%s: got trailer %v and body %q", path, got.Trailer, got.body)
		}
	}
}

func TestReplyTrailersPass(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum, Killick-Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "42")
		w.Header().Set("Killick-Sum", "forged")
		w.Header().Set(http.TrailerPrefix+"X-Late", "1")
	}))
	for _, path := range []string{chatPath, "/v1/x"} {
		a := r.do(r.request("POST", path, strings.NewReader("{}"), "TE", "trailers"))
		if a.Trailer.Get("X-Sum") != "42" || a.Trailer.Get("X-Late") != "1" || len(a.Trailer) != 2 {
			t.Errorf("%s: got trailer %v", path, a.Trailer)
		}
	}
}

func TestInformationalRepliesPass(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a>; rel=preload")
		w.Header().Set("Killick-Action", "forged")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		_, _ = io.WriteString(w, "done")
	}))
	for _, path := range []string{chatPath, "/v1/x"} {
		conn := r.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\n\r\n{}", path)
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.StatusCode != 103 || res.Header.Get("Link") == "" ||
			res.Header.Get("Killick-Action") != "" {
			t.Fatalf("%s: got %v, %v; want 103 with its link and nothing of ours", path, res, err)
		}
		if res, err = http.ReadResponse(in, nil); err != nil || res.StatusCode != 200 ||
			res.Header.Get("Link") != "" {
			t.Fatalf("%s: got %v, %v", path, res, err)
		}
	}
}

// HTTP/2 has trailers behind a body of known length, too.
func TestTrailersBehindABodyOfKnownLength(t *testing.T) {
	up := new(recorder)
	r := overH2C(newRig(t, up, unchanged, h2c))
	for _, path := range []string{chatPath, "/v1/files"} {
		req := r.request("POST", path, strings.NewReader(`{"messages":[]}`))
		req.Trailer = http.Header{"X-Sum": {"42"}}
		r.do(req)
		if got := up.last(); req.ContentLength <= 0 || got.Trailer.Get("X-Sum") != "42" ||
			string(got.body) != `{"messages":[]}` {
			t.Errorf("%s: got trailer %v and body %q", path, got.Trailer, got.body)
		}
	}
}
