package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"killick/replay"
	"killick/tokenizer"
)

const replayLong = `Run recorded conversations through the compactor and measure what would have been
forwarded: tokens, input cost with the provider's prompt cache, what the agent
would have had to read again, whether the names it used were still there, and
whether every request was valid. The compactor is the one that serve runs, under
the configuration that serve would read. Nothing is sent anywhere: where a model
writes the summaries, a scripted one in this process stands in for it, and what it
is asked is part of the costs.

A FILE holds transcripts, {"id", "tools", "messages"} a line; or a log of request
bodies, one a line; or one request's body; or one array of messages. "-" is
standard input.

Costs are in input tokens, a cached one at --price of a fresh one, and are told
as a share of what the same requests cost with nothing done. Where writing to
the cache costs extra, divide: 0.1 to read and 1.25 to write is --price 0.08.`

const replayExample = `  proxy replay requests.jsonl
  proxy replay --baseline --min-tokens 60000 sessions.jsonl
  proxy replay --set compaction.trigger=24000 --set compaction.target=12000 sessions.jsonl
  proxy replay --sweep "compaction.trigger=16000,24000,32000;compaction.target=8000,12000" \
    --half even --svg frontier.svg sessions.jsonl`

// replayFlags are what the command line says.
type replayFlags struct {
	config, profile, model string
	set                    []string
	sweep, half            string
	baseline               bool
	limit, minTokens       int
	prices                 []float64
	asJSON, noColor        bool
	svg, dump              string
	workers                int
}

func newReplay(env []string) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:     "replay [flags] FILE...",
		Short:   "Measure on recorded conversations what compaction saves and what it loses",
		Long:    replayLong,
		Example: replayExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay takes files of conversations, or - for standard input; got none")
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
	f.StringVar(&flags.sweep, "sweep", "", "measure every combination of these `settings`: key=value,value;key=value,value")
	f.StringVar(&flags.half, "half", "all", "measure the `half` even or odd of the conversations, told by their ids, or all; a sweep shows the other half beside it")
	f.StringVar(&flags.model, "model", "", "replay as if this `model` had been asked for (default "+replay.DefaultModel+" where none is named)")
	f.BoolVar(&flags.baseline, "baseline", false, "measure plain strategies beside it")
	f.IntVar(&flags.limit, "baseline-limit", 32000, "the `tokens` that those fit requests to")
	f.IntVar(&flags.minTokens, "min-tokens", 0, "leave out conversations of fewer `tokens`")
	f.Float64SliceVar(&flags.prices, "price", replay.DefaultPrices, "`price` of a cached token, as a share of a fresh one's; the first one is drawn")
	f.Lookup("price").DefValue = "0.1,0.5" // as it is written on a command line
	f.BoolVar(&flags.asJSON, "json", false, "print all figures as JSON")
	f.StringVar(&flags.svg, "svg", "", "draw cost against recall into this `file`")
	f.StringVar(&flags.dump, "dump", "", "write every request as it would be forwarded into this `dir`, with the decisions")
	f.BoolVar(&flags.noColor, "no-color", false, "draw without colours, as NO_COLOR does")
	f.IntVar(&flags.workers, "workers", 0, "conversations replayed at once (default: one a processor)")
	return cmd
}

// validate reports what the flags cannot mean.
func (f *replayFlags) validate() error {
	for _, p := range f.prices {
		if !(p >= 0 && p <= 1) {
			return usageError{fmt.Errorf("--price %v: want a share from 0 to 1, such as 0.1", p)}
		}
	}
	switch {
	case f.half != "all" && f.half != "even" && f.half != "odd":
		return usageError{fmt.Errorf("--half %s: want even, odd or all", quote(f.half))}
	case f.limit < leastTokens:
		return usageError{fmt.Errorf("--baseline-limit %d: want %d tokens or more", f.limit, leastTokens)}
	case f.workers < 0:
		return usageError{fmt.Errorf("--workers %d: want 1 or more", f.workers)}
	case f.dump != "" && f.sweep != "":
		return usageError{errors.New("--dump shows what one setting forwards; leave --sweep out")}
	}
	return nil
}

// runReplay does what the command line says.
func runReplay(ctx context.Context, cmd *cobra.Command, env []string, flags replayFlags, files []string) error {
	if err := flags.validate(); err != nil {
		return err
	}
	settings, err := flags.settings(env, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	transcripts, err := openTranscripts(files, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if flags.sweep == "" {
		transcripts = halfOf(transcripts, flags.half)
	}
	for _, t := range transcripts {
		t.SetModel(flags.model)
	}
	p := newProgress(cmd.ErrOrStderr(), lookOf(cmd.ErrOrStderr(), env, flags.noColor))
	report, err := flags.measure(ctx, settings, transcripts, p)
	p.clear()
	if err != nil {
		return err
	}
	if flags.svg != "" {
		if err := os.WriteFile(flags.svg, []byte(report.svg()), 0o644); err != nil {
			return fmt.Errorf("writing the chart: %w", plainPathError(err))
		}
	}
	out := cmd.OutOrStdout()
	if flags.asJSON {
		return writeJSON(out, report)
	}
	_, err = io.WriteString(out, report.draw(lookOf(out, env, flags.noColor)))
	return err
}

// measure replays the conversations under all settings.
func (f *replayFlags) measure(ctx context.Context, settings []setting, transcripts []*replay.Transcript, p *progress) (*replayReport, error) {
	counter := tokenizer.New(tokenizer.Options{}).For(replay.DefaultModel)
	var strategies []replay.Strategy
	for _, s := range settings {
		strategies = append(strategies, replayStrategy(s.name, s.Config))
	}
	if f.baseline {
		strategies = append(strategies, replay.Baselines(counter, f.limit)...)
	}
	o := replay.Options{
		Counter: counter, MinTokens: f.minTokens, Workers: f.workers, Progress: p.showReplay,
		Prices: pricesFor(f.prices, transcripts, settings[0].Config),
	}
	if f.dump != "" {
		d, err := newDump(f.dump)
		if err != nil {
			return nil, err
		}
		o.Each = d.write
	}
	results, err := replay.Run(ctx, transcripts, strategies, o)
	if err != nil {
		return nil, err
	}
	r := &replayReport{
		Half: f.half, MinTokens: f.minTokens, Files: len(transcripts), Prices: o.Prices,
		sweep: f.sweep != "", settings: len(settings),
	}
	r.gather(strategies, results)
	if len(r.Conversations) == 0 {
		return nil, fmt.Errorf("nothing to replay: of %s, none has an answer of a model%s", plural(len(transcripts), "conversation"), r.atLeast(", "))
	}
	r.price(settings[0].Config, results)
	return r, nil
}
