package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"killick/internal/config/load"
	"killick/internal/patherror"
	"killick/internal/replayreport"
	"killick/internal/terminal"
	"killick/replay"
)

const replayLong = "" +
	`Run recorded conversations through the compactor and measure what would have
been forwarded: tokens, input cost with the provider's prompt cache, what the
agent would have to read again, how many of the names it used were kept, and
whether every request was valid. The compactor and its configuration are those
of serve. The command runs offline: if the configuration has a model write
summaries, a scripted model replaces it, and its calls are part of the cost.

A FILE holds one of: transcripts, {"id", "tools", "messages"}, one per line;
request bodies, one per line; a single request body; an array of messages; a
session that Claude Code or Codex keeps on disk. The last is billed with the
times and the token counts that it holds, and a warning says what could not be
read. "-" is standard input. Requests in other formats are replayed as chat
completions, without their reasoning: compaction decides the same in every
format.

Tokens and cost are printed as savings relative to the same requests without
compaction. Cost is the bill of the input at the first of --prices, with cache
writes, and with cache lifetimes if usage was recorded. A table shows the cost
at the other prices.`

const replayExample = `  killick replay ~/.claude/projects/-home-me-app/*.jsonl
  killick replay $(find ~/.codex/sessions -name 'rollout-*.jsonl')
  killick replay requests.jsonl
  killick replay --baseline --min-tokens 60000 sessions.jsonl
  killick replay --explain --profile auto --prices p=.05,w=1.25 requests.jsonl
  killick replay --set compaction.trigger=24000 \
    --set compaction.target=12000 sessions.jsonl
  killick replay --half even --svg frontier.svg --sweep \
    "compaction.trigger=16000,32000;compaction.target=8000,12000" sessions.jsonl`

// replayFlags are the flags of replay.
type replayFlags struct {
	replayreport.Options
	asJSON, noColor bool
	svg, usageSVG   string
	editsSVG        string
	shares          []string // of --price, the flag's former name: p in --prices
}

func newReplay(env []string) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:     "replay [flags] FILE...",
		Short:   "Measure on recorded conversations what compaction saves and loses",
		Long:    replayLong,
		Example: replayExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay takes files with conversations, or - for standard " +
					"input; got none")
			}
			return nil
		},
		RunE: running(func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			flags.Files, flags.Stdin, flags.Env = args, cmd.InOrStdin(), env
			for _, share := range flags.shares {
				prices := "p=" + share
				printWarning(cmd.ErrOrStderr(),
					"--price "+share+": is now called --prices "+prices)
				flags.Profiles = append(flags.Profiles, prices)
			}
			err := runReplay(ctx, cmd, env, flags)
			if err != nil && ctx.Err() != nil {
				return errors.New("stopped")
			}
			return err
		}),
	}
	flags.register(cmd.Flags())
	cmd.Flags().SetNormalizeFunc(currentName)
	return cmd
}

