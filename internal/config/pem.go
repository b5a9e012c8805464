package config

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"killick/internal/patherror"
)

// loadPair reads a certificate and its key. An error comes with the configuration
// key, relative to its section, that caused it.
func loadPair(certFile, keyFile string) (pair tls.Certificate, key string, err error) {
	for _, file := range []struct{ key, path string }{
		{"cert_file", certFile}, {"key_file", keyFile},
	} {
		if _, err := os.ReadFile(file.path); err != nil {
			return pair, file.key, fmt.Errorf("cannot be read: %w", patherror.Plain(err))
		}
	}
	if pair, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		return pair, "cert_file", fmt.Errorf("%s and %s are not a certificate with its key, both "+
			"as PEM: %w", certFile, keyFile, err)
	}
	return pair, "", nil
}

// addAuthorities adds the CAs of a file.
func addAuthorities(to *x509.CertPool, path string) error {
	pem, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", patherror.Plain(err))
	}
	if !to.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no certificate in PEM form; it begins with -----BEGIN "+
			"CERTIFICATE-----", path)
	}
	return nil
}
