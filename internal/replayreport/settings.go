package replayreport

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"killick/internal/closest"
	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/fields"
	"killick/internal/usage"
	"killick/replay"
)

// setting is a configuration to measure, with its name in tables.
type setting struct {
	name string
	config.Config
}

// settings returns the configurations to measure: the one given, or one for each combination of a
// sweep. Invalid combinations are left out with a warning, unless all are invalid.
func (o *Options) settings(warn func(string)) (all []setting, err error) {
	combinations, err := combine(o.Sweep)
	if err != nil {
		return nil, err
	}
	for i, combination := range combinations {
		s, failed := o.load(combination)
		if failed != nil && len(combinations) == 1 {
			return nil, failed
		}
		if failed != nil {
			err = failed
			first, _, _ := strings.Cut(failed.Error(), "\n")
			warn(fmt.Sprintf("%s is left out: %s", nameOf(combination), first))
			continue
		}
		if i == 0 {
			for _, warning := range s.Warnings {
				warn(warning)
			}
		}
		name := nameOf(combination)
		if name == "" {
			name = s.Compaction.Profile
			if s.Compaction.Trigger != config.Auto {
				name += fmt.Sprintf(", %s to %s", s.Compaction.Trigger, s.Compaction.Target)
			}
		}
		all = append(all, setting{name, s.Config})
	}
	if len(all) == 0 {
		return nil, err
	}
	return all, nil
}

// load returns the configuration with the settings of the command line, and then more, applied.
func (o *Options) load(more []load.Flag) (*load.Settings, error) {
	from := load.Sources{File: load.Lookup(o.Env, load.EnvFile), Env: o.Env}
	if o.Config != "" {
		from.File = o.Config
	}
	if o.Profile != "" {
		from.Flags = append(from.Flags, load.Flag{Name: "--profile", Path: "compaction.profile",
			Value: o.Profile})
	}
	for _, pair := range o.Set {
		v, err := assignment("--set", pair)
		if err != nil {
			return nil, err
		}
		from.Flags = append(from.Flags, v)
	}
	from.Flags = append(from.Flags, more...)
	return load.Config(from)
}

// assignment reads key=value, where the key is one of the configuration.
func assignment(flag, pair string) (load.Flag, error) {
	key, value, ok := strings.Cut(pair, "=")
	key = strings.TrimSpace(key)
	if !ok {
		return load.Flag{}, usage.Error{Err: fmt.Errorf("%s %s: want key=value, such as "+
			"compaction.trigger=24000", flag, fields.Quote(pair))}
	}
	keys := load.Keys()
	if !slices.Contains(keys, key) {
		hint := `config.example.yaml has all of them`
		if near := closest.Name(key, keys); near != "" {
			hint = "did you mean " + near + "?"
		}
		return load.Flag{}, usage.Error{Err: fmt.Errorf("%s: unknown key %s; %s", flag,
			fields.Quote(key), hint)}
	}
	return load.Flag{Name: flag, Path: key, Value: strings.TrimSpace(value)}, nil
}

// combine parses a sweep and returns every combination of its values. An empty sweep has one
// combination, the empty one.
func combine(sweep string) ([][]load.Flag, error) {
	all := [][]load.Flag{nil}
	for axis := range strings.SplitSeq(sweep, ";") {
		if strings.TrimSpace(axis) == "" {
			continue
		}
		v, err := assignment("--sweep", axis)
		if err != nil {
			return nil, err
		}
		var next [][]load.Flag
		for _, before := range all {
			for value := range strings.SplitSeq(v.Value, ",") {
				one := load.Flag{Name: v.Name, Path: v.Path, Value: strings.TrimSpace(value)}
				next = append(next, append(slices.Clip(before), one))
			}
		}
		all = next
	}
	return all, nil
}

// nameOf returns the name of a combination: its keys and values.
func nameOf(combination []load.Flag) string {
	var parts []string
	for _, v := range combination {
		parts = append(parts, strings.TrimPrefix(v.Path, "compaction.")+" "+v.Value)
	}
	return strings.Join(parts, ", ")
}

// halfOf returns the conversations of one half.
func halfOf(all []*replay.Transcript, half string) []*replay.Transcript {
	return slices.DeleteFunc(slices.Clone(all),
		func(t *replay.Transcript) bool { return !inHalf(t.ID, half) })
}

// inHalf reports whether a conversation belongs to a half. That is decided by a hash of its id, so
// it is the same everywhere.
func inHalf(id, half string) bool {
	sum := sha256.Sum256([]byte(id))
	odd := sum[0]&1 == 1
	return half == "all" || odd == (half == "odd")
}
