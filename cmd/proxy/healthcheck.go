package main

import (
	"github.com/spf13/cobra"
)

// newHealthcheck is for container images that hold no shell and no curl.
func newHealthcheck(env []string) *cobra.Command {
	var url string
	var files TLS
	cmd := &cobra.Command{
		Use:     "healthcheck",
		Short:   "Ask a running proxy whether it is alive; exit 1 if not",
		Example: "  proxy healthcheck --url http://127.0.0.1:8080/healthz",
		Hidden:  true,
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			if url == "" {
				s, err := load(sources{file: lookup(env, envConfig), env: env})
				if err != nil {
					return err
				}
				url, files = healthURL(s.Listen, s.TLS), s.TLS
			}
			return checkHealth(cmd.Context(), url, files)
		}),
	}
	cmd.Flags().StringVar(&url, "url", "", "ask this `url` (default: /healthz where the configuration listens)")
	return cmd
}
