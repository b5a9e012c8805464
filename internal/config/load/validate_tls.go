package load

import (
	"crypto/tls"
	"runtime"
	"strings"
	"time"

	"killick/internal/config"
	"killick/internal/fields"
)

// validateTLS checks the files of both listeners: unusable ones are reported at
// start, not by the first handshake.
func (l *loader) validateTLS() {
	for _, s := range []struct {
		path  string
		files config.TLS
	}{{"tls", l.TLS}, {"admin.tls", l.Admin.TLS}} {
		if !s.files.On() {
			continue
		}
		config, key, err := s.files.Load()
		if err != nil {
			l.Invalid(fields.Join(s.path, key), "%v", err)
			continue
		}
		l.warnOfExpired(fields.Join(s.path, "cert_file"), s.files.CertFile, config, "clients")
	}
	if l.H2C && !config.HTTP2Sound(runtime.Version()) {
		l.Warn("h2c", "the Go release that built this (%s) has a vulnerability in its HTTP/2 "+
			"server; build with %s or later, or use h2c on trusted networks only",
			runtime.Version(), config.FirstSoundHTTP2)
	}
}

// validateOutbound checks the outbound settings of an upstream of the section at: unusable ones
// are reported at start, not by the first request.
func (l *loader) validateOutbound(at string, u *config.Upstream) {
	if _, err := u.Proxy.Parse(); err != nil {
		l.Invalid(at+".proxy", "%v", err)
	}
	config, key, err := u.ClientTLS(at)
	if err != nil {
		l.Invalid(fields.Join(at, key), "%v", err)
	}
	secure := strings.HasPrefix(u.BaseURL, "https://")
	if config != nil && !secure && !l.Faulty(at+".base_url") {
		l.Warn(at+".base_url",
			"%s is not https, so %s.ca_file, cert_file and key_file are not used",
			fields.Quote(u.BaseURL), at)
	}
	if u.H2C && secure {
		l.Invalid(at+".h2c",
			"is for upstreams without TLS; over https HTTP/2 is negotiated automatically, "+
				"remove it")
	}
	if config != nil && len(config.Certificates) > 0 {
		l.warnOfExpired(at+".cert_file", u.CertFile, config, "upstreams")
	}
}

// warnOfExpired warns about a certificate that has expired.
func (l *loader) warnOfExpired(path, file string, of *tls.Config, others string) {
	if leaf := of.Certificates[0].Leaf; leaf != nil && time.Now().After(leaf.NotAfter) {
		l.Warn(path, "%s expired on %s; %s will refuse it", file,
			leaf.NotAfter.Format(time.DateOnly), others)
	}
}
