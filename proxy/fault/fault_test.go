package fault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"killick/proxy/body"
)

func TestOfConnection(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		err    error
		status int
		kind   string
	}{
		"no such name": {&net.DNSError{Err: "no such host", Name: "x"}, 502, "upstream_dns"},
		"slow DNS":     {&net.DNSError{IsTimeout: true}, 504, "upstream_connect_timeout"},
		"not TLS":      {tls.RecordHeaderError{}, 502, "upstream_tls"},
		"refused":      {refused, 502, "upstream_refused"},
		"unreachable": {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, 502,
			"upstream_unreachable"},
		"no descriptor left": {&net.OpError{Op: "dial",
			Err: os.NewSyscallError("socket", syscall.EMFILE)}, 503, "file_limit"},
		"no descriptor for a proxy": {&net.OpError{Op: "proxyconnect", Err: &net.OpError{
			Op: "dial", Err: os.NewSyscallError("socket", syscall.ENFILE)}}, 503, "file_limit"},
		"no proxy": {&net.OpError{Op: "proxyconnect", Err: refused}, 502, "upstream_proxy"},
		"refused by a SOCKS proxy": {&net.OpError{Op: "socks connect", Err: errors.New("no")}, 502,
			"upstream_proxy"},
		"a slow proxy": {&net.OpError{Op: "proxyconnect", Err: context.DeadlineExceeded}, 504,
			"upstream_connect_timeout"},
		"timed out":     {context.DeadlineExceeded, 504, "upstream_connect_timeout"},
		"anything else": {errors.New("EOF"), 502, "upstream_reset"},
		"an unknown CA": {&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, 502,
			"upstream_tls"},
		"within another": {fmt.Errorf("sending: %w", refused), 502, "upstream_refused"},
	} {
		f := OfConnection(c.err)
		upstream := c.kind != "file_limit"
		if f.Status != c.status || f.Kind != c.kind || f.Upstream != upstream || f.Message == "" ||
			!errors.Is(f.Cause, c.err) {
			t.Errorf("%s: %+v, want %d and %s", name, f, c.status, c.kind)
		}
	}
}

func TestAlertOfTheUpstream(t *testing.T) {
	near, far := net.Pipe()
	go func() {
		_ = tls.Server(far, &tls.Config{MaxVersion: tls.VersionTLS11}).Handshake()
		far.Close()
	}()
	err := tls.Client(near, &tls.Config{ServerName: "x"}).Handshake()
	near.Close()
	if f := OfConnection(err); f.Kind != "upstream_tls" {
		t.Errorf("%v: got %s", err, f.Kind)
	}
}

func TestOfLimit(t *testing.T) {
	if f := OfLimit(errors.New("cut off"), 10); f != nil {
		t.Errorf("an error of the network: %+v", f)
	}
	f := OfLimit(fmt.Errorf("reading: %w", body.ErrTooLarge), 4096)
	if f == nil || f.Status != http.StatusRequestEntityTooLarge ||
		!strings.Contains(f.Message, "4096 bytes") {
		t.Errorf("over the limit: %+v", f)
	}
	if f = OfLimit(body.ErrOverBudget, 1); f == nil || f.Retry == 0 {
		t.Errorf("over the memory for bodies: %+v", f)
	}
}

// A client gets the message, and never the cause.
func TestWrite(t *testing.T) {
	w := httptest.NewRecorder()
	f := Fault{Status: http.StatusServiceUnavailable, Kind: "overloaded", Message: "Try again.",
		Retry: 2, Cause: errors.New("10.0.0.7:6379 is full")}
	f.Write(w)
	want := `{"error":{"message":"Try again.","type":"server_error","param":null,` +
		`"code":"overloaded"}}`
	if got := w.Body.String(); w.Code != 503 || got != want ||
		w.Header().Get("Retry-After") != "2" {
		t.Errorf("status %d, %v: %s", w.Code, w.Header(), got)
	}
	for cause, want := range map[string]string{
		"10.0.0.7 is full":                 "10.0.0.7 is full",
		`malformed HTTP response "secret"`: "malformed message",
		`parsing "secret": bad`:            "parsing ",
	} {
		if got := CauseText(errors.New(cause)); got != want {
			t.Errorf("the log gets %q of %q", got, cause)
		}
	}
}
