package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
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
	case !ValidPort(u):
		return nil, errors.New("has an invalid port; write a number from 1 to 65535")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must be just a host and a port, such as http://proxy.example:3128")
	}
	return u, nil
}

// StoreURL is the address of a store that replicas share. Its password prints as xxxxx.
type StoreURL string

func (u StoreURL) String() string { return withoutPassword(string(u)) }

// ValidPort reports whether a port in a URL can be connected to.
func ValidPort(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n > 0
}

// IsLoopback reports whether a host is this machine alone.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// IsAnyAddress reports whether a listener on that host accepts connections on all
// addresses of the machine.
func IsAnyAddress(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
