package config

import (
	"testing"
)

func TestSoundHTTP2(t *testing.T) {
	for toolchain, want := range map[string]bool{
		"go1.26.8": false, "go1.26.9": true, "go1.27rc1": true, "go1.27": true,
		"devel go1.28-abc": true, "go1.26.8 X:none": false, "unknown": false,
	} {
		if got := HTTP2Sound(toolchain); got != want {
			t.Errorf("%s: %v, want %v", toolchain, got, want)
		}
	}
}
