package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/wire"
)

// At start serve logs when models are compacted, and does not mention models that are not.
func TestServeSaysWhatIsCompacted(t *testing.T) {
	c := config.Default()
	c.Cache.InMemory = true
	c.Listen, c.Admin.Listen = "127.0.0.1:0", ""
	c.Models = map[string]config.ModelSpec{"gpt-*": {Mode: config.ModeOff},
		"claude-opus-5-5": {Mode: config.ModeObserve}, "gpt-4.1": {Mode: config.ModeOn}}
	var log strings.Builder
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := serve(ctx, c, wire.NewLogger(config.Log{Level: "info", Format: "json"},
		&log)); err != nil {
		t.Fatal(err)
	}
	var models []string
	for line := range strings.Lines(log.String()) {
		var said struct{ Msg, Model string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if said.Msg == "compacting" {
			models = append(models, said.Model)
		}
	}
	if !slices.Equal(models, []string{"gpt-4.1"}) {
		t.Errorf("%q are said to be compacted, want gpt-4.1:\n%s", models, log.String())
	}
}

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
