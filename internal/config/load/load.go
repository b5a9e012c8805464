// Package load reads the configuration from a file, variables and flags, checks it, and prints it.
// It starts nothing, and its messages never show a credential.
package load

import (
	"killick/internal/config"
	"killick/internal/fields"
	"killick/internal/patherror"
)

// Sources are where a configuration comes from, weakest first.
type Sources struct {
	File  string   // path; if empty, there is none
	Env   []string // as os.Environ gives it
	Flags []Flag
}

// Flag is a flag that was given.
type Flag struct {
	Name  string // with its dashes
	Path  string // of the key it sets
	Value string
}

// Settings are a valid configuration, and where its values came from.
type Settings struct {
	config.Config
	file     string
	origins  map[string]fields.Origin // by path, of everything that was set
	Warnings []string                 // what is valid but probably not intended
}

// derived is the origin of a target that was not set although a trigger was.
var derived = fields.Origin{Where: "follows the trigger"}

// Faults is the error of an invalid configuration: all of its errors at once.
type Faults = fields.Faults

// Config reads, merges and validates all sources. Its errors are Faults, also if the
// file cannot be read.
func Config(from Sources) (*Settings, error) {
	var data []byte
	if from.File != "" {
		var err error
		if data, err = readYAML(from.File, "a configuration"); err != nil {
			what := "reading the configuration"
			if from.File == Lookup(from.Env, EnvFile) {
				what += " that " + EnvFile + " names"
			}
			return nil, Faults{{Problem: what + ": " + patherror.Plain(err).Error()}}
		}
	}
	base := config.Default()
	l := overlay(base, from, data)
	name := l.Compaction.Profile
	if name != config.DefaultProfile && base.Compaction.SetProfile(name) {
		// The profile changes the defaults, so it is applied first.
		l = overlay(base, from, data)
	}
	l.deriveTarget()
	l.resolveSecrets(from.Env)
	l.resolveInstructions()
	l.resolvePrices()
	l.validate()
	if len(l.Faults) > 0 {
		l.Faults.Sort()
		return nil, l.Faults
	}
	return &Settings{Config: l.Config, file: from.File, origins: l.Origins,
		Warnings: l.Warnings}, nil
}

func overlay(base config.Config, from Sources, data []byte) *loader {
	l := &loader{Config: base}
	l.Reader = fields.NewReader(schema, &l.Config)
	if from.File != "" {
		l.File(from.File, data)
	}
	l.Env(from.Env)
	for _, f := range from.Flags {
		l.Set(f.Path, fields.Origin{Where: f.Name}, f.Value)
	}
	return l
}

// deriveTarget keeps the profile's ratio of target to trigger if only the
// trigger was set.
func (l *loader) deriveTarget() {
	_, triggerSet := l.Origins["compaction.trigger"]
	_, targetSet := l.Origins["compaction.target"]
	follows := !targetSet ||
		l.Compaction.Target == config.Auto && l.Compaction.Trigger != config.Auto
	if !triggerSet || !follows || l.Faulty("compaction.target") {
		return
	}
	if t, ok := config.FollowingTarget(l.Compaction.Profile, l.Compaction.Trigger); ok {
		l.Compaction.Target = t
		l.Origins["compaction.target"] = derived
	} // otherwise there is an error that is reported elsewhere
}
