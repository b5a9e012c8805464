package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"strings"
	"time"

	"killick/internal/fields"
)

// ProxyURL is the address of an outbound proxy. Its password prints as xxxxx.
type ProxyURL string

func (p ProxyURL) String() string { return withoutPassword(string(p)) }

// withoutPassword returns a URL with xxxxx for its password.
func withoutPassword(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return u.Redacted()
	}
	return text
}

// Parse returns the address, nil if there is none.
func (p ProxyURL) Parse() (*url.URL, error) {
	if p == "" {
		return nil, nil
	}
	u, err := url.Parse(string(p))
	switch {
	case err != nil: // the parser's message quotes the URL, which may hold a password
		return nil, errors.New("is not a URL; write the proxy's, such as http://proxy.example:3128")
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" && u.Scheme != "socks5h":
		return nil, errors.New("must be a URL that begins with http://, https://, socks5:// or " +
			"socks5h://, such as http://proxy.example:3128")
	case u.Hostname() == "":
		return nil, errors.New("names no host; write the proxy's URL, such as " +
			"http://proxy.example:3128")
	case !validPort(u):
		return nil, errors.New("has an invalid port; write a number from 1 to 65535")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must be just a host and a port, such as http://proxy.example:3128")
	}
	return u, nil
}

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

// validateOutbound checks the outbound settings of an upstream of the section at: unusable ones
// are reported at start, not by the first request.
func (l *loader) validateOutbound(at string, u *Upstream) {
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
		if leaf := config.Certificates[0].Leaf; leaf != nil && time.Now().After(leaf.NotAfter) {
			l.Warn(at+".cert_file", "%s expired on %s; upstreams will refuse it", u.CertFile,
				leaf.NotAfter.Format(time.DateOnly))
		}
	}
}
