package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	offline "killick/replay"
	"killick/tokenizer"
)

const replayLong = `Run recorded conversations through the compactor, offline, and measure what would
have been forwarded: tokens, input cost with the provider's prompt cache, what the
agent would have had to read again, whether the names it used were still there,
and whether every request was valid. The compactor is the one that serve runs.
Nothing is sent anywhere.

A FILE holds transcripts, {"id", "tools", "messages"} a line; or a log of request
bodies, one a line; or one request's body; or one array of messages. "-" is
standard input.`

const replayExample = `  proxy replay requests.jsonl
  proxy replay --baseline --min-tokens 60000 sessions.jsonl
  proxy replay --set compaction.trigger=24000 --set compaction.target=12000 sessions.jsonl
  proxy replay --sweep "compaction.trigger=16000,24000,32000;compaction.target=8000,12000" \
    --half even --svg frontier.svg sessions.jsonl`

// replayFlags are what the command line says.
type replayFlags struct {
	config, profile, model string
	set                    []string
	sweep                  string
	baseline               bool
	limit                  int
	minTokens              int
	half                   string
	prices                 []float64
	asJSON, noColor        bool
	svg, dump              string
	workers                int
}

func newReplay(env []string) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:     "replay [flags] FILE...",
		Short:   "Measure on recorded conversations what compaction saves and loses",
		Long:    replayLong,
		Example: replayExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay takes the files of conversations, or - for standard input; got none")
			}
			return nil
		},
		RunE: running(func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			err := runReplay(ctx, cmd, env, flags, args)
			if err != nil && ctx.Err() != nil {
				return errors.New("stopped")
			}
			return err
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&flags.config, "config", "c", "", "read this `file` (default: the one that "+envConfig+" names)")
	f.StringVar(&flags.profile, "profile", "", "`profile`: guard, balanced or saver")
	f.StringArrayVar(&flags.set, "set", nil, "set a `key=value` of the configuration; may be given again")
	f.StringVar(&flags.model, "model", "", "replay as if this `model` had been asked for (default "+offline.DefaultModel+" where none is named)")
	f.BoolVar(&flags.baseline, "baseline", false, "measure plain strategies beside it")
	f.IntVar(&flags.limit, "baseline-limit", 32000, "the `tokens` that those fit requests to")
	f.IntVar(&flags.minTokens, "min-tokens", 0, "leave out conversations of fewer `tokens`")
	f.StringVar(&flags.half, "half", "all", "replay the `half` even or odd of the conversations, told by their ids; or all")
	f.Float64SliceVar(&flags.prices, "price", offline.DefaultPrices, "`price` of a cached token, as a share of a fresh one's; the first decides")
	f.BoolVar(&flags.asJSON, "json", false, "print all figures as JSON")
	f.BoolVar(&flags.noColor, "no-color", false, "draw without colours, as NO_COLOR does")
	f.StringVar(&flags.dump, "dump", "", "write every request as it would be forwarded into this `dir`")
	f.IntVar(&flags.workers, "workers", 0, "conversations replayed at once (default: one a processor)")
	return cmd
}

// config returns the configuration with settings of the command line, and more
// of them, on top.
func (f *replayFlags) load(env []string, more []flagValue) (*settings, error) {
	from := sources{file: lookup(env, envConfig), env: env}
	if f.config != "" {
		from.file = f.config
	}
	if f.profile != "" {
		from.flags = append(from.flags, flagValue{name: "--profile", path: "compaction.profile", value: f.profile})
	}
	for _, pair := range f.set {
		v, err := assignment("--set", pair)
		if err != nil {
			return nil, err
		}
		from.flags = append(from.flags, v)
	}
	from.flags = append(from.flags, more...)
	return load(from)
}

// runReplay does what the command line says.
func runReplay(ctx context.Context, cmd *cobra.Command, env []string, flags replayFlags, files []string) error {
	strategies, err := flags.strategies(env, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	transcripts, err := openTranscripts(files, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if transcripts, err = chosenHalf(transcripts, flags.half); err != nil {
		return err
	}
	for _, t := range transcripts {
		t.SetModel(flags.model)
	}
	counter := tokenizer.New(tokenizer.Options{}).For(offline.DefaultModel)
	if flags.baseline {
		strategies = append(strategies, offline.Baselines(counter, flags.limit)...)
	}
	o := offline.Options{Counter: counter, Prices: flags.prices, MinTokens: flags.minTokens, Workers: flags.workers}
	results, err := offline.Run(ctx, transcripts, strategies, o)
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return fmt.Errorf("none of %s has an answer of a model and %d tokens or more: nothing to replay", plural(len(transcripts), "conversation"), flags.minTokens)
	}
	report := newReplayReport(strategies, results)
	if flags.asJSON {
		return writeJSON(cmd.OutOrStdout(), report)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), report.draw())
	return err
}
