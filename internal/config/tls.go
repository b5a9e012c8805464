package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	goversion "go/version"
	"runtime"
	"strings"
)

// TLS configures TLS of a listener; without a certificate it uses plain HTTP.
type TLS struct {
	CertFile string `yaml:"cert_file"` // PEM: the chain, the server certificate first
	KeyFile  string `yaml:"key_file"`  // PEM: its key
	// PEM: CAs of client certificates; if empty, clients need none
	ClientCAFile string `yaml:"client_ca_file"`
}

// On reports whether the listener uses TLS.
func (t TLS) On() bool { return t.CertFile != "" || t.KeyFile != "" || t.ClientCAFile != "" }

// Load reads the files. An error comes with the key, relative to the section, that
// caused it.
func (t TLS) Load() (config *tls.Config, key string, err error) {
	switch {
	case t.CertFile == "":
		return nil, "cert_file", errors.New("is empty; write the file of the certificate, as PEM")
	case t.KeyFile == "":
		return nil, "key_file", errors.New("is empty; write the file of the certificate's key, " +
			"as PEM")
	}
	pair, key, err := loadPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, key, err
	}
	config = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
		NextProtos: []string{"http/1.1"}}
	if HTTP2Sound(runtime.Version()) {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	if t.ClientCAFile == "" {
		return config, "", nil
	}
	// The system's CAs must not admit clients.
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if err := addAuthorities(config.ClientCAs, t.ClientCAFile); err != nil {
		return nil, "client_ca_file", err
	}
	return config, "", nil
}

// FirstSoundHTTP2 is the first release whose HTTP/2 server does not have the
// vulnerability GO-2026-6617: pkg.go.dev/vuln/GO-2026-6617.
const FirstSoundHTTP2 = "go1.26.9"

// HTTP2Sound reports whether a toolchain's HTTP/2 server may be offered to clients.
func HTTP2Sound(toolchain string) bool {
	toolchain, _, _ = strings.Cut(toolchain, " ")
	return strings.HasPrefix(toolchain, "devel") ||
		goversion.Compare(toolchain, FirstSoundHTTP2) >= 0
}
