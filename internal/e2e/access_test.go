package e2e

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/fakeupstream"
	"killick/internal/health"
	"killick/internal/testcert"
	"killick/internal/wire"
)

// Two inbound keys of one upstream key share nothing, and neither reaches the
// upstream, nor the log or the store.
func TestInboundKeys(t *testing.T) {
	noLeaks(t)
	const ann, bob, shared = "inbound-key-of-ann-1", "inbound-key-of-bob-2", "sk-upstream-shared"
	hash := sha256.Sum256([]byte(bob))
	up := fakeupstream.New(fakeupstream.Config{Record: true})
	defer up.Close()
	w := newWatched(t, up.URL(), func(c *config.Config) {
		c.Auth.Keys = map[string]config.InboundKey{"ann": {Key: ann, UpstreamKey: shared},
			"bob": {SHA256: hex.EncodeToString(hash[:]), UpstreamKey: shared}}
		c.Isolation.Inbound = true
		c.Admin.Token = "token-of-the-operator"
	})
	bodies := sessionTurns("anybody", 14)
	session := func(key string) (ref string) {
		for _, body := range bodies {
			if f := ask(t, w.Public+chatPath, body, "X-Api-Key", key, "X-Copy",
				"it is "+key); f.status != http.StatusOK {
				t.Fatalf("status %d: %s", f.status, f.reply)
			}
		}
		for _, r := range up.Requests() {
			if m := anyRef.FindSubmatch(r.Body); m != nil {
				ref = string(m[1])
			}
			if got := r.Header.Get("Authorization"); got != "Bearer "+shared ||
				strings.Contains(strings.Join(r.Header["X-Copy"], ""), "inbound") {
				t.Errorf("the upstream got %q and %q", got, r.Header["X-Copy"])
			}
		}
		up.Reset()
		return ref
	}
	session(ann)
	if n := w.bearerMetric(t, "killick_cache_conflicts_total"); n != "0" {
		t.Errorf("%s conflicts", n)
	}
	session(bob)
	if n := w.bearerMetric(t, "killick_cache_conflicts_total"); n != "0" {
		t.Errorf("bob met %s records that were there: ann's", n)
	}
	for _, path := range []string{"/v1/models", "/killick/version",
		"/killick/outputs/aaaaaaaaaaaaaaaa", chatPath} {
		if status, _ := send(t, "GET", w.Public+path, nil, "Authorization",
			"Bearer nobody-knows-this-key"); status != http.StatusUnauthorized {
			t.Errorf("%s with an unknown key: %d", path, status)
		}
	}
	if status, _ := send(t, "GET", w.Public+"/healthz", nil); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	// Each may have its own forgotten, and the operator by name.
	if status, text := send(t, "DELETE", w.Public+"/killick/data", nil, "Authorization",
		"Bearer "+ann); status != http.StatusOK || strings.Contains(text, `"records":0`) {
		t.Errorf("ann's data: %d %s", status, text)
	}
	if status, text := send(t, "DELETE", w.Public+"/killick/data", nil, "Authorization",
		"Bearer "+ann); status != http.StatusOK || !strings.Contains(text, `"records":0`) {
		t.Errorf("again: %d %s", status, text)
	}
	if status, _ := send(t, "DELETE", w.Admin+"/killick/clients/bob", nil); status !=
		http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	if status, text := send(t, "DELETE", w.Admin+"/killick/clients/bob", nil, "Authorization",
		"Bearer token-of-the-operator"); status != http.StatusOK ||
		strings.Contains(text, `"records":0`) {
		t.Errorf("bob's data: %d %s", status, text)
	}
	w.Stop()
	for _, secret := range []string{ann, bob, shared, "token-of-the-operator"} {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}

// bearerMetric is metric with the operator's token.
func (w *watched) bearerMetric(t *testing.T, name string) string {
	t.Helper()
	_, text := send(t, "GET", w.Admin+"/metrics", nil, "Authorization",
		"Bearer token-of-the-operator")
	return valueOf(t, text, name)
}

// One conversation is forgotten and others are not; a stranger's request takes
// nothing away.
func TestConversationIsDeleted(t *testing.T) {
	noLeaks(t)
	up := fakeupstream.New(fakeupstream.Config{})
	defer up.Close()
	w := newWatched(t, up.URL(), nil)
	bodies := sessionTurns("anybody", 14)
	last := bodies[len(bodies)-1]
	for _, body := range bodies {
		ask(t, w.Public+chatPath, body, "Authorization", "Bearer ann")
	}
	forget := func(key string, body []byte) string {
		status, text := send(t, "DELETE", w.Public+"/killick/conversations", body, "Authorization",
			"Bearer "+key)
		if status != http.StatusOK {
			t.Errorf("status %d: %s", status, text)
		}
		return text
	}
	if text := forget("stranger", last); !strings.Contains(text, `"records":0`) {
		t.Errorf("a stranger took away %s", text)
	}
	if text := forget("ann", last); strings.Contains(text, `"records":0`) {
		t.Errorf("nothing was forgotten: %s", text)
	}
	if text := forget("ann", last); !strings.Contains(text, `"records":0`) {
		t.Errorf("something was left: %s", text)
	}
	if status, _ := send(t, "DELETE", w.Public+"/killick/conversations", []byte("{"),
		"Authorization", "Bearer ann"); status != http.StatusBadRequest {
		t.Errorf("no conversation: %d", status)
	}
}

// serveTLS serves nothing behind a listener with TLS and returns its address.
func serveTLS(t *testing.T, files config.TLS) (addr string) {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l, err := wire.Secure("tls", files, plain, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
	}), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go func() { _ = server.Serve(l) }() // ends when the server is closed
	t.Cleanup(func() { server.Close() })
	return plain.Addr().String()
}

