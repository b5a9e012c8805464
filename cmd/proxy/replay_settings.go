package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	offline "killick/replay"
)

// assignment reads key=value, where the key is one of the configuration.
func assignment(flag, pair string) (flagValue, error) {
	key, value, ok := strings.Cut(pair, "=")
	key = strings.TrimSpace(key)
	if !ok {
		return flagValue{}, usageError{fmt.Errorf("%s %s: want key=value, such as compaction.trigger=24000", flag, quote(pair))}
	}
	var keys []string
	for _, leaf := range schema {
		keys = append(keys, leaf.path)
	}
	if !slices.Contains(keys, key) {
		hint := `see "proxy check" for all of them`
		if near := closest(key, keys); near != "" {
			hint = "did you mean " + near + "?"
		}
		return flagValue{}, usageError{fmt.Errorf("%s: no such key %s; %s", flag, quote(key), hint)}
	}
	return flagValue{name: flag + " " + key, path: key, value: strings.TrimSpace(value)}, nil
}

// strategies returns what is to be measured: the configuration.
func (f *replayFlags) strategies(env []string, warnings io.Writer) ([]offline.Strategy, error) {
	s, err := f.load(env, nil)
	if err != nil {
		return nil, err
	}
	printWarnings(warnings, s)
	name := fmt.Sprintf("%s, %s to %s", s.Compaction.Profile, s.Compaction.Trigger, s.Compaction.Target)
	return []offline.Strategy{replayStrategy(name, s.Config)}, nil
}

// chosenHalf returns the conversations of one half, told by a hash of their ids
// that is the same everywhere.
func chosenHalf(all []*offline.Transcript, half string) ([]*offline.Transcript, error) {
	var want uint32
	switch half {
	case "all":
		return all, nil
	case "even":
	case "odd":
		want = 1
	default:
		return nil, usageError{fmt.Errorf("--half %s: want even, odd or all", quote(half))}
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(t *offline.Transcript) bool {
		h := fnv.New32a()
		io.WriteString(h, t.ID)
		return (h.Sum32()^h.Sum32()>>16)&1 != want
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no conversation falls into the %s half of %d", half, len(all))
	}
	return chosen, nil
}
