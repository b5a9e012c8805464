package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// realtime is an upstream as /v1/realtime is: it greets, echoes, and reports how
// the conversation ended.
type realtime struct {
	ended chan error
}

func (u *realtime) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/base/realtime" || r.URL.Query().Get("model") != "gpt-realtime" ||
		r.Header.Get("Authorization") != "Bearer k" ||
		r.Header.Get("Killick-Mode") != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"realtime"},
		InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(8 << 20)
	err = conn.Write(r.Context(), websocket.MessageText,
		[]byte(`{"type":"session.created","x":2.50}`))
	for err == nil {
		var kind websocket.MessageType
		var data []byte
		if kind, data, err = conn.Read(r.Context()); err == nil && string(data) == "bye" {
			u.ended <- conn.Close(4001, "session over")
			return
		} else if err == nil {
			err = conn.Write(r.Context(), kind, data)
		}
	}
	u.ended <- err
}

func dialRealtime(t *testing.T, r *rig) (*websocket.Conn, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	conn, res, err := websocket.Dial(ctx, r.url+"/v1/realtime?model=gpt-realtime",
		&websocket.DialOptions{
			Subprotocols: []string{"realtime", "openai-insecure-api-key.k"},
			HTTPHeader:   http.Header{"Authorization": {"Bearer k"}, "Killick-Mode": {"off"}},
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	if conn.Subprotocol() != "realtime" || res.Header.Get("Killick-Action") != "" {
		t.Errorf("subprotocol %q, header %v", conn.Subprotocol(), res.Header)
	}
	conn.SetReadLimit(8 << 20)
	if _, data, err := conn.Read(ctx); err != nil ||
		string(data) != `{"type":"session.created","x":2.50}` {
		t.Fatalf("greeted with %q, %v", data, err)
	}
	return conn, ctx
}

// TestWebSocketsPass in both directions, text and binary, small and large, with
// the close frames of either side.
func TestWebSocketsPass(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"plain": func(*Options) {}, "h2c beside it": func(o *Options) { o.H2C = true },
		"pages": from(page),
	} {
		t.Run(name, func(t *testing.T) {
			up := &realtime{make(chan error, 1)}
			r := newRig(t, up, set)
			conn, ctx := dialRealtime(t, r)
			for _, size := range []int{0, 1, 125, 126, 70_000, 2 << 20} {
				for _, kind := range []websocket.MessageType{websocket.MessageText,
					websocket.MessageBinary} {
					data := bytes.Repeat([]byte("x"), size)
					if err := conn.Write(ctx, kind, data); err != nil {
						t.Fatal(err)
					}
					if gotKind, got, err := conn.Read(ctx); err != nil || gotKind != kind ||
						!bytes.Equal(got, data) {
						t.Fatalf("%v of %d bytes: got %v of %d, %v", kind, size, gotKind, len(got),
							err)
					}
				}
			}
			// The upstream closes, with its own code and words.
			_ = conn.Write(ctx, websocket.MessageText, []byte("bye"))
			_, _, err := conn.Read(ctx)
			var closed websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != 4001 || closed.Reason != "session over" {
				t.Errorf("closed with %v", err)
			}
			if err := <-up.ended; err != nil {
				t.Errorf("the upstream ended with %v", err)
			}
			r.eventually("the connection to be let go",
				func() bool { return r.proxy.upgraded.Load() == 0 })
		})
	}
}

// TestWebSocketClientsCloseAndLeave: the upstream gets a close frame as it was
// sent, and sees a client go that sends none.
func TestWebSocketClientsCloseAndLeave(t *testing.T) {
	up := &realtime{make(chan error, 1)}
	r := newRig(t, up)
	conn, _ := dialRealtime(t, r)
	if err := conn.Close(4002, "done here"); err != nil {
		t.Errorf("closing: %v", err)
	}
	var closed websocket.CloseError
	if err := <-up.ended; !errors.As(err, &closed) || closed.Code != 4002 ||
		closed.Reason != "done here" {
		t.Errorf("the upstream heard %v", err)
	}
	conn, _ = dialRealtime(t, r)
	_ = conn.CloseNow()
	if err := <-up.ended; err == nil || errors.As(err, &closed) {
		t.Errorf("the upstream heard %v of a client that said nothing", err)
	}
	r.eventually("both connections to be let go",
		func() bool { return r.proxy.upgraded.Load() == 0 })
}

// TestRefusedUpgradesPass as the replies that they are.
func TestRefusedUpgradesPass(t *testing.T) {
	r := newRig(t, &realtime{})
	_, res, err := websocket.Dial(t.Context(), r.url+"/v1/realtime?model=other", nil)
	if err == nil || res == nil || res.StatusCode != http.StatusBadRequest {
		t.Errorf("got %v, %v", res, err)
	}
}

// TestUpgradedConnectionsHalfClose: one side may be done before the other.
func TestUpgradedConnectionsHalfClose(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: "+
			"Upgrade\r\nUpgrade: raw\r\n\r\n")
		all, _ := io.ReadAll(in) // to the end of what the client says
		_, _ = io.WriteString(conn, "heard "+string(all))
	}))
	res, conn := r.wire("GET /v1/realtime HTTP/1.1\r\nHost: p\r\nConnection: " +
		"Upgrade\r\nUpgrade: raw\r\n\r\n")
	if res.StatusCode != 101 {
		t.Fatalf("got %d", res.StatusCode)
	}
	_, _ = io.Copy(conn, strings.NewReader("all of it"))
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || string(answer) != "heard all of it" {
		t.Errorf("got %q, %v", answer, err)
	}
}

