package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/fakeupstream"
)

// leaky is an upstream that answers with what it was sent, and not in HTTP.
func leaky(t *testing.T) (baseURL string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); conns.Wait() })
	conns.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer conn.Close()
				request := make([]byte, 4096)
				n, _ := conn.Read(request)
				_, _ = conn.Write(bytes.ReplaceAll(request[:n], []byte("\r\n"), []byte(" ")))
				_, _ = conn.Write([]byte("\r\n\r\n"))
			})
		}
	})
	return "http://" + l.Addr().String() + "/v1"
}

// traces are the forms in which a credential must not turn up: itself and its
// ends, encoded, and hashed without a key.
func traces(key string) (all [][]byte) {
	digest := sha256.Sum256([]byte(key))
	for _, s := range []string{
		key, key[:14], key[len(key)-10:], base64.StdEncoding.EncodeToString([]byte(key)),
		hex.EncodeToString([]byte(key)),
		string(digest[:]), hex.EncodeToString(digest[:]),
		base64.StdEncoding.EncodeToString(digest[:]),
	} {
		all = append(all, []byte(s))
	}
	return all
}

// credentials are one of each kind that a request may carry, and the operator's.
var credentials = map[string]string{
	"bearer token":   "sk-proj-Zq8vN2mTr4xW7yB1cD5eF9gH",
	"api-key":        "b64f0c1d9e8a47f2a1c3d5e7f9081726",
	"query key":      "AIzaSyQ-3kL9mN2pR5sT8vW1xY4zB7cD",
	"operator's key": "sk-svc-Jk2Lm4Np6Qr8St1Uv3Wx5Yz7",
}

// provocation is requests with all credentials on them, and what was answered.
type provocation struct {
	t               *testing.T
	tries, failures int
	replies         bytes.Buffer
}

func (p *provocation) try(w *watched, path string, body []byte, header ...string) {
	p.t.Helper()
	f := ask(p.t, w.Public+path, body,
		append(header, "Authorization", "Bearer "+credentials["bearer token"], "Api-Key",
			credentials["api-key"])...)
	p.tries++
	if f.status >= 400 {
		p.failures++
	}
	_ = f.header.Write(&p.replies)
	p.replies.Write(f.reply)
}

// keyedChat is the path of a chat with a key in its query.
var keyedChat = chatPath + "?api-key=" + credentials["query key"]

// session is what any proxy is sent: a conversation, and two requests that fail.
func (p *provocation) session(w *watched, bodies [][]byte) {
	for _, body := range bodies {
		p.try(w, keyedChat, body)
	}
	p.try(w, "/v1/models/absent?key="+credentials["query key"], nil)
	p.try(w, keyedChat, []byte(`{"model":"gpt-4o","messages":[`+strings.Repeat("[", 50_000)))
}

// faults sends what the proxy refuses or the upstream fails on.
func (p *provocation) faults(w *watched, bodies [][]byte) {
	small, large := bodies[0], bodies[len(bodies)-1]
	bearer := credentials["bearer token"]
	p.try(w, keyedChat, make([]byte, 2<<20))                               // too large
	p.try(w, keyedChat, small, faultHeader, "drop")                        // no reply
	p.try(w, keyedChat, small, faultHeader, "hang")                        // no reply in time
	p.try(w, keyedChat, large, "Content-Encoding", "gzip")                 // it is not
	p.try(w, keyedChat, large, "Content-Encoding", bearer)                 // nor is this
	p.try(w, keyedChat, []byte(`{"messages":[]}`), "Killick-Mode", bearer) // no mode
	p.try(w, "/killick/"+credentials["query key"], nil)                    // not there
	// what the server itself refuses
	for _, request := range []string{
		"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + bearer + "\x01\r\n\r\n",
		"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization Bearer " + bearer + "\r\n\r\n",
		"POST " + keyedChat + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + bearer +
			"\r\nTransfer-Encoding: " + credentials["api-key"] + "\r\n\r\n",
		"POST " + keyedChat + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + bearer +
			"\r\nTransfer-Encoding: chunked\r\n\r\n" + bearer + "\r\n",
		"GET /v1/models?key=" + credentials["query key"] + " HTTP/" + bearer + "\r\n\r\n",
	} {
		p.replies.WriteString(rawly(p.t, w.Public, request))
	}
}

// Credentials pass through and leave no trace: not in the log at its loudest,
// not in the metrics, not on disk, not in an error.
func TestCredentialsLeaveNoTrace(t *testing.T) {
	noLeaks(t)
	operator := credentials["operator's key"]
	up := fakeupstream.New(fakeupstream.Config{Keys: []string{credentials["bearer token"],
		operator}, Fault: func(_ int, r *http.Request) fakeupstream.Fault {
		return fakeupstream.Fault{Drop: r.Header.Get(faultHeader) == "drop",
			Hang: map[string]time.Duration{"hang": time.Hour}[r.Header.Get(faultHeader)]}
	}})
	defer up.Close()
	all := []*watched{
		newWatched(t, up.URL(), func(c *config.Config) {
			c.Limits.MaxBody, c.Timeouts.FirstByte = 1<<20, 300*time.Millisecond
		}),
		newWatched(t, up.URL(), func(c *config.Config) {
			c.Upstream.APIKey = config.Secret(operator)
		}),
		newWatched(t, "http://127.0.0.1:1", nil),
		newWatched(t, leaky(t), nil),
	}
	bodies := sessionTurns("anybody", 8)
	p := &provocation{t: t}
	for _, w := range all {
		p.session(w, bodies)
	}
	p.faults(all[0], bodies)
	if p.failures < p.tries/4 || p.failures == p.tries {
		t.Fatalf("%d of %d requests failed, want many of both", p.failures, p.tries)
	}

	places := map[string][]byte{"an error or a header of a reply": p.replies.Bytes()}
	for i, w := range all {
		places[fmt.Sprintf("the metrics of proxy %d", i)] = []byte(get(t, w.Admin+"/metrics"))
		w.Stop()
		places[fmt.Sprintf("the log of proxy %d", i)] = []byte(w.log.String())
		readStore(t, w.folder, places)
	}
	if n := len(places); n < 4*4 || !strings.Contains(all[0].log.String(), `"client":"`) {
		t.Fatalf("only %d places to search", n)
	}
	scan(t, places, credentials)
}

// rawly sends bytes to a server and returns what it answers until it hangs up.
func rawly(t *testing.T, url, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}
