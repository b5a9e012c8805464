package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout bounds the whole check; container engines have a bound of
// their own.
const healthTimeout = 3 * time.Second

// newHealthcheck is for container images that hold no shell and no curl.
func newHealthcheck(env []string) *cobra.Command {
	var url string
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
				url = healthURL(s.Listen)
			}
			return checkHealth(cmd.Context(), url)
		}),
	}
	cmd.Flags().StringVar(&url, "url", "", "ask this `url` (default: /healthz where the configuration listens)")
	return cmd
}

// healthURL returns where a proxy that listens on addr is asked from the same
// machine.
func healthURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || isAnyAddress(host) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/healthz"
}

func checkHealth(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return usageError{fmt.Errorf("--url: %w", err)}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking for health: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking %s for health: status %d, want 200", url, res.StatusCode)
	}
	return nil
}
