package main

import (
	"errors"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"killick/internal/demo"
	"killick/internal/terminal"
)

const demoLong = `Watch the proxy at work. A made-up agent session is replayed turn by turn: each
request goes once directly to a scripted upstream, and once through the proxy.
The proxy is set up as by serve, but with its store in memory. Then the two
bills are compared.

No key and no network are needed, and nothing is written to disk. The scripted
upstream is not a model: it counts tokens, keeps a prompt cache and rejects what
OpenAI rejects.`

const demoExample = `  killick demo
  killick demo --trigger 12000 --target 6000      compact earlier and further
  killick demo --json | jq .after`

func newDemo(env []string) *cobra.Command {
	var (
		trigger, target string
		asJSON, noColor bool
	)
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Try it: no key, no network",
		Long:    demoLong,
		Example: demoExample,
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			c, err := demo.Config(trigger, target)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			out, progress := cmd.OutOrStdout(), cmd.ErrOrStderr()
			look := terminal.LookOf(out, getenv(env), noColor)
			p := terminal.NewProgress(progress, terminal.LookOf(progress, getenv(env), noColor))
			report, err := demo.Run(ctx, c, p, progress)
			if err != nil && ctx.Err() != nil {
				return errors.New("stopped")
			}
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(out, report)
			}
			_, err = io.WriteString(out, report.Draw(look))
			return err
		}),
	}
	cmd.Flags().StringVar(&trigger, "trigger", demo.DefaultTrigger,
		"compact requests over this `amount`: tokens, or a share of the window")
	cmd.Flags().StringVar(&target, "target", demo.DefaultTarget,
		"compact to this `amount`, in the same units")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.Flags().BoolVar(&noColor, "no-color", false, "draw without colours, as NO_COLOR does")
	return cmd
}
