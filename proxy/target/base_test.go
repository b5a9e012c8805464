package target

import (
	"net/url"
	"testing"
)

func TestPathsBelowTheBase(t *testing.T) {
	for base, want := range map[string]string{
		"https://u.example":          "/models",
		"https://u.example/v1":       "/v1/models",
		"https://u.example/v1//":     "/v1/models",
		"https://u.example/a%2Fb/v1": "/a%2Fb/v1/models",
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBase(u)
		if got := b.Path("/v1/models"); got != want {
			t.Errorf("%s: got %s, want %s", base, got, want)
		}
	}
}
