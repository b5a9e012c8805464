package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	goversion "go/version"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// TLS is how a listener of ours speaks TLS; without a certificate it does not.
type TLS struct {
	CertFile     string `yaml:"cert_file"`      // PEM: the chain, our own certificate first
	KeyFile      string `yaml:"key_file"`       // PEM: its key
	ClientCAFile string `yaml:"client_ca_file"` // PEM: authorities whose certificates clients must show; if empty, none are asked for
}

func (t TLS) on() bool { return t.CertFile != "" || t.KeyFile != "" || t.ClientCAFile != "" }

// load reads the files. The error comes with the key, below the section, that is
// to blame.
func (t TLS) load() (config *tls.Config, key string, err error) {
	switch {
	case t.CertFile == "":
		return nil, "cert_file", errors.New("is empty; write the file of the certificate, as PEM")
	case t.KeyFile == "":
		return nil, "key_file", errors.New("is empty; write the file of the certificate's key, as PEM")
	}
	pair, key, err := loadPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, key, err
	}
	config = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if http2Sound(runtime.Version()) {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	if t.ClientCAFile == "" {
		return config, "", nil
	}
	// The system's authorities are no reason to let a client in.
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if err := addAuthorities(config.ClientCAs, t.ClientCAFile); err != nil {
		return nil, "client_ca_file", err
	}
	return config, "", nil
}

// soundHTTP2 is the first release whose HTTP/2 server does not have the flaw
// GO-2026-6617: pkg.go.dev/vuln/GO-2026-6617.
const soundHTTP2 = "go1.26.9"

// http2Sound tells whether a toolchain's HTTP/2 server is to be shown to clients.
func http2Sound(toolchain string) bool {
	toolchain, _, _ = strings.Cut(toolchain, " ")
	return strings.HasPrefix(toolchain, "devel") || goversion.Compare(toolchain, soundHTTP2) >= 0
}

// recheck is how long files are believed to be the ones that were read.
const recheck = time.Second

// reloader gives every handshake the certificate that the files hold, so that
// one which is renewed needs no restart.
type reloader struct {
	files TLS
	log   *slog.Logger

	mu      sync.Mutex
	config  *tls.Config
	stamps  [3]stamp
	checked time.Time
}

// stamp is what changes when a file does.
type stamp struct {
	size     int64
	modified time.Time
}

func (t TLS) stamps() (s [3]stamp) {
	for i, path := range []string{t.CertFile, t.KeyFile, t.ClientCAFile} {
		if info, err := os.Stat(path); err == nil { // of what a symbolic link points at, as cert-manager swaps them
			s[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return s
}

// current returns the settings for a handshake. Files that cannot be used, half
// written ones too, leave those that were.
func (r *reloader) current(*tls.ClientHelloInfo) (*tls.Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.checked) < recheck {
		return r.config, nil
	}
	r.checked = time.Now()
	now := r.files.stamps()
	if now == r.stamps {
		return r.config, nil
	}
	config, key, err := r.files.load()
	if err != nil {
		r.log.Error("the changed certificate cannot be used; the one before stays", "key", key, "cause", err.Error())
		return r.config, nil
	}
	r.config, r.stamps = config, now
	r.log.Info("took the changed certificate", "file", r.files.CertFile)
	return r.config, nil
}

// secure puts TLS on a listener where the configuration asks for it.
func secure(section string, t TLS, l net.Listener, log *slog.Logger) (net.Listener, error) {
	if !t.on() {
		return l, nil
	}
	r := &reloader{files: t, log: log, stamps: t.stamps()}
	config, key, err := t.load()
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", section, key, err)
	}
	r.config = config
	outer := config.Clone()
	outer.GetConfigForClient = r.current
	if !http2Sound(runtime.Version()) {
		log.Warn("HTTP/2 is not offered over TLS: the Go that built this has a flaw in it; build with "+soundHTTP2+" or later", "built_with", runtime.Version())
	}
	return tls.NewListener(l, outer), nil
}

// validateTLS checks the files of both listeners: what cannot be used is told at
// the start, not by the first handshake.
func (l *loader) validateTLS() {
	for _, s := range []struct {
		path  string
		files TLS
	}{{"tls", l.TLS}, {"admin.tls", l.Admin.TLS}} {
		if !s.files.on() {
			continue
		}
		config, key, err := s.files.load()
		if err != nil {
			l.invalid(join(s.path, key), "%v", err)
			continue
		}
		if leaf := config.Certificates[0].Leaf; leaf != nil && time.Now().After(leaf.NotAfter) {
			l.warn(join(s.path, "cert_file"), "%s ran out on %s; clients will refuse it", s.files.CertFile, leaf.NotAfter.Format(time.DateOnly))
		}
	}
	if l.H2C && !http2Sound(runtime.Version()) {
		l.warn("h2c", "the Go that built this (%s) has a flaw in its HTTP/2 server; build with %s or later, or leave h2c to trusted networks", runtime.Version(), soundHTTP2)
	}
}
