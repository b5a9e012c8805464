// Package buildinfo says what this program was built from. It reads nothing but the
// program itself.
package buildinfo

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// stamped is the version that the linker sets, for builds without version control: -X
// killick/internal/buildinfo.stamped=v1.2.3.
var stamped string

// Info is what the build wrote into the binary.
type Info struct {
	// as it was stamped, else of the module; "(devel)" in a checkout
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"` // of the version control system
	Time     string `json:"time,omitempty"`     // of that revision
	Modified bool   `json:"modified,omitempty"` // the checkout held changes
}

// Read returns the Info of the running program.
func Read() Info {
	info, _ := debug.ReadBuildInfo()
	return infoOf(stamped, info)
}

// infoOf combines the version that the linker set with what the toolchain wrote, nil if it wrote
// nothing.
func infoOf(stamped string, info *debug.BuildInfo) Info {
	b := Info{Version: "(devel)", Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if version := cmp.Or(stamped, info.Main.Version); version != "" {
		b.Version = version
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

// Version returns the version of the running program.
func Version() string { return Read().Version }
