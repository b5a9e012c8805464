package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// A client whose base URL should have ended before /v1 gets the upstream's 404, and the log says
// why.
func TestLogSaysThatAPathHasItsVersionTwice(t *testing.T) {
	missing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Not Found", http.StatusNotFound)
	})
	for path, want := range map[string]bool{
		"/v1/v1/messages":      true,
		"/v1/v1/models":        true,
		"/v1/messages":         false,
		"/v1/models/v1/v1":     false,
		"/v1/v1beta/something": false,
	} {
		r := newRig(t, missing)
		a := r.do(r.request("POST", path, strings.NewReader(`{"messages":[]}`)))
		if a.StatusCode != http.StatusNotFound || string(a.body) != "Not Found\n" {
			t.Errorf("%s: %d %q, want the upstream's reply", path, a.StatusCode, a.body)
		}
		line := r.logLine(0)
		if strings.Contains(line, `"hint":`) != want || strings.Contains(line, "WARN") != want {
			t.Errorf("%s: log: %s", path, line)
		}
	}
}
