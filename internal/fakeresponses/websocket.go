package fakeresponses

import (
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// upgrades reports whether a request asks for a WebSocket.
func upgrades(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// acceptWebSocket sends back each message that comes, until the client or the server closes.
func (s *Server) acceptWebSocket(x *fakeserver.Exchange) {
	if s.cfg.RefuseUpgrade {
		fail(x, &openaiapi.Error{Status: http.StatusUpgradeRequired,
			Type: openaiapi.InvalidRequest, Message: "Upgrade Required"})
		return
	}
	conn, err := websocket.Accept(x.Hijack(), x.Request, nil)
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	s.upgrade.Add(1)
	for ctx := x.Request.Context(); ; {
		kind, message, err := conn.Read(ctx)
		if err != nil || conn.Write(ctx, kind, message) != nil {
			return
		}
	}
}
