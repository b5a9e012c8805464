// Package replayreport replays recorded conversations under one configuration or many
// and draws what came of it: tables, a chart, a dump of what would be forwarded. It
// sends nothing anywhere.
package replayreport

import (
	"context"
	"errors"
	"fmt"
	"io"

	"killick/internal/config"
	"killick/internal/terminal"
	"killick/internal/usage"
	"killick/replay"
	"killick/tokenizer"
)

// Options say what is replayed, under which settings, and what is measured.
type Options struct {
	Files []string  // of conversations; "-" is Stdin
	Stdin io.Reader //
	Env   []string  // as os.Environ gives it

	Config    string    // the file; if empty, the one that the environment names
	Profile   string    // if empty, the configuration's
	Set       []string  // key=value, laid over the configuration
	Sweep     string    // key=value,value;key=value,value: every combination is measured
	Half      string    // of the conversations: even, odd or all
	Model     string    // replayed as if it had been asked for; if empty, the conversations' own
	Usage     []string  // files of recorded usage
	Profiles  []string  // of prices, as replay.ParseProfile reads them
	Standing  int       // tokens of tools and instructions where no usage is recorded
	Baseline  bool      // measure plain strategies too
	Limit     int       // that those fit requests to, in tokens
	MinTokens int       // of a conversation; shorter ones are left out
	Prices    []float64 // of a cached token, as shares of a fresh one's
	Dump      string    // the folder for what is forwarded; if empty, it is not written
	Workers   int       // conversations replayed at once; if zero, one a processor
}

// validate reports what the options cannot mean, by their flags.
func (o *Options) validate() error {
	for _, p := range o.Prices {
		if !(p >= 0 && p <= 1) {
			return usage.Error{
				Err: fmt.Errorf("--price %v: want a share from 0 to 1, such as 0.1", p)}
		}
	}
	switch {
	case o.Half != "all" && o.Half != "even" && o.Half != "odd":
		return usage.Error{
			Err: fmt.Errorf("--half %s: want even, odd or all", config.Quote(o.Half))}
	case o.Limit < config.LeastTokens:
		return usage.Error{Err: fmt.Errorf("--baseline-limit %d: want %d tokens or more", o.Limit,
			config.LeastTokens)}
	case o.Standing < 0:
		return usage.Error{Err: fmt.Errorf("--standing %d: want 0 tokens or more", o.Standing)}
	case o.Workers < 0:
		return usage.Error{Err: fmt.Errorf("--workers %d: want 1 or more", o.Workers)}
	case o.Dump != "" && o.Sweep != "":
		return usage.Error{Err: errors.New("--dump shows what one setting forwards; leave " +
			"--sweep out")}
	}
	return nil
}

// Run replays the conversations under all settings. warn is called with what
// works but is hardly meant; p shows how far it is.
func Run(ctx context.Context, o Options, warn func(string), p *terminal.Progress) (*Report, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	settings, err := o.settings(warn)
	if err != nil {
		return nil, err
	}
	transcripts, err := openTranscripts(o.Files, o.Stdin)
	if err != nil {
		return nil, err
	}
	if o.Sweep == "" {
		transcripts = halfOf(transcripts, o.Half)
	}
	for _, t := range transcripts {
		t.Standing = o.Standing
	}
	if err := o.attachUsage(transcripts, warn); err != nil {
		return nil, err
	}
	for _, t := range transcripts {
		t.SetModel(o.modelOf(t))
	}
	defer p.Clear()
	return o.measure(ctx, settings, transcripts, p)
}

// measure replays the conversations under each of the settings.
func (o *Options) measure(
	ctx context.Context, settings []setting, transcripts []*replay.Transcript, p *terminal.Progress,
) (*Report, error) {
	counter := tokenizer.New(tokenizer.Options{}).For(replay.DefaultModel)
	var strategies []replay.Strategy
	for _, s := range settings {
		strategies = append(strategies, Strategy(s.name, s.Config))
	}
	if o.Baseline {
		strategies = append(strategies, replay.Baselines(counter, o.Limit)...)
	}
	profiles, err := o.profiles()
	if err != nil {
		return nil, err
	}
	run := replay.Options{
		Profiles: profiles,
		Counter:  counter, MinTokens: o.MinTokens, Workers: o.Workers,
		Prices: pricesFor(o.Prices, transcripts, settings[0].Config),
		Progress: func(done replay.Progress) {
			p.Show(done.Done >= done.Of,
				func(l terminal.Look) string { return drawProgress(done, l) })
		},
	}
	if o.Dump != "" {
		d, err := newDump(o.Dump)
		if err != nil {
			return nil, err
		}
		run.Each = d.write
	}
	results, err := replay.Run(ctx, transcripts, strategies, run)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Half: o.Half, MinTokens: o.MinTokens, Files: len(transcripts), Prices: run.Prices,
		Profiles: profiles,
		sweep:    o.Sweep != "", settings: len(settings),
	}
	r.gather(strategies, results)
	if len(r.Conversations) == 0 {
		return nil, fmt.Errorf("nothing to replay: of %s, none has an answer of a model%s",
			terminal.Plural(len(transcripts), "conversation"), r.atLeast(", "))
	}
	r.price(settings[0].Config, results)
	return r, nil
}
