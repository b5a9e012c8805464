package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/testcert"
)

// servingUpstream starts the proxy before an upstream and returns its address.
func servingUpstream(t *testing.T, upstream config.Upstream) (url string) {
	t.Helper()
	c := balanced()
	c.Cache.InMemory = true
	c.Upstream = upstream
	_, url = serving(t, c, slog.New(slog.DiscardHandler))
	return url
}

// TestUpstreamTLSFiles: an upstream that nobody else vouches for, and that asks
// who we are.
func TestUpstreamTLSFiles(t *testing.T) {
	theirs, ours := testcert.New(t, "upstream"), testcert.New(t, "killick")
	pair, err := tls.LoadX509KeyPair(theirs.Cert, theirs.Key)
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	cert, err := os.ReadFile(ours.Cert)
	if err != nil || !known.AppendCertsFromPEM(cert) {
		t.Fatalf("reading our certificate: %v", err)
	}
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_, _ = io.WriteString(w, r.Proto+" from "+r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	up.TLS = &tls.Config{Certificates: []tls.Certificate{pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known}
	up.EnableHTTP2 = true
	up.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	up.StartTLS()
	defer up.Close()
	for name, test := range map[string]struct {
		set    func(*config.Upstream)
		status int
	}{
		"all": {func(u *config.Upstream) {
			u.CAFile, u.CertFile, u.KeyFile = theirs.Cert, ours.Cert, ours.Key
		}, 200},
		"no certificate": {func(u *config.Upstream) { u.CAFile = theirs.Cert }, 502},
		"no authority": {func(u *config.Upstream) {
			u.CertFile, u.KeyFile = ours.Cert, ours.Key
		}, 502},
	} {
		upstream := config.Upstream{BaseURL: up.URL + "/v1"}
		test.set(&upstream)
		base := servingUpstream(t, upstream)
		res, err := http.Get(base + "/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != test.status ||
			test.status == 200 && string(body) != "HTTP/2.0 from killick" {
			t.Errorf("%s: got %d %s", name, res.StatusCode, body)
		}
	}
}

// TestOutboundProxies: an HTTP proxy tunnels to an upstream with TLS, under the
// operator's name for it.
func TestOutboundProxies(t *testing.T) {
	up := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "reached")
	}))
	defer up.Close()
	certFile := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certFile,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: up.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 1)
	outbound := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + " " + r.Header.Get("Proxy-Authorization")
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(502)
			return
		}
		defer far.Close()
		near, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer near.Close()
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(far, buffered)
		}()
		_, _ = io.Copy(near, far)
	}))
	defer outbound.Close()
	base := servingUpstream(t, config.Upstream{
		BaseURL: up.URL + "/v1",
		CAFile:  certFile,
		Proxy: config.ProxyURL(strings.Replace(outbound.URL, "http://", "http://joe:hunter2@",
			1)),
	})
	res, err := http.Get(base + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != "reached" {
		t.Fatalf("got %d %s", res.StatusCode, body)
	}
	u, err := url.Parse(up.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := <-asked, "CONNECT "+u.Host+" Basic am9lOmh1bnRlcjI="; got != want {
		t.Errorf("the outbound proxy was asked %q, want %q", got, want)
	}
}
