// Package buildinfo says what this program was built from.
package buildinfo

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Info is what the Go toolchain wrote into the binary.
type Info struct {
	Version  string `json:"version"` // of the module; "(devel)" in a checkout
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"` // of the version control system
	Time     string `json:"time,omitempty"`     // of that revision
	Modified bool   `json:"modified,omitempty"` // the checkout held changes
}

// Read returns what was written into this one.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	b := Info{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b Info) String() string {
	s := fmt.Sprintf("killick %s, %s, %s", b.Version, b.Go, b.Platform)
	if b.Revision != "" {
		s += ", revision " + b.Revision
	}
	if b.Modified {
		s += " with changes"
	}
	return s
}

// Version returns what the proxy says it is.
func Version() string { return Read().Version }
