package wire

import (
	"fmt"
	"strings"
	"testing"

	"killick/internal/config"
)

// No way of printing reveals a secret.
func TestSecretsDoNotPrint(t *testing.T) {
	s, err := config.Load(config.Sources{Env: []string{"KILLICK_UPSTREAM_API_KEY=sk-very-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Config
	var out strings.Builder
	if err := config.Print(&out, s); err != nil {
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
