package wire

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"killick/internal/config"
)

// Each process says at start whether another one would forward the same bytes.
func TestReplicasAreToldApartAtStart(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "secret")
	for name, c := range map[string]struct {
		memory bool
		secret string
		differ bool
	}{
		"defaults":        {false, "", true},
		"in memory":       {true, "", true},
		"a secret of all": {false, shared, false},
		"both":            {true, shared, true},
	} {
		var log bytes.Buffer
		settings := config.Default()
		settings.Cache.Dir = filepath.Join(t.TempDir(), "store")
		settings.Cache.InMemory, settings.Cache.SecretFile = c.memory, c.secret
		a, err := Build(settings, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "no store is shared") ||
			strings.Contains(log.String(), "replicas will differ") != c.differ {
			t.Errorf("%s: the log says %s", name, log.String())
		}
	}
}
