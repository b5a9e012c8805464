package load

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/testcert"
)

const examplePath = "../../../config.example.yaml"

// The example documents every key: it must contain all of them, with their defaults, each
// with a comment.
func TestExampleIsTheDefaults(t *testing.T) {
	s, err := Config(Sources{File: examplePath})
	if err != nil {
		t.Fatal(err)
	}
	if want := config.Default(); !reflect.DeepEqual(normal(s.Config), normal(want)) {
		t.Errorf("the example decodes to\n%+v\nthe defaults are\n%+v", s.Config, want)
	}
	text, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, key := range schema.Keys {
		if key.Path == "models" || key.Path == "auth.keys" {
			continue // {} sets nothing
		}
		at, ok := s.origins[key.Path]
		if !ok {
			t.Errorf("the example lacks %s", key.Path)
			continue
		}
		if above := strings.TrimSpace(lines[at.Line-2]); !strings.HasPrefix(above, "#") {
			t.Errorf("%s:%d: %s has no comment above it", examplePath, at.Line, key.Path)
		}
	}
}

// normal makes empty and absent lists and maps equal.
func normal(c config.Config) config.Config {
	if len(c.Compaction.ExcludeTools) == 0 {
		c.Compaction.ExcludeTools = nil
	}
	if len(c.Compaction.Pin) == 0 {
		c.Compaction.Pin = nil
	}
	if len(c.CORS.Origins) == 0 {
		c.CORS.Origins = nil
	}
	if len(c.Auth.Keys) == 0 {
		c.Auth.Keys = nil
	}
	if len(c.Models) == 0 {
		c.Models = nil
	}
	if len(c.Upstreams) == 0 {
		c.Upstreams = nil
	}
	return c
}

