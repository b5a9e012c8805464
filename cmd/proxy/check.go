package main

import (
	"io"

	"github.com/spf13/cobra"

	"killick/internal/config/load"
)

const checkLong = `Check a configuration as serve would read it: the file, the KILLICK_* variables
and the defaults. If it is valid, print all settings, where each non-default
value came from, and the effect for some models. If not, print every error with
its line and what to write instead. Credentials are never shown. Neither the
ports nor the store are opened.

With --model, also print each setting of that model and where it came from. With
--log, also name the models of an access log whose prices are not known.`

const checkExample = `  killick check killick.yaml
  KILLICK_COMPACTION_TRIGGER=32000 killick check   only defaults and variables
  killick check killick.yaml --model gpt-5.1       its settings under models
  docker logs killick 2>&1 | killick check killick.yaml --log -`

func newCheck(env []string) *cobra.Command {
	var log, model string
	cmd := &cobra.Command{
		Use:     "check [flags] [FILE]",
		Short:   "Check a configuration and print the effective settings",
		Long:    checkLong,
		Example: checkExample,
		Args:    atMostOne("file"),
		RunE: running(func(cmd *cobra.Command, args []string) error {
			from := load.Sources{File: load.Lookup(env, load.EnvFile), Env: env}
			if len(args) == 1 {
				from.File = args[0]
			}
			s, err := load.Config(from)
			if err != nil {
				return err
			}
			printWarnings(cmd.ErrOrStderr(), s)
			requests, err := requestsOf(log, cmd.InOrStdin())
			if err != nil {
				return err
			}
			if err := load.Print(cmd.OutOrStdout(), s); err != nil {
				return err
			}
			if model != "" {
				if _, err := io.WriteString(cmd.OutOrStdout(), s.Explain(model)); err != nil {
					return err
				}
			}
			if log == "" {
				return nil
			}
			_, err = io.WriteString(cmd.OutOrStdout(), describeModels(requests, &s.Config))
			return err
		}),
	}
	cmd.Flags().StringVar(&log, "log", "",
		"read this `file`, or - for standard input, as an access log of killick serve")
	cmd.Flags().StringVar(&model, "model", "",
		"print the settings of the model of this `name`, and where each came from")
	return cmd
}
