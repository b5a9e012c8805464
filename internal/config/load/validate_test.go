package load

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/internal/testcert"
)

// The files of an upstream are checked at start, and no fault shows their content.
func TestUpstreamFilesAreCheckedAtTheStart(t *testing.T) {
	one, two := testcert.New(t, "one"), testcert.New(t, "two")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ yaml, want string }{
		"no such file": {"{ca_file: /nowhere/ca.pem}",
			"upstream.ca_file: cannot be read: /nowhere/ca.pem: no such file or directory"},
		"no PEM": {"{ca_file: " + empty + "}", "holds no certificate in PEM form"},
		"certificate alone": {"{cert_file: " + one.Cert + "}",
			"upstream.cert_file: needs the certificate's key; write upstream.key_file"},
		"key alone": {"{key_file: " + one.Key + "}",
			"upstream.key_file: needs the key's certificate; write upstream.cert_file"},
		"key of another": {"{cert_file: " + one.Cert + ", key_file: " + two.Key + "}",
			"private key does not match public key"},
		"no such key": {"{cert_file: " + one.Cert + ", key_file: /nowhere/key.pem}",
			"upstream.key_file: cannot be read"},
		"a key of no kind": {"{cert_file: " + one.Cert + ", key_file: " + empty + "}",
			"not a certificate with its key, both as PEM"},
		"no proxy of a kind": {"{proxy: 'ftp://joe:hunter2@proxy'}",
			"upstream.proxy: must be a URL that begins with http://"},
		"a proxy without host": {"{proxy: 'http://:3128'}", "upstream.proxy: names no host"},
		"a proxy with a path": {"{proxy: 'http://joe:hunter2@proxy/x'}",
			"upstream.proxy: must be just a host and a port"},
		"no URL": {"{proxy: 'http://joe:hunter2@pro xy'}",
			"upstream.proxy: is not a URL"},
		"h2c over TLS": {"{h2c: true}", "upstream.h2c: is for upstreams without TLS"},
	} {
		_, err := Config(Sources{File: write(t, "upstream: "+test.yaml+"\n")})
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	s, err := Config(Sources{File: write(t,
		"upstream: {base_url: 'http://localhost:9/v1', proxy: 'http://joe:hunter2@proxy:3128', "+
			"ca_file: "+one.Cert+"}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "is not https") {
		t.Errorf("warnings: %q", s.Warnings)
	}
	var printed bytes.Buffer
	if err := Print(&printed, s); err != nil || strings.Contains(printed.String(), "hunter2") ||
		!strings.Contains(printed.String(), "joe:xxxxx@proxy:3128") {
		t.Errorf("printed %v:\n%s", err, &printed)
	}
}

func TestCORSOriginsAreChecked(t *testing.T) {
	for yaml, want := range map[string]string{
		"{origins: [app.example]}":                        "cors.origins: item 1",
		"{origins: ['https://a.example', 'https://b/x']}": "cors.origins: item 2",
		"{origins: ['https://App.example']}":              "cors.origins: item 1",
		"{origins: ['*'], credentials: true}": "cors.credentials: cannot be combined with any " +
			"origin",
		"{origins: ['null']}": "cors.origins: item 1",
		"{origins: ['*']}":    "",
		"{origins: ['http://[::1]:3000', 'app://desktop']}": "",
	} {
		_, err := Config(Sources{File: write(t, "cors: "+yaml+"\n")})
		if want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", yaml, err, want)
		}
	}
}
