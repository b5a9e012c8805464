package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// An upstream sends more than its reply: net/http logs that with its own logger, and quotes it. The
// log of the program has the message in its form, and nothing of what the upstream sent.
func TestLogQuotesNoUpstream(t *testing.T) {
	up, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	go func() {
		conn, err := up.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		request := make([]byte, 64<<10)
		for n := 0; !bytes.HasSuffix(request[:n], []byte("]}")); {
			more, err := conn.Read(request[n:])
			if n += more; err != nil {
				return
			}
		}
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
			"Content-Length: 2\r\n\r\n{}the completion of a secret question")
		_, _ = conn.Read(request) // until Killick closes the connection
	}()
	s := startProxy(t, nil, "--upstream", "http://"+up.Addr().String(), "--data",
		filepath.Join(t.TempDir(), "store"))
	f, err := exchange(context.Background(), http.MethodPost, s.public+chatPath,
		strings.NewReader(`{"model":"gpt-5.1","messages":[{"role":"user","content":"hello"}]}`))
	if err != nil || f.status != http.StatusOK {
		t.Fatalf("status %d, %v", f.status, err)
	}
	line := s.await(t, "Unsolicited response")
	if !strings.HasPrefix(line, `{"time":`) || strings.Contains(line, "completion") {
		t.Errorf("logged %s", line)
	}
}
