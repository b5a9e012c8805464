package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildInfo is what the Go toolchain wrote into the binary.
type buildInfo struct {
	Version  string `json:"version"` // of the module; "(devel)" in a checkout
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"` // of the version control system
	Time     string `json:"time,omitempty"`     // of that revision
	Modified bool   `json:"modified,omitempty"` // the checkout held changes
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the Go toolchain and the revision",
		Example: "  proxy version\n  proxy version --json",
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			info := readBuildInfo(debug.ReadBuildInfo())
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), info)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), info)
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func readBuildInfo(info *debug.BuildInfo, ok bool) buildInfo {
	b := buildInfo{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (b buildInfo) String() string {
	s := fmt.Sprintf("killick %s, %s, %s", b.Version, b.Go, b.Platform)
	if b.Revision != "" {
		s += ", revision " + b.Revision
	}
	if b.Modified {
		s += " with changes"
	}
	return s
}

// version returns what the proxy says it is.
func version() string { return readBuildInfo(debug.ReadBuildInfo()).Version }

// writeJSON prints one value for a program to read.
func writeJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
