// Package health asks a running proxy whether it is alive. It never sends a credential.
package health

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"killick/internal/config"
	"killick/internal/fields"
	"killick/internal/usage"
)

// timeout bounds the whole check; container engines have a bound of
// their own.
const timeout = 3 * time.Second

// URL returns the address at which a proxy that listens on addr is checked from the same machine.
func URL(addr string, files config.TLS) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || config.IsAnyAddress(host) {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if files.On() {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port) + "/healthz"
}

// Check returns an error unless the proxy at url is alive. If files configures TLS, the proxy must
// present exactly the certificate in the files, whatever name it is for.
func Check(ctx context.Context, url string, files config.TLS) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return usage.Error{Err: fmt.Errorf("--url: %w", err)}
	}
	if scheme := req.URL.Scheme; scheme != "http" && scheme != "https" {
		return usage.Error{Err: fmt.Errorf("--url: %s does not begin with http:// or https://",
			fields.Quote(url))}
	}
	client := http.DefaultClient
	if files.On() {
		transport := &http.Transport{TLSClientConfig: pinned(files)}
		defer transport.CloseIdleConnections()
		client = &http.Client{Transport: transport}
	}
	res, err := client.Do(req)
	if files.ClientCAFile != "" && wantsCertificate(err) {
		return nil // it is alive, and requires a client certificate
	}
	if err != nil {
		return fmt.Errorf("asking for health: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking %s for health: status %d, want 200", url, res.StatusCode)
	}
	return nil
}

// pinned returns the settings of a client that accepts only the certificate in the files.
func pinned(files config.TLS) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // of the chain and the name; what follows is stricter
		VerifyConnection: func(state tls.ConnectionState) error {
			want, key, err := files.Load()
			if err != nil {
				return fmt.Errorf("tls.%s: %w", key, err)
			}
			if len(state.PeerCertificates) == 0 ||
				!bytes.Equal(state.PeerCertificates[0].Raw, want.Certificates[0].Certificate[0]) {
				return errors.New("it shows another certificate than tls.cert_file holds")
			}
			return nil
		},
	}
}

// wantsCertificate reports whether a server ended the connection because the client presented no
// certificate.
func wantsCertificate(err error) bool {
	// RFC 8446, 6.2; the second one in TLS 1.2. The alert itself has no type that
	// others see.
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" &&
		(strings.Contains(op.Err.Error(), "certificate required") ||
			strings.Contains(op.Err.Error(), "bad certificate"))
}
