package fault

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"
)

// OfConnection returns why an upstream gave no reply at all.
func OfConnection(err error) *Fault {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return &Fault{Status: http.StatusServiceUnavailable, Kind: "file_limit", Retry: 2,
			Message: "Killick cannot open another connection: it has reached its limit of open " +
				"files. Try again in a moment, or raise the limit (ulimit -n, LimitNOFILE).",
			Cause: err}
	}
	status, kind, message := connection(err)
	return &Fault{Status: status, Kind: kind, Message: message, Cause: err, Upstream: true}
}

func connection(err error) (status int, kind, message string) {
	var (
		dns     *net.DNSError
		op      *net.OpError
		timeout net.Error
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
	)
	timedOut := errors.As(err, &timeout) && timeout.Timeout()
	switch {
	case errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect") && !timedOut:
		return http.StatusBadGateway, "upstream_proxy",
			"The outbound proxy did not connect to the upstream. Check the setting proxy of the " +
				"upstream, or HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment of Killick."
	case errors.As(err, &dns) && !timedOut:
		return http.StatusBadGateway, "upstream_dns",
			"The name of the upstream cannot be resolved. Check upstream.base_url and DNS."
	case errors.As(err, &record):
		return http.StatusBadGateway, "upstream_tls",
			"The upstream does not answer in TLS. If it speaks HTTP without it, " +
				"write http:// in upstream.base_url; otherwise check the port there."
	case errors.As(err, &cert),
		errors.As(err, &op) && op.Op == "remote error": // crypto/tls got an alert
		return http.StatusBadGateway, "upstream_tls",
			"No secure connection to the upstream: its certificate or TLS handshake failed. " +
				"Check upstream.base_url and the configured certificates."
	case timedOut:
		return http.StatusGatewayTimeout, "upstream_connect_timeout",
			"The upstream could not be reached in time. " +
				"Check upstream.base_url and the network, then try again."
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "upstream_refused",
			"The upstream refused the connection. " +
				"Check that it is running and that upstream.base_url is correct, then try again."
	case errors.As(err, &op) && op.Op == "dial":
		return http.StatusBadGateway, "upstream_unreachable",
			"The upstream cannot be reached. " +
				"Check upstream.base_url and the network, then try again."
	}
	return http.StatusBadGateway, "upstream_reset",
		"The upstream closed the connection without a reply in HTTP. Try again. " +
			"If it always does, check upstream.base_url."
}
