package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pemFiles are a certificate and its key, as an operator has them.
type pemFiles struct{ cert, key string }

// newPEM makes a certificate that vouches for itself and for 127.0.0.1.
func newPEM(t testing.TB, name string) pemFiles {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	files := pemFiles{filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")}
	for path, block := range map[string]*pem.Block{files.cert: {Type: "CERTIFICATE", Bytes: cert}, files.key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// servingUpstream starts the proxy before an upstream and returns its address.
func servingUpstream(t *testing.T, upstream Upstream) (url string) {
	t.Helper()
	c := Default()
	c.Cache.InMemory = true
	c.Upstream = upstream
	_, url = serving(t, c, slog.New(slog.DiscardHandler))
	return url
}

// TestUpstreamTLSFiles: an upstream that nobody else vouches for, and that asks
// who we are.
func TestUpstreamTLSFiles(t *testing.T) {
	theirs, ours := newPEM(t, "upstream"), newPEM(t, "killick")
	pair, err := tls.LoadX509KeyPair(theirs.cert, theirs.key)
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	cert, err := os.ReadFile(ours.cert)
	if err != nil || !known.AppendCertsFromPEM(cert) {
		t.Fatalf("reading our certificate: %v", err)
	}
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto+" from "+r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	up.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known}
	up.EnableHTTP2 = true
	up.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	up.StartTLS()
	defer up.Close()
	for name, test := range map[string]struct {
		set    func(*Upstream)
		status int
	}{
		"all":            {func(u *Upstream) { u.CAFile, u.CertFile, u.KeyFile = theirs.cert, ours.cert, ours.key }, 200},
		"no certificate": {func(u *Upstream) { u.CAFile = theirs.cert }, 502},
		"no authority":   {func(u *Upstream) { u.CertFile, u.KeyFile = ours.cert, ours.key }, 502},
	} {
		upstream := Upstream{BaseURL: up.URL + "/v1"}
		test.set(&upstream)
		base := servingUpstream(t, upstream)
		res, err := http.Get(base + "/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != test.status || test.status == 200 && string(body) != "HTTP/2.0 from killick" {
			t.Errorf("%s: got %d %s", name, res.StatusCode, body)
		}
	}
}

// TestOutboundProxies: an HTTP proxy tunnels to an upstream with TLS, under the
// operator's name for it.
func TestOutboundProxies(t *testing.T) {
	up := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") }))
	defer up.Close()
	certFile := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: up.Certificate().Raw}), 0o600); err != nil {
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
	base := servingUpstream(t, Upstream{
		BaseURL: up.URL + "/v1",
		CAFile:  certFile,
		Proxy:   ProxyURL(strings.Replace(outbound.URL, "http://", "http://joe:hunter2@", 1)),
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

// TestUpstreamFilesAreCheckedAtTheStart, and no fault shows what is in them.
func TestUpstreamFilesAreCheckedAtTheStart(t *testing.T) {
	one, two := newPEM(t, "one"), newPEM(t, "two")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ yaml, want string }{
		"no such file":         {"{ca_file: /nowhere/ca.pem}", "upstream.ca_file: cannot be read: /nowhere/ca.pem: no such file or directory"},
		"no PEM":               {"{ca_file: " + empty + "}", "holds no certificate in PEM form"},
		"certificate alone":    {"{cert_file: " + one.cert + "}", "upstream.cert_file: wants the certificate's key beside it; write upstream.key_file"},
		"key alone":            {"{key_file: " + one.key + "}", "upstream.key_file: wants the key's certificate beside it; write upstream.cert_file"},
		"key of another":       {"{cert_file: " + one.cert + ", key_file: " + two.key + "}", "private key does not match public key"},
		"no such key":          {"{cert_file: " + one.cert + ", key_file: /nowhere/key.pem}", "upstream.key_file: cannot be read"},
		"a key of no kind":     {"{cert_file: " + one.cert + ", key_file: " + empty + "}", "no certificate with its key, both as PEM"},
		"no proxy of a kind":   {"{proxy: 'ftp://joe:hunter2@proxy'}", "upstream.proxy: wants a URL that begins with http://"},
		"a proxy without host": {"{proxy: 'http://:3128'}", "upstream.proxy: names no host"},
		"a proxy with a path":  {"{proxy: 'http://joe:hunter2@proxy/x'}", "upstream.proxy: wants a host and a port alone"},
		"no URL":               {"{proxy: 'http://joe:hunter2@pro xy'}", "upstream.proxy: is not a URL"},
		"h2c over TLS":         {"{h2c: true}", "upstream.h2c: is for upstreams without TLS"},
	} {
		_, err := load(sources{file: write(t, "upstream: "+test.yaml+"\n")})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	s, err := load(sources{file: write(t, "upstream: {base_url: 'http://localhost:9/v1', proxy: 'http://joe:hunter2@proxy:3128', ca_file: "+one.cert+"}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.warnings) != 1 || !strings.Contains(s.warnings[0], "is not https") {
		t.Errorf("warnings: %q", s.warnings)
	}
	var printed bytes.Buffer
	if err := printSettings(&printed, s); err != nil || strings.Contains(printed.String(), "hunter2") || !strings.Contains(printed.String(), "joe:xxxxx@proxy:3128") {
		t.Errorf("printed %v:\n%s", err, &printed)
	}
}

func TestCORSOriginsAreChecked(t *testing.T) {
	for yaml, want := range map[string]string{
		"{origins: [app.example]}":                          "cors.origins: item 1",
		"{origins: ['https://a.example', 'https://b/x']}":   "cors.origins: item 2",
		"{origins: ['https://App.example']}":                "cors.origins: item 1",
		"{origins: ['*'], credentials: true}":               "cors.credentials: is not for any origin",
		"{origins: ['null']}":                               "cors.origins: item 1",
		"{origins: ['*']}":                                  "",
		"{origins: ['http://[::1]:3000', 'app://desktop']}": "",
	} {
		_, err := load(sources{file: write(t, "cors: "+yaml+"\n")})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", yaml, err, want)
		}
	}
}
