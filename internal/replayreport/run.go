// Package replayreport replays recorded conversations under one configuration or many and presents
// the results: tables, charts, a dump of what would be forwarded. It sends nothing over a network.
package replayreport

import (
	"context"
	"errors"
	"fmt"

	"killick/internal/config"
	"killick/internal/fields"
	"killick/internal/terminal"
	"killick/internal/usage"
	"killick/replay"
	"killick/replay/billing"
	"killick/tokenizer"
)

// validate returns an error for options that are invalid or cannot be combined, with their flags.
func (o *Options) validate() error {
	switch {
	case o.Half != "all" && o.Half != "even" && o.Half != "odd":
		return usage.Error{
			Err: fmt.Errorf("--half %s: want even, odd or all", fields.Quote(o.Half))}
	case o.Limit < config.MinTokens:
		return usage.Error{Err: fmt.Errorf("--baseline-limit %d: want %d tokens or more", o.Limit,
			config.MinTokens)}
	case o.Preamble < 0 || o.Preamble > replay.MaxPreamble:
		return usage.Error{Err: fmt.Errorf("--preamble %d: want 0 to %d tokens", o.Preamble,
			replay.MaxPreamble)}
	case o.Workers < 0:
		return usage.Error{Err: fmt.Errorf("--workers %d: want 1 or more, or 0 for one "+
			"per processor", o.Workers)}
	case o.MinTokens < 0:
		return usage.Error{Err: fmt.Errorf("--min-tokens %d: want 0 or more", o.MinTokens)}
	case o.Dump != "" && o.Sweep != "":
		return usage.Error{Err: errors.New("--dump shows what one setting forwards; remove " +
			"--sweep")}
	case o.Explain && o.Sweep != "":
		return usage.Error{Err: errors.New("--explain shows what one setting decides; remove " +
			"--sweep")}
	}
	return nil
}

// Run replays the conversations under all settings. warn is called with settings that are valid but
// probably a mistake. p shows the progress.
func Run(ctx context.Context, o Options, warn func(string), p *terminal.Progress) (*Report, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	settings, err := o.settings(warn)
	if err != nil {
		return nil, err
	}
	if _, err := o.profiles(); err != nil {
		return nil, err // before files are read, which takes long
	}
	recorded, err := o.readUsages()
	if err != nil {
		return nil, err
	}
	transcripts, err := openTranscripts(o.Files, o.Stdin, warn)
	if err != nil {
		return nil, err
	}
	if o.Sweep == "" {
		transcripts = halfOf(transcripts, o.Half)
	}
	transcripts = o.useSessions(transcripts, warn)
	if err := o.attachUsage(transcripts, recorded, warn); err != nil {
		return nil, err
	}
	if err := o.validateCharts(transcripts); err != nil {
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
	profiles, err := o.profiles()
	if err != nil {
		return nil, err
	}
	strategies := o.strategies(settings, profiles)
	if o.Baseline {
		strategies = append(strategies, replay.Baselines(counter, o.Limit)...)
	}
	run := replay.Options{
		Profiles: profiles,
		Counter:  counter, MinTokens: o.MinTokens, Workers: o.Workers,
		ModelProfile: profileOf(settings[0].Config),
		Progress: func(done replay.Progress) {
			p.Show(done.Done >= done.Of,
				func(l terminal.Look) string { return drawProgress(done, l) })
		},
	}
	decisions := newExplained(1)
	if o.plansByProfile() {
		decisions = newExplained(len(profiles))
	}
	if run.Each, err = o.each(decisions); err != nil {
		return nil, err
	}
	results, err := replay.Run(ctx, transcripts, strategies, run)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Half: o.Half, MinTokens: o.MinTokens, Files: len(transcripts), Profiles: profiles,
		sweep: o.Sweep != "", settings: len(settings), planned: o.plansByProfile(),
	}
	r.gather(strategies, results)
	if err := r.nothingToMeasure(); err != nil {
		return nil, err
	}
	r.price(settings[0].Config)
	if o.Explain {
		r.Decisions = decisions.list(transcripts, r.planned, profiles)
	}
	return r, nil
}

// strategies returns the strategies to measure: one for each setting, or one for each setting and
// profile.
func (o *Options) strategies(
	settings []setting, profiles []billing.Profile,
) (all []replay.Strategy) {
	for _, s := range settings {
		if !o.plansByProfile() {
			all = append(all, Strategy(s.name, s.Config))
			continue
		}
		for _, p := range profiles {
			all = append(all, strategyAt(s.name, s.Config, p))
		}
	}
	return all
}

// each returns the function to call with every forwarded request, nil if there is nothing to do.
func (o *Options) each(
	decisions *explained,
) (func(t *replay.Transcript, strategy, at int, f replay.Forwarded) error, error) {
	if o.Dump == "" && !o.Explain {
		return nil, nil
	}
	write := func(*replay.Transcript, int, int, replay.Forwarded) error { return nil }
	if o.Dump != "" {
		d, err := newDump(o.Dump)
		if err != nil {
			return nil, err
		}
		write = d.write
	}
	return func(t *replay.Transcript, strategy, at int, f replay.Forwarded) error {
		if o.Explain {
			decisions.note(t, strategy, at, f)
		}
		return write(t, strategy, at, f)
	}, nil
}
