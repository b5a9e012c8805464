package replayreport

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"killick/internal/fields"
	"killick/internal/patherror"
	"killick/internal/terminal"
	"killick/internal/usage"
	"killick/replay"
	"killick/replay/billing"
	"killick/tokenizer"
)

// readUsages reads the files of recorded usage.
func (o *Options) readUsages() (all []*replay.Usage, err error) {
	for _, name := range o.Usage {
		read, err := readUsage(name)
		if err != nil {
			return nil, err
		}
		all = append(all, read...)
	}
	return all, nil
}

// attachUsage gives each conversation its recorded usage.
func (o *Options) attachUsage(
	transcripts []*replay.Transcript, all []*replay.Usage, warn func(string),
) error {
	if len(o.Usage) == 0 {
		return nil
	}
	found, err := replay.AttachUsage(transcripts, all)
	if err != nil {
		return err
	}
	if found == 0 {
		return errors.New("--usage: the files have no usage of these conversations")
	}
	lacking := 0
	for _, t := range transcripts {
		if t.Usage == nil {
			lacking++
		}
	}
	if lacking > 0 {
		warn(fmt.Sprintf("%s without usage: billed without idle times",
			terminal.Plural(lacking, "conversation")))
	}
	return nil
}

// useSessions has the conversations that have recorded usage in their own file replayed with it,
// and warns of what could not be read.
func (o *Options) useSessions(
	transcripts []*replay.Transcript, warn func(string),
) []*replay.Transcript {
	counter := tokenizer.New(tokenizer.Options{}).For(replay.DefaultModel)
	notes := map[string]int{}
	for _, t := range transcripts {
		t.Preamble = o.Preamble
		if t.Usage != nil {
			o.recorded = true
			t.FitUsage(counter)
		}
		for note, n := range t.Notes {
			notes[note] += n
		}
	}
	transcripts, copies := replay.WithoutCopies(transcripts)
	if copies > 0 {
		notes["requests that an earlier file has too, billed once"] = copies
	}
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		warn(fmt.Sprintf("%s: %s", note, terminal.Grouped(notes[note])))
	}
	return transcripts
}

// validateCharts returns an error if a chart would show nothing.
func (o *Options) validateCharts(transcripts []*replay.Transcript) error {
	hasUsage := func(t *replay.Transcript) bool { return t.Usage != nil }
	switch {
	case o.UsageChart && !slices.ContainsFunc(transcripts, hasUsage):
		return usage.Error{Err: errors.New("--usage-svg draws recorded bills; add --usage, or " +
			"replay session files")}
	case o.EditsChart && !o.plansByProfile():
		return usage.Error{Err: errors.New("--edits-svg draws a line for each price; add " +
			"--prices or --usage")}
	}
	return nil
}

func readUsage(name string) ([]*replay.Usage, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, patherror.Plain(err)
	}
	defer file.Close()
	return replay.ReadUsage(name, file)
}

// profiles returns the profiles of bills.
func (o *Options) profiles() (all []billing.Profile, err error) {
	for _, text := range o.Profiles {
		p, err := billing.ParseProfile(text)
		if err != nil {
			return nil, usage.Error{Err: fmt.Errorf("--prices: %w", err)}
		}
		named := func(other billing.Profile) bool { return other.Name == p.Name }
		if slices.ContainsFunc(all, named) {
			return nil, usage.Error{Err: fmt.Errorf("--prices %s: %s is the name of earlier "+
				"prices; add another name=, or remove one of the two", text,
				fields.Quote(p.Name))}
		}
		all = append(all, p)
	}
	if all == nil {
		return billing.DefaultProfiles, nil
	}
	return all, nil
}

// plansByProfile reports whether each setting is replayed once per profile, with a planner that
// knows its prices. Else it is replayed once, at the prices of the conversations' models.
func (o *Options) plansByProfile() bool {
	return len(o.Profiles) > 0 || len(o.Usage) > 0 || o.recorded
}

// modelOf returns the model to set in a conversation. If it is empty, the conversation's own model
// is kept, or the default set.
func (o *Options) modelOf(t *replay.Transcript) string {
	if o.Model == "" && t.Usage != nil && t.Model() == "" {
		return t.Usage.Requests[0].Model
	}
	return o.Model
}
