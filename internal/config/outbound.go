package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// ClientTLS returns the TLS configuration for the upstream, nil for the default. An error
// comes with the key, relative to its section, at, that caused it.
func (u *Upstream) ClientTLS(at string) (config *tls.Config, key string, err error) {
	if u.CAFile == "" && u.CertFile == "" && u.KeyFile == "" {
		return nil, "", nil
	}
	config = new(tls.Config)
	if u.CAFile != "" {
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			config.RootCAs = x509.NewCertPool() // a system without CAs: use only the file
		}
		if err := addAuthorities(config.RootCAs, u.CAFile); err != nil {
			return nil, "ca_file", err
		}
	}
	switch {
	case u.CertFile == "" && u.KeyFile == "":
		return config, "", nil
	case u.KeyFile == "":
		return nil, "cert_file", errors.New("needs the certificate's key; " +
			"write " + at + ".key_file")
	case u.CertFile == "":
		return nil, "key_file", errors.New("needs the key's certificate; " +
			"write " + at + ".cert_file")
	}
	pair, key, err := loadPair(u.CertFile, u.KeyFile)
	if err != nil {
		return nil, key, err
	}
	config.Certificates = []tls.Certificate{pair}
	return config, "", nil
}

// ClientTLS returns the TLS configuration for the shared store, like [Upstream.ClientTLS].
func (c *Cache) ClientTLS() (config *tls.Config, key string, err error) {
	u := Upstream{CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile}
	return u.ClientTLS("cache")
}
