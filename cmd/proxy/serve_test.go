package main

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/wire"
)

func TestServeSaysWhatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := config.Default()
	c.Cache.InMemory = true
	c.Listen, c.Admin.Listen = "127.0.0.1:0", taken.Addr().String()
	err = serve(context.Background(), c, wire.NewLogger(config.Log{Level: "error"}, io.Discard))
	if err == nil || !strings.Contains(err.Error(),
		"admin.listen: "+taken.Addr().String()+" is taken") {
		t.Errorf("got %v", err)
	}
}
