package health

import (
	"testing"

	"killick/internal/config"
)

func TestHealthURL(t *testing.T) {
	for addr, want := range map[string]string{
		":8080": "http://127.0.0.1:8080/healthz", "0.0.0.0:80": "http://127.0.0.1:80/healthz",
		"[::]:80":     "http://127.0.0.1:80/healthz",
		"10.0.0.1:80": "http://10.0.0.1:80/healthz", "[::1]:80": "http://[::1]:80/healthz",
		"localhost:80": "http://localhost:80/healthz",
	} {
		if got := URL(addr, config.TLS{}); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
