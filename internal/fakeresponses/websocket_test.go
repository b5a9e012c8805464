package fakeresponses

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestWebSocket(t *testing.T) {
	s := start(t, Config{Record: true, Keys: []string{"sk-one"}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	dial := func(key string) (*websocket.Conn, *http.Response, error) {
		return websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL(), "http")+"/responses",
			&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + key}}})
	}
	conn, resp, err := dial("sk-one")
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("dialing: %v", err)
	}
	for _, message := range []string{`{"type":"response.create"}`, "bye"} {
		if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		if _, echo, err := conn.Read(ctx); err != nil || string(echo) != message {
			t.Errorf("got %q, %v; want %q back", echo, err, message)
		}
	}
	if n := s.WebSockets(); n != 1 {
		t.Errorf("%d upgrades, want one", n)
	}
	if _, resp, err := dial("sk-two"); err == nil || resp.StatusCode != 401 {
		t.Errorf("another key: %v, want status 401", err)
	}
	s.Close() // ends the connection that is open
	if _, _, err := conn.Read(ctx); err == nil {
		t.Error("the connection is open after the server has closed")
	}
	if r := s.Requests()[0]; r.Status != http.StatusSwitchingProtocols || !r.Done {
		t.Errorf("recorded %+v, want status 101", r.Recorded)
	}
}

func TestRefusedUpgrade(t *testing.T) {
	s := start(t, Config{RefuseUpgrade: true})
	_, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL(), "http")+
		"/responses", nil)
	if err == nil || resp.StatusCode != http.StatusUpgradeRequired || s.WebSockets() != 0 {
		t.Errorf("%v, want status 426", err)
	}
}