// register adds the flags of replay to f.
func (flags *replayFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&flags.Config, "config", "c", "",
		"read this `file` (default: the one that "+load.EnvFile+" names)")
	f.StringVar(&flags.Profile, "profile", "",
		"compact by this `profile`: auto, guard, balanced or saver")
	f.StringArrayVar(&flags.Set, "set", nil,
		"set a key of the configuration: `key=value`; may be repeated")
	f.StringVar(&flags.Sweep, "sweep", "",
		"measure every combination of these `settings`: key=value,value;key=value,value")
	f.StringVar(&flags.Half, "half", "all",
		"measure one `half` of the conversations, even or odd by their ids, or all; a "+
			"sweep shows the other half beside it")
	f.StringVar(&flags.Model, "model", "",
		"replay as if this `model` had been requested (default "+replay.DefaultModel+
			" if none is named)")
	f.StringArrayVar(&flags.Usage, "usage", nil,
		"replay with the times and token counts recorded in this `file` of usage; may be "+
			"repeated")
	f.StringArrayVar(&flags.Profiles, "prices", nil,
		"plan and bill at these `prices`, such as p=.05,w=1.25,ttl=5m; also out=5, match=prefix, "+
			"min=1024, cliff=200000x2, name=mine; may be repeated (default: those of seven "+
			"current models, with a separate replay for each if usage is given; without usage, "+
			"plans use the models' own prices)")
	f.IntVar(&flags.Preamble, "preamble", 0,
		"add this many `tokens` of tools and instructions to conversations without usage")
	f.BoolVar(&flags.Baseline, "baseline", false, "also measure simple strategies")
	f.IntVar(&flags.Limit, "baseline-limit", 32000,
		"have the simple strategies fit requests to this many `tokens`")
	f.IntVar(&flags.MinTokens, "min-tokens", 0, "skip conversations of fewer `tokens` than this")
	f.StringSliceVar(&flags.shares, "price", nil, "")
	f.Lookup("price").Hidden = true
	f.BoolVar(&flags.asJSON, "json", false, "print all figures as JSON")
	f.StringVar(&flags.svg, "svg", "",
		"plot the savings against old references kept, into this `file`")
	f.StringVar(&flags.editsSVG, "edits-svg", "",
		"plot the captured share of what could be saved against edits that re-read, for each "+
			"profile, into this `file`")
	f.StringVar(&flags.usageSVG, "usage-svg", "",
		"plot the simulated bill without compaction against the recorded one, for each "+
			"conversation, into this `file`")
	f.StringVar(&flags.Dump, "dump", "",
		"write every request as it would be forwarded, and the decisions, into this `dir`")
	f.BoolVar(&flags.Explain, "explain", false,
		"print each decision with its inputs: prices, the time since the last request, and the "+
			"cost of each choice")
	f.BoolVar(&flags.noColor, "no-color", false, "draw without colours, as NO_COLOR does")
	f.IntVar(&flags.Workers, "workers", 0,
		"replay this `number` of conversations at once; 0: one per processor")
}

// currentName accepts the name that a flag had in an earlier version.
func currentName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "standing" {
		name = "preamble"
	}
	return pflag.NormalizedName(name)
}

// mayWrite reports an error if the folder of a file is absent, or the file itself is a folder.
func mayWrite(file string) error {
	if info, err := os.Stat(file); file != "" && err == nil && info.IsDir() {
		return errors.New(file + ": is a directory")
	}
	_, err := os.Stat(filepath.Dir(file))
	return patherror.Plain(err)
}

// runReplay runs the replay.
func runReplay(ctx context.Context, cmd *cobra.Command, env []string, flags replayFlags) error {
	flags.UsageChart, flags.EditsChart = flags.usageSVG != "", flags.editsSVG != ""
	for _, file := range []string{flags.svg, flags.editsSVG, flags.usageSVG} {
		if err := mayWrite(file); err != nil { // a replay may take minutes
			return fmt.Errorf("writing the chart: %w", err)
		}
	}
	warnings := cmd.ErrOrStderr()
	p := terminal.NewProgress(warnings, terminal.LookOf(warnings, getenv(env), flags.noColor))
	report, err := replayreport.Run(ctx, flags.Options,
		func(warning string) { printWarning(warnings, warning) }, p)
	if err != nil {
		return err
	}
	for file, draw := range map[string]func() string{flags.svg: report.Svg,
		flags.editsSVG: report.EditsSvg, flags.usageSVG: report.UsageSvg} {
		if file == "" {
			continue
		}
		if err := os.WriteFile(file, []byte(draw()), 0o644); err != nil {
			return fmt.Errorf("writing the chart: %w", patherror.Plain(err))
		}
	}
	out := cmd.OutOrStdout()
	if flags.asJSON {
		return writeJSON(out, report)
	}
	l := terminal.LookOf(out, getenv(env), flags.noColor)
	_, err = io.WriteString(out, report.DrawDecisions(l)+report.Draw(l))
	return err
}
