package fields

import "testing"

func TestDurationHints(t *testing.T) {
	for text, want := range map[string]string{
		"30": "; for seconds write 30s", "30 seconds": "; write 30s", "5 min": "; write 5m",
		"7d": "; write 168h", "2 Weeks": "; write 336h", "1 hour": "; write 1h",
		"10 parsecs": "", "two minutes": "", "": "", "-1": "",
	} {
		if got := DurationHint(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
