package config

import (
	"fmt"
	"io"
	"math"
	"os"

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
	Config
	file     string
	origins  map[string]fields.Origin // by path, of everything that was set
	Warnings []string                 // what is valid but probably not intended
}

// derived is the origin of a target that was not set although a trigger was.
var derived = fields.Origin{Where: "follows the trigger"}

// Faults is the error of an invalid configuration: all of its errors at once.
type Faults = fields.Faults

// Load reads, merges and validates all sources. Its errors are Faults, also if the
// file cannot be read.
func Load(from Sources) (*Settings, error) {
	var data []byte
	if from.File != "" {
		var err error
		if data, err = readBounded(from.File, "a configuration"); err != nil {
			what := "reading the configuration"
			if from.File == Lookup(from.Env, EnvFile) {
				what += " that " + EnvFile + " names"
			}
			return nil, Faults{{Problem: what + ": " + patherror.Plain(err).Error()}}
		}
	}
	base := Default()
	l := overlay(base, from, data)
	if setUp, ok := profiles[l.Compaction.Profile]; ok && l.Compaction.Profile != defaultProfile {
		// The profile changes the defaults, so it is applied first.
		setUp(&base.Compaction)
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

// maxFile bounds a file of settings or prices, so that a wrong path, such as that of a store or a
// device, does not fill the memory.
const maxFile = 16 << 20

func readBounded(name, kind string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has more than %s, so it is not %s; write the path of one",
			name, Size(maxFile), kind)
	}
	return data, err
}

// loader applies sources to a configuration and collects the errors.
type loader struct {
	Config
	*fields.Reader
}

func overlay(base Config, from Sources, data []byte) *loader {
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
	follows := !targetSet || l.Compaction.Target == Auto && l.Compaction.Trigger != Auto
	if !triggerSet || !follows || l.Faulty("compaction.target") {
		return
	}
	if t, ok := followingTarget(l.Compaction.Profile, l.Compaction.Trigger); ok {
		l.Compaction.Target = t
		l.Origins["compaction.target"] = derived
	} // otherwise there is an error that is reported elsewhere
}

// followingTarget returns the target for a trigger in the profile's ratio.
func followingTarget(profile string, trigger Amount) (Amount, bool) {
	setUp, ok := profiles[profile]
	if !ok {
		return 0, false
	}
	if trigger == Auto {
		return Auto, true
	}
	var usual Compaction
	if setUp(&usual); usual.Trigger == Auto {
		profiles[balancedProfile](&usual)
	}
	t := trigger * usual.Target / usual.Trigger
	if t > 1 {
		t = Amount(math.Round(float64(t)))
	}
	return t, true
}
