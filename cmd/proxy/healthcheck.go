package main

import (
	"github.com/spf13/cobra"

	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/health"
)

// newHealthcheck is for container images without a shell and curl.
func newHealthcheck(env []string) *cobra.Command {
	var url string
	var files config.TLS
	cmd := &cobra.Command{
		Use:     "healthcheck",
		Short:   "Check that a running proxy is alive; exit 1 if not",
		Example: "  killick healthcheck --url http://127.0.0.1:8080/healthz",
		Hidden:  true,
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			if url == "" {
				file := load.Lookup(env, load.EnvFile)
				s, err := load.Config(load.Sources{File: file, Env: env})
				if err != nil {
					return err
				}
				url, files = health.URL(s.Listen, s.TLS), s.TLS
			}
			return health.Check(cmd.Context(), url, files)
		}),
	}
	cmd.Flags().StringVar(&url, "url", "",
		"ask this `url` (default: /healthz where the configuration listens)")
	return cmd
}
