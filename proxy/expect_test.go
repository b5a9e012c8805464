package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestExpectContinue(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up)
	for _, path := range []string{chatPath, "/v1/files"} {
		conn := r.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\nExpect: "+
			"100-continue\r\n\r\n", path)
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.StatusCode != 100 {
			t.Fatalf("%s: got %v, %v; want 100 before the body is sent", path, res, err)
		}
		_, _ = io.WriteString(conn, "{}")
		if res, err = http.ReadResponse(in, nil); err != nil || res.StatusCode != 200 {
			t.Fatalf("%s: got %v, %v", path, res, err)
		}
		if got := up.last(); string(got.body) != "{}" {
			t.Errorf("%s: got body %q", path, got.body)
		}
	}
}

// TestExpectContinueIsTheUpstreams: an upload that the upstream does not want is
// never asked for.
func TestExpectContinueIsTheUpstreams(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(417)
	}))
	res, _ := r.wire("PUT /v1/files HTTP/1.1\r\nHost: p\r\nContent-Length: 1000000\r\nExpect: " +
		"100-continue\r\n\r\n")
	if res.StatusCode != 417 {
		t.Errorf("got %d, want 417 without 100 before it", res.StatusCode)
	}
}

// TestExpectContinueIsSentOnce: the upstream's 100 and the one that the server
// writes when the body is read first do not both reach the client, whichever
// comes first, and other informational replies may come beside them.
func TestExpectContinueIsSentOnce(t *testing.T) {
	const goOn = "HTTP/1.1 100 Continue\r\nX-From: up\r\n\r\n"
	const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	for name, c := range map[string]struct {
		path          string
		early, behind string // before and after the upstream has read the body
		want          []int
	}{
		"the upstream says it": {"/v1/files", goOn, "", []int{100, 200}},
		"nobody says it":       {"/v1/files", "", "", []int{100, 200}},
		"too late":             {"/v1/files", "", goOn, []int{100, 200}},
		"before, and again":    {"/v1/files", goOn, goOn, []int{100, 200}},
		"with hints close by": {"/v1/files", goOn + hint + hint, hint,
			[]int{100, 103, 103, 103, 200}},
		"hints alone":                         {"/v1/files", "", hint, []int{100, 103, 200}},
		"a chat, whose body was read already": {chatPath, goOn, hint, []int{100, 103, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			base := rawUpstream(t, func(conn net.Conn, in *bufio.Reader) {
				req, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, c.early)
				body, _ := io.ReadAll(req.Body)
				fmt.Fprintf(conn, "%sHTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", c.behind,
					len(body), body)
			})
			r := newRigAt(t, base)
			if c.early == "" {
				// The transport waits in vain: the body is read before there is a 100.
				r.proxy.upstreams[0].Transport.ExpectContinueTimeout = time.Millisecond
			} else {
				r.proxy.upstreams[0].Transport.ExpectContinueTimeout = time.Minute
			}
			conn := r.dial()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\nExpect: "+
				"100-continue\r\n\r\n", c.path)
			in := bufio.NewReader(conn)
			var got []int
			for len(got) == 0 || got[len(got)-1] < 200 {
				res, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatalf("after %v: %v", got, err)
				}
				if got = append(got, res.StatusCode); res.StatusCode == http.StatusContinue {
					_, _ = io.WriteString(conn, "{}")
				}
				if linked := res.Header.Get("Link") != ""; linked != (res.StatusCode == 103) {
					t.Errorf("%d has the header %v", res.StatusCode, res.Header)
				}
				if res.StatusCode == 200 {
					if body, _ := io.ReadAll(res.Body); !bytes.Equal(body, []byte("{}")) {
						t.Errorf("got %q, want what was sent", body)
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
