package wire

import (
	"fmt"
	"log"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/config/load"
)

// No way of printing reveals a secret.
func TestSecretsDoNotPrint(t *testing.T) {
	s, err := load.Config(load.Sources{Env: []string{"KILLICK_UPSTREAM_API_KEY=sk-very-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Config
	var out strings.Builder
	if err := load.Print(&out, s); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%v %+v %#v %s %q", c, c, c, c.Upstream.APIKey, c.Upstream.APIKey)
	NewLogger(config.Log{Level: "info", Format: "json"}, &out).Info("x", "config", c.Upstream,
		"key", c.Upstream.APIKey)
	NewLogger(config.Log{Level: "info", Format: "text"}, &out).Info("x", "config", c.Upstream,
		"key", c.Upstream.APIKey)
	if strings.Contains(out.String(), "very-secret") {
		t.Errorf("the key shows in\n%s", out.String())
	}
	if n := strings.Count(out.String(), "********"); n < 8 {
		t.Errorf("%d masked keys, want one each time", n)
	}
}

// What libraries log has the form of the log, and quotes nothing.
func TestLibrariesQuoteNothing(t *testing.T) {
	var out strings.Builder
	l := log.New(LibraryWriter(NewLogger(config.Log{Level: "info", Format: "json"}, &out)), "", 0)
	l.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v",
		"the answer\nis secret", nil)
	l.Printf("http2: Transport received unsolicited DATA frame")
	l.Print(strings.Repeat("ä", 1000))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 ||
		!strings.Contains(lines[0], `"message":"Unsolicited response received on idle HTTP channel`+
			` starting with"`) ||
		!strings.Contains(lines[1], "unsolicited DATA frame") || len(lines[2]) > 300 {
		t.Errorf("got\n%s", out.String())
	}
	if strings.Contains(out.String(), "answer") || strings.Contains(out.String(), "secret") {
		t.Errorf("quoted in\n%s", out.String())
	}
}
