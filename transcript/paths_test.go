package transcript

import "testing"

func TestSamePath(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"src/a.go", "/home/me/src/a.go"}: true,
		{"./src/a.go", "src/a.go"}:        true,
		{"a.go", "src/a.go"}:              true,
		{"ba.go", "a.go"}:                 false,
		{"src/a.go", "lib/a.go"}:          false,
		{"", "a.go"}:                      false,
		{`src\a.go`, `C:\me\src\a.go`}:    true,
		{"a.go", `C:\me\src\ba.go`}:       false,
	} {
		if got := SamePath(pair[0], pair[1]); got != want || SamePath(pair[1], pair[0]) != want {
			t.Errorf("%q: %t, want %t", pair, got, want)
		}
	}
}