func TestWebSocketUpgradePasses(t *testing.T) {
	base := rawUpstream(t, func(conn net.Conn, in *bufio.Reader) {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if req.Header.Get("Upgrade") != "websocket" || req.RequestURI != "/base/realtime?model=m" {
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: "+
			"Upgrade\r\nUpgrade: websocket\r\nKillick-Action: forged\r\nSec-Websocket-Accept: "+
			"k\r\n\r\n")
		_, _ = io.Copy(conn, in)
	})
	r := newRigAt(t, base+"/base")
	res, conn := r.wire("GET /v1/realtime?model=m HTTP/1.1\r\nHost: p\r\nConnection: " +
		"Upgrade\r\nUpgrade: websocket\r\n\r\n")
	if res.StatusCode != 101 || res.Header.Get("Sec-Websocket-Accept") != "k" ||
		res.Header.Get("Killick-Action") != "" {
		t.Fatalf("got %v", res)
	}
	_, _ = io.WriteString(conn, "\x81\x02hi")
	echo := make([]byte, 4)
	if _, err := io.ReadFull(conn, echo); err != nil || string(echo) != "\x81\x02hi" {
		t.Fatalf("got %q, %v", echo, err)
	}
	conn.Close()
	if line := r.logLine(0); !strings.Contains(line, `"status":101`) {
		t.Errorf("log: %s", line)
	}
	if n := r.proxy.upgraded.Load(); n != 0 {
		t.Errorf("%d upgraded connections are left", n)
	}
}

// Clients of the responses API get 426 instead of a WebSocket, unless the operator lets them
// through; upgrades of other paths pass.
func TestResponsesOverWebSocket(t *testing.T) {
	accept := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			_, _ = io.WriteString(w, "plain")
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err == nil {
			_ = conn.Close(4001, "bye")
		}
	})
	for _, test := range []struct {
		path   string
		pass   bool
		status int
	}{
		{"/v1/responses", false, 426},
		{"/v1/responses?model=m", false, 426},
		{"/backend-api/codex/responses", false, 426},
		{"/v1/responses", true, 101},
		{"/v1/realtime?model=m", false, 101},
		{"/v1/responses/resp_1", false, 101},
	} {
		r := newRig(t, accept, func(o *Options) { o.PassResponsesWebSocket = test.pass })
		conn, res, err := websocket.Dial(t.Context(), r.url+test.path, nil)
		if res == nil || res.StatusCode != test.status {
			t.Fatalf("%s: %v, %v", test.path, res, err)
		}
		refused, passed := 0.0, 0.0
		if err == nil {
			_, _, _ = conn.Read(t.Context())
			passed = 1
		} else {
			refused = 1
			body, _ := io.ReadAll(res.Body)
			if !strings.Contains(string(body), `"code":"websocket_refused"`) ||
				res.Header.Get("Upgrade") == "" {
				t.Errorf("%s: %s, %v", test.path, body, res.Header)
			}
		}
		if line := r.logLine(0); !strings.Contains(line, `"level":"INFO"`) {
			t.Errorf("%s: logged as a fault, which Codex causes at each start: %s", test.path, line)
		}
		if got := r.metric("killick_websockets_refused_total"); got != refused {
			t.Errorf("%s: %v counted as refused", test.path, got)
		}
		if got := r.metric("killick_passed_through_total"); got != passed {
			t.Errorf("%s: %v counted as passed", test.path, got)
		}
		if a := r.do(r.request("GET", test.path, nil)); string(a.body) != "plain" {
			t.Errorf("%s without an upgrade: %d %s", test.path, a.StatusCode, a.body)
		}
	}
}
