package shared

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// startWith starts a replica of a build with these settings, and returns its log of warnings.
func startWith(t *testing.T, server *miniredis.Miniredis, build string, sections ...string) string {
	t.Helper()
	var log bytes.Buffer
	r := open(t, server, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	r.Settings = Settings{Build: build, Sections: map[string]string{}}
	for i := 0; i < len(sections); i += 2 {
		r.Settings.Sections[sections[i]] = sections[i+1]
	}
	r.Start(nil)
	if err := r.Store.Close(); err != nil { // nothing is logged after it
		t.Fatal(err)
	}
	return log.String()
}

// A replica with other settings than the one that started before it says in which sections. The
// store holds no text of them.
func TestOtherSettingsAreLogged(t *testing.T) {
	server := miniredis.RunT(t)
	for _, step := range []struct{ name, build, trigger, want string }{
		{"the first", "1", "20000", ""},
		{"the same", "1", "20000", ""},
		{"another trigger", "1", "30000", "differ=compaction"},
		{"its neighbour follows", "1", "30000", ""},
		{"another build", "2", "40000", ""},
		{"the same build with another", "2", "20000", "differ=compaction"},
	} {
		log := startWith(t, server, step.build, "compaction", step.trigger, "models", "CANARY")
		if got := strings.Contains(log, "other settings"); got != (step.want != "") ||
			!strings.Contains(log, step.want) {
			t.Errorf("%s: %q, want %q", step.name, log, step.want)
		}
	}
	if value, err := server.Get(settingsName); err != nil || strings.Contains(value, "CANARY") ||
		server.TTL(settingsName) == 0 {
		t.Errorf("stored: %q, %v, for %v", value, err, server.TTL(settingsName))
	}
}

// What no replica wrote is not compared, and replaced.
func TestForgedSettings(t *testing.T) {
	server := miniredis.RunT(t)
	startWith(t, server, "1", "compaction", "a")
	for _, forged := range []string{"x", strings.Repeat("x", 1<<17)} {
		if err := server.Set(settingsName, forged); err != nil {
			t.Fatal(err)
		}
		if log := startWith(t, server, "1", "compaction", "b"); log != "" {
			t.Errorf("%.9q: %s", forged, log)
		}
		if log := startWith(t, server, "1", "compaction", "c"); !strings.Contains(log, "differ=") {
			t.Errorf("after %.9q: %q", forged, log)
		}
	}
}
