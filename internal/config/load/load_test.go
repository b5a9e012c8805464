package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/internal/config"
)

// A pin or a name in another encoding would never match, so such a file is rejected.
func TestNotText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "killick.yaml")
	const want = " is not UTF-8 text; save it as UTF-8"
	for _, c := range []struct{ name, text, where string }{
		{"Latin-1", "compaction:\n  pin: [caf\xe9]\n", file + ":2"},
		{"UTF-16", "\xff\xfel\x00i\x00", file + ":1"},
		{"zero bytes", "listen: \x00:8080\n", file + ":1"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Config(Sources{File: file})
		if err == nil || err.Error() != c.where+":"+want {
			t.Errorf("%s: got %v, want %s:%s", c.name, err, c.where, want)
		}
	}
	_, err := Config(Sources{Env: []string{"KILLICK_COMPACTION_PIN=caf\xe9"}})
	const named = "KILLICK_COMPACTION_PIN: compaction.pin: is not UTF-8 text"
	if err == nil || err.Error() != named {
		t.Errorf("a variable: got %v, want %s", err, named)
	}
}

// A wrong path, such as that of a device, neither fills the memory nor is read for ever.
func TestHugeFile(t *testing.T) {
	_, err := Config(Sources{File: write(t, strings.Repeat("#", maxFile+1))})
	if err == nil || !strings.Contains(err.Error(), "has more than 16MiB") {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := Config(Sources{File: write(t, strings.Repeat("#", maxFile))}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

// A key in the spelling of flags and variables is answered with the one of the file.
func TestRespeltKeys(t *testing.T) {
	for key, want := range map[string]string{
		"compaction.trigger: 32000": "compaction: {trigger: …}",
		"admin-listen: :1":          "admin: {listen: …}",
		"UPSTREAM_BASE_URL: x":      "upstream: {base_url: …}",
		"probe.model.name: x":       "probe: {model: {name: …}}",
	} {
		_, err := Config(Sources{File: write(t, key)})
		if err == nil || !strings.HasSuffix(err.Error(), "unknown key; nest it instead: "+want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
}

// A key with a part of another one's name is answered with that one, if it is the only one.
func TestPartsOfKeys(t *testing.T) {
	for text, want := range map[string]string{
		"upstream: {url: 'http://a/v1'}":            "did you mean upstream.base_url?",
		"limits: {body: 1MiB}":                      "did you mean limits.max_body?",
		"timeouts: {connect_timeout: 5s}":           "did you mean timeouts.connect?",
		"upstream: {key: a}":                        "unknown key",
		"upstream_base_url: a":                      "nest it instead: upstream: {base_url:",
		"compaction: {triger: 1}":                   "did you mean compaction.trigger?",
		"upstreams: [{name: a, url: 'http://a/v'}]": "did you mean upstreams[0].base_url?",
	} {
		_, err := Config(Sources{File: write(t, text+"\n")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for name, want := range map[string]string{
		"KILLICK_UPSTREAM_URL":      "did you mean KILLICK_UPSTREAM_BASE_URL?",
		"KILLICK_TRIGGER":           "did you mean KILLICK_COMPACTION_TRIGGER?",
		"KILLICK_COMPACTION_TRIGER": "did you mean KILLICK_COMPACTION_TRIGGER?",
		"KILLICK_API_KEY":           "no such setting; ignored",
	} {
		s, err := Config(Sources{Env: []string{name + "=x"}})
		if err != nil || len(s.Warnings) != 1 || !strings.HasSuffix(s.Warnings[0], want) {
			t.Errorf("%s: %v, %+v, want %s", name, err, s, want)
		}
	}
}

// A key's former name is still read, and says so. Two names for one value are an error in a file;
// of variables the present name counts.
func TestFormerNames(t *testing.T) {
	for _, c := range []struct {
		file    string
		env     []string
		want    int
		warning string
	}{
		{"compaction:\n  summary_chars: 3000\n", nil, 3000,
			"FILE:2: compaction.summary_chars: is now called compaction.summary_bytes"},
		{"", []string{"KILLICK_COMPACTION_SUMMARY_CHARS=4000"}, 4000,
			"KILLICK_COMPACTION_SUMMARY_CHARS is now called KILLICK_COMPACTION_SUMMARY_BYTES"},
		{"compaction: {summary_bytes: 3000}", []string{"KILLICK_COMPACTION_SUMMARY_CHARS=4000",
			"KILLICK_COMPACTION_SUMMARY_BYTES=5000"}, 5000,
			"KILLICK_COMPACTION_SUMMARY_CHARS is now called KILLICK_COMPACTION_SUMMARY_BYTES"},
	} {
		file := write(t, c.file)
		s, err := Config(Sources{File: file, Env: c.env})
		if err != nil {
			t.Error(err)
			continue
		}
		warnings := strings.ReplaceAll(strings.Join(s.Warnings, "\n"), file, "FILE")
		if s.Compaction.SummaryBytes != c.want || warnings != c.warning {
			t.Errorf("%s%v: %d, %q", c.file, c.env, s.Compaction.SummaryBytes, warnings)
		}
	}
	for _, text := range []string{"summary_chars: 3000\n  summary_bytes: 3000",
		"summary_bytes: 3000\n  summary_chars: 3000"} {
		_, err := Config(Sources{File: write(t, "compaction:\n  "+text)})
		if err == nil ||
			!strings.Contains(err.Error(), "is also set in line 2, by its other name") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAddressHints(t *testing.T) {
	for addr, want := range map[string]string{
		"8080": "such as 127.0.0.1:8080 or :8080", "99999": "such as 127.0.0.1:8080 or :8080",
		"localhost": "such as localhost:8080", "http://localhost": "without a scheme",
		":70000": "from 0 to 65535", "::1:8080": "such as [::1]:8080, in quotes",
	} {
		_, err := Config(Sources{Flags: []Flag{{Name: "--listen", Path: "listen", Value: addr}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", addr, err, want)
		}
	}
}

func TestModeTakesBooleans(t *testing.T) {
	for text, want := range map[string]config.Mode{
		"on": config.ModeOn, "true": config.ModeOn, "True": config.ModeOn, "yes": config.ModeOn,
		`"on"`: config.ModeOn, "off": config.ModeOff, "false": config.ModeOff, "no": config.ModeOff,
		"observe": config.ModeObserve, "Observe": config.ModeObserve,
	} {
		s, err := Config(Sources{File: write(t, "compaction: {mode: "+text+"}")})
		if err != nil {
			t.Errorf("mode: %s: %v", text, err)
		} else if s.Compaction.Mode != want {
			t.Errorf("mode: %s is %s, want %s", text, s.Compaction.Mode, want)
		}
	}
}

// Writers of older YAML turn off into false. A value that means on must say how.
func TestExpandTakesBooleansForOff(t *testing.T) {
	for text, want := range map[string]config.Expansion{
		"off": config.ExpandOff, "false": config.ExpandOff, "no": config.ExpandOff,
		"tool": config.ExpandTool, "MCP": config.ExpandMCP,
	} {
		s, err := Config(Sources{File: write(t, "compaction: {expand: "+text+"}")})
		if err != nil {
			t.Errorf("expand: %s: %v", text, err)
		} else if s.Compaction.Expand != want {
			t.Errorf("expand: %s is %s, want %s", text, s.Compaction.Expand, want)
		}
	}
	for text, want := range map[string]string{
		"true":  `1: compaction.expand: "true" does not say how; write tool or mcp`,
		"tools": `"tools" is not a way to read what was left out; write off, tool or mcp`,
	} {
		_, err := Config(Sources{File: write(t, "compaction: {expand: "+text+"}")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expand: %s: got %v, want %s", text, err, want)
		}
	}
}

// A target that is not set follows any trigger.
func TestTargetsThatFollow(t *testing.T) {
	for text, want := range map[string]string{
		"compaction: {trigger: 60000}":                 "60000 to 35000",
		"compaction: {trigger: 60000, target: auto}":   "60000 to 35000",
		"compaction: {trigger: auto, target: auto}":    "auto to auto",
		"compaction: {target: 5000}":                   "auto to 5000",
		"compaction: {profile: guard, trigger: 30000}": "30000 to 20000",
	} {
		s, err := Config(Sources{File: write(t, text)})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := s.Compaction.Trigger.String() + " to " + s.Compaction.Target.String()
		if policy := s.Policy(); got != want || policy.Auto != strings.HasPrefix(want, "auto") ||
			policy.Target == 0 && !policy.Auto {
			t.Errorf("%s: %s, policy %v, want %s", text, got, policy.Target, want)
		}
	}
	if _, err := Config(Sources{File: write(t, "compaction: {protect: auto}")}); err == nil {
		t.Error("protect: auto is accepted")
	}
}

// A store or a dump has a directory, or none yet: not a file, and not a link to nothing.
func TestPathsThatCannotBeDirectories(t *testing.T) {
	dir := t.TempDir()
	file, link, good := filepath.Join(dir, "f"), filepath.Join(dir, "l"), filepath.Join(dir, "g")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(dir+"/no", link),
		os.Symlink(dir, good)); err != nil {
		t.Skip(err) // links need a permission on Windows
	}
	for path, want := range map[string]string{
		file: "is not a directory", link: "is a symbolic link to nothing", good: "",
		filepath.Join(dir, "new"): "",
	} {
		_, err := Config(Sources{Env: []string{"KILLICK_CACHE_DIR=" + path}})
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