func TestProfilesInTheExample(t *testing.T) {
	text, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range config.Profiles {
		var c config.Compaction
		c.SetProfile(name)
		want := fmt.Sprintf("# %s %s %s %v %d %d %d %d", name, c.Trigger, c.Target, c.Protect,
			c.RecordTokens, c.IndexTokens, c.WorkingSet, c.Ingest)
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("the example does not say what profile %s sets: want %s", name, want)
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	for _, name := range config.Profiles {
		env := []string{"KILLICK_COMPACTION_PROFILE=" + name}
		if _, err := Config(Sources{Env: env}); err != nil {
			t.Errorf("profile %s: %v", name, err)
		}
	}
}

func TestEveryKeyHasAVariable(t *testing.T) {
	pem := testcert.New(t, "killick")
	key := write(t, strings.Repeat("k", 32))
	table := write(t, "models: {m: {input: 1, output: 2}}")
	values := map[string]string{
		"listen":                     ":1",
		"admin.listen":               ":2",
		"admin.token":                "a-token-of-the-operator",
		"tls.cert_file":              pem.Cert,
		"tls.key_file":               pem.Key,
		"tls.client_ca_file":         pem.Cert,
		"admin.tls.cert_file":        pem.Cert,
		"admin.tls.key_file":         pem.Key,
		"admin.tls.client_ca_file":   pem.Cert,
		"auth.keys":                  `{"team": {"key": "a-key-that-is-long-enough"}}`,
		"cache.encryption_key_file":  key,
		"h2c":                        "yes",
		"upstream.base_url":          "http://example.com/v1",
		"upstream.api_key":           "a",
		"upstream.key_header":        "x-api-key",
		"upstream.proxy":             "socks5://u:p@127.0.0.1:1080",
		"upstream.h2c":               "true",
		"upstream.strict_turns":      "true",
		"upstream.ca_file":           pem.Cert,
		"upstream.cert_file":         pem.Cert,
		"upstream.key_file":          pem.Key,
		"responses.websocket":        "pass",
		"responses.compact":          "answer",
		"cors.origins":               "https://app.example, http://localhost:3000",
		"cors.credentials":           "true",
		"cors.max_age":               "1h",
		"compaction.mode":            "off",
		"compaction.profile":         "guard",
		"compaction.trigger":         "9000",
		"compaction.target":          "5000",
		"compaction.min_gain":        "0.5",
		"compaction.protect":         "0.7",
		"compaction.protect_turns":   "2",
		"compaction.pin":             "IMPORTANT, tool:get_*",
		"compaction.min_mask_tokens": "9",
		"compaction.record_tokens":   "9",
		"compaction.index_tokens":    "9",
		"compaction.working_set":     "9",
		"compaction.ingest":          "900",
		"compaction.summary_bytes":   "9999",
		"compaction.exclude_tools":   "a, b",
		"compaction.redact":          "all",
		"compaction.idle_after":      "1h",
		"compaction.summarizer":      "model",
		"compaction.prepare":         "0.5",
		"compaction.expand":          "mcp",
		"model.name":                 "m",
		"model.base_url":             "http://example.org/v1",
		"model.api_key":              "b",
		"model.window":               "9000",
		"model.timeout":              "2s",
		"model.max_output":           "900",
		"model.max_calls":            "9",
		"model.max_spend":            "0.5",
		"probe.enabled":              "off",
		"probe.threshold":            "0.9",
		"probe.hard_fail_threshold":  "0.1",
		"probe.max_questions":        "4",
		"probe.timeout":              "2s",
		"probe.on_error":             "accept",
		"probe.model.name":           "v",
		"probe.model.base_url":       "http://example.net/v1",
		"probe.model.api_key":        "c",
		"model.when":                 "window",
		"model.instructions":         "Keep the ticket numbers.",
		"model.identifiers":          "redact",
		"models":                     `{"m": {"window": 5000}}`,
		"prices_file":                table,
		"isolation":                  "header:X-Who",
		"cache.dir":                  "/x",
		"cache.ttl":                  "2h",
		"cache.max_size":             "1GiB",
		"cache.in_memory":            "yes",
		"cache.secret_file":          "/y",
		"cache.url":                  "rediss://valkey.example",
		"cache.timeout":              "30ms",
		"cache.password":             "hunter2hunter2",
		"cache.ca_file":              pem.Cert,
		"cache.cert_file":            pem.Cert,
		"cache.key_file":             pem.Key,
		"limits.max_body":            "1MiB",
		"limits.max_held":            "2MiB",
		"limits.memory":              "64MiB",
		"timeouts.header":            "1s",
		"timeouts.keep_alive":        "1s",
		"timeouts.stall":             "1s",
		"timeouts.connect":           "1s",
		"timeouts.first_byte":        "1s",
		"timeouts.idle":              "1s",
		"timeouts.notice":            "1s",
		"timeouts.drain":             "1s",
		"log.level":                  "debug",
		"log.format":                 "json",
		"debug.dump_dir":             "/z",

		"cache_keepalive.enabled":      "yes",
		"cache_keepalive.max_requests": "3",
		"cache_keepalive.max_spend":    "2.5",
		"cache_keepalive.max_held":     "8MiB",
	}
	var env []string
	for path, value := range values {
		env = append(env, schema.Env(path)+"="+value)
	}
	s, err := Config(Sources{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	before := config.Default()
	for _, key := range schema.Keys {
		if key.Path == "upstreams" {
			continue // excludes upstream: see TestUpstreamsFromAVariable
		}
		if _, ok := values[key.Path]; !ok {
			t.Errorf("no value to try for %s", key.Path)
			continue
		}
		if reflect.DeepEqual(key.Of(&s.Config).Interface(), key.Of(&before).Interface()) {
			t.Errorf("%s did not change %s", schema.Env(key.Path), key.Path)
		}
	}
}

// The operator's guidance is read from a file unchanged, up to its maximum length.
func TestInstructionsFromAFile(t *testing.T) {
	for _, c := range []struct{ name, text, want, fault string }{
		{"as it is", "  Ticket numbers matter.\nSo do dates.\n",
			"Ticket numbers matter.\nSo do dates.", ""},
		{"as much as there is room for", strings.Repeat("é", 2000), strings.Repeat("é", 2000), ""},
		{
			"more", strings.Repeat("x", 4001), "",
			"holds more than 4000 bytes; a prompt has no more room for guidance",
		},
		{"nothing", " \n", "", "its file is empty"},
		{"no text", "\xff\xfe", "", "is not UTF-8 text"},
	} {
		s, err := Config(Sources{Env: []string{"KILLICK_COMPACTION_SUMMARIZER=model",
			"KILLICK_MODEL_INSTRUCTIONS=file:" + write(t, c.text)}})
		if got := fmt.Sprint(err); c.fault != "" &&
			!strings.Contains(got, "model.instructions: ") || !strings.Contains(got, c.fault) {
			t.Errorf("%s: %v, want a fault of model.instructions that says %q", c.name, err,
				c.fault)
		}
		if c.fault == "" && (err != nil || s.Model.Instructions != c.want) {
			t.Errorf("%s: %v, %+v", c.name, err, s)
		}
	}
	tooLong := "KILLICK_MODEL_INSTRUCTIONS=" + strings.Repeat("x", 4001)
	_, err := Config(Sources{Env: []string{tooLong}})
	if err == nil || !strings.Contains(err.Error(),
		"model.instructions: 4001 bytes are more than the 4000") {
		t.Errorf("4001 bytes: %v", err)
	}
}

func TestFaultsOfKeepAlives(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none in a rest", "max_requests: 0", "max_requests: 0 is not between 1 and 20"},
		{"too many in a rest", "max_requests: 21", "max_requests: 21 is not between 1 and 20"},
		{"nothing to spend", "max_spend: 0", "max_spend: 0 is not an amount to spend"},
		{"no end of spending", "max_spend: .inf", "max_spend: "},
		{"no room", "max_held: 1000", "max_held: 1000 holds hardly a request; write 1MiB or more"},
		{"a slip", "enabld: true", "enabld: unknown key; did you mean cache_keepalive.enabled?"},
	} {
		_, err := Config(Sources{File: write(t, "listen: :1\ncache_keepalive:\n  "+c.text+"\n")})
		if err == nil || !strings.Contains(err.Error(), ":3: cache_keepalive."+c.want) {
			t.Errorf("%s: %v, want a fault of line 3 that says %q", c.name, err, c.want)
		}
	}
	on := "cache_keepalive: {enabled: true}\ncompaction: {mode: observe}\n"
	for text, want := range map[string]int{
		on: 1, on + "models: {m: {mode: on}}\n": 0, "compaction: {mode: observe}\n": 0,
	} {
		s, err := Config(Sources{File: write(t, text)})
		if err != nil || len(s.Warnings) != want {
			t.Errorf("%s: %v, %q, want %d warnings", text, err, s.Warnings, want)
		}
	}
}

// A variable for a removed key gets a different error from a misspelled one.
func TestGoneVariables(t *testing.T) {
	s, err := Config(Sources{Env: []string{"KILLICK_COMPACTION_MAX_WAIT=20s"}})
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0],
		"no request waits for a model any more") {
		t.Errorf("%v, %+v", err, s)
	}
}

