package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"killick/internal/buildinfo"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the Go toolchain and the revision",
		Example: "  killick version\n  killick version --json",
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			info := buildinfo.Read()
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