// TLS with a certificate that is replaced while it serves, and the health check
// against it.
func TestTLS(t *testing.T) {
	first, second := testcert.New(t, "first"), testcert.New(t, "second")
	files := config.TLS{CertFile: first.Cert, KeyFile: first.Key}
	addr := serveTLS(t, files)
	url := "https://" + addr + "/healthz"
	if err := health.Check(t.Context(), url, files); err != nil {
		t.Error(err)
	}
	if err := health.Check(t.Context(), url,
		config.TLS{CertFile: second.Cert, KeyFile: second.Key}); err == nil {
		t.Error("another certificate was taken for ours")
	}
	if _, err := tls.Dial("tcp", addr,
		&tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 was accepted")
	}
	// Renewed: the files change under their names.
	for from, to := range map[string]string{second.Cert: first.Cert, second.Key: first.Key} {
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err == nil {
			err = os.Chtimes(to, time.Now(), time.Now().Add(time.Hour))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { return health.Check(t.Context(), url, files) == nil })
}

func TestClientCertificates(t *testing.T) {
	own, stranger := testcert.New(t, "own"), testcert.New(t, "stranger")
	files := config.TLS{CertFile: own.Cert, KeyFile: own.Key, ClientCAFile: own.Cert}
	addr := serveTLS(t, files)
	url := "https://" + addr + "/"
	for name, c := range map[string]struct {
		show *testcert.Files
		want bool
	}{"ours": {&own, true}, "a stranger's": {&stranger, false}, "none": {nil, false}} {
		config := &tls.Config{InsecureSkipVerify: true}
		if c.show != nil {
			pair, err := tls.LoadX509KeyPair(c.show.Cert, c.show.Key)
			if err != nil {
				t.Fatal(err)
			}
			config.Certificates = []tls.Certificate{pair}
		}
		transport := &http.Transport{TLSClientConfig: config}
		res, err := (&http.Client{Transport: transport}).Get(url)
		if err == nil {
			res.Body.Close()
		}
		transport.CloseIdleConnections()
		if (err == nil) != c.want {
			t.Errorf("with %s certificate: %v", name, err)
		}
	}
	if err := health.Check(t.Context(), url, files); err != nil {
		t.Errorf("a proxy that asks for certificates is alive: %v", err)
	}
}