// A variable gives a list separated by commas, or as in the file.
func TestListsFromVariables(t *testing.T) {
	for text, want := range map[string][]string{
		"a, b":                       {"a", "b"},
		"[WIP, b":                    {"[WIP", "b"},
		`["DO NOT, DEPLOY", re:^I:]`: {"DO NOT, DEPLOY", "re:^I:"},
		` ["[WIP]"] `:                {"[WIP]"},
	} {
		s, err := Config(Sources{Env: []string{"KILLICK_COMPACTION_PIN=" + text}})
		if err != nil || !reflect.DeepEqual(s.Compaction.Pin, want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	const want = "KILLICK_COMPACTION_PIN: compaction.pin: not YAML"
	for _, text := range []string{`["a]`, `["a, b", c`} {
		_, err := Config(Sources{Env: []string{"KILLICK_COMPACTION_PIN=" + text}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestPrecedence(t *testing.T) {
	file := write(t, "compaction: {profile: saver, trigger: 20000}\nlisten: :1000\n"+
		"log: {level: warn}\n")
	s, err := Config(Sources{
		File: file,
		Env: []string{"KILLICK_LISTEN=:2000", "KILLICK_LOG_LEVEL=error",
			"KILLICK_LOG_LEVEL=debug", "KILLICK_CACHE_DIR="},
		Flags: []Flag{{Name: "--listen", Path: "listen", Value: ":3000"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"a flag over all", s.Listen, ":3000"},
		{"a variable over the file", s.Log.Level, "debug"},
		{"an empty variable is none", s.Cache.Dir, "./data"},
		{"the file over the profile", s.Compaction.Trigger, config.Amount(20000)},
		{"the target follows the trigger", s.Compaction.Target, config.Amount(4000)},
		{"the profile over the defaults", s.Compaction.Protect, config.Amount(0.3)},
		{"the profile's name", s.Compaction.Profile, "saver"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

// For any file, reading it ends, and its faults name existing places.
func FuzzLoad(f *testing.F) {
	example, err := os.ReadFile(examplePath)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	f.Add("compaction: {trigger: 500, mode: true}\nmodels: {a: {window: 1}}\n")
	f.Add("upstream:\n  api_key: hunter2hunter2\n  base_url: [\n")
	f.Add("a: &a [*a]\n? [x]\n: y\n<<: {b: 1}\n---\n- !!binary |\n  aGk=\n")
	atLine := regexp.MustCompile(`^f\.yaml:(\d+): `)
	f.Fuzz(func(t *testing.T, text string) {
		l := overlay(config.Default(), Sources{File: "f.yaml"}, []byte(text))
		l.deriveTarget()
		l.validate()
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 2
		for _, fault := range l.Faults {
			if fault.Line < 0 || fault.Line > lines {
				t.Errorf("line %d of %d: %s", fault.Line, lines, fault)
			}
			if fault.Line > 0 && !atLine.MatchString(fault.String()) {
				t.Errorf("a fault without its place: %s", fault)
			}
		}
	})
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "killick.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
