package config

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

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
	origins  map[string]origin // by path, of everything that was set
	Warnings []string          // what is valid but probably not intended
}

// origin is the place that set a key.
type origin struct {
	where string // killick.yaml:7, KILLICK_LISTEN, --listen
	line  int    // in the file; 0 elsewhere
}

// derived is the origin of a target that was not set although a trigger was.
var derived = origin{where: "follows the trigger"}

// fault is one error in a configuration.
type fault struct {
	origin
	path    string // of the key; empty if the error is in the file itself
	problem string
}

func (f fault) String() string {
	var parts []string
	for _, s := range []string{f.where, f.path, f.problem} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Faults is the error of an invalid configuration: all of its errors at once.
type Faults []fault

// Error lists them, one per line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Load reads, merges and validates all sources. Its errors are Faults, also if the
// file cannot be read.
func Load(from Sources) (*Settings, error) {
	var data []byte
	if from.File != "" {
		var err error
		if data, err = readBounded(from.File); err != nil {
			what := "reading the configuration"
			if from.File == Lookup(from.Env, EnvFile) {
				what += " that " + EnvFile + " names"
			}
			return nil, Faults{{problem: what + ": " + patherror.Plain(err).Error()}}
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
	if len(l.faults) > 0 {
		slices.SortStableFunc(l.faults, func(a, b fault) int {
			// First those of the file in its order, then the rest as found.
			return cmp.Compare(lineOrLast(a.line), lineOrLast(b.line))
		})
		return nil, l.faults
	}
	return &l.Settings, nil
}

// maxFile bounds a configuration file, so that a wrong path, such as that of a store or a device,
// does not fill the memory.
const maxFile = 16 << 20

func readBounded(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has more than %s, so it is not a configuration; write the path of one",
			name, Size(maxFile))
	}
	return data, err
}

func lineOrLast(line int) int {
	if line == 0 {
		return int(^uint(0) >> 1)
	}
	return line
}

// loader applies sources to a configuration and collects the errors.
type loader struct {
	Settings
	faults Faults
	keys   []leaf // of the configuration; none where another file is read
}

func overlay(base Config, from Sources, data []byte) *loader {
	l := &loader{keys: schema,
		Settings: Settings{Config: base, file: from.File, origins: map[string]origin{}}}
	if from.File != "" {
		l.readFile(data)
	}
	l.readEnv(from.Env)
	for _, f := range from.Flags {
		l.set(leafAt(f.Path), origin{where: f.Name}, f.Value)
	}
	return l
}

func leafAt(path string) leaf {
	for _, l := range schema {
		if l.path == path {
			return l
		}
	}
	panic("no config key " + path)
}

// set gives a key its value from a variable or flag.
func (l *loader) set(key leaf, from origin, text string) {
	field := key.value(&l.Config)
	if notTextAt([]byte(text)) > 0 {
		l.fail(key.path, from, "is not UTF-8 text")
		return
	}
	if field.Kind() == reflect.Map || isList(field.Type()) ||
		field.Kind() == reflect.Slice && isFlow(text) {
		l.readText(key.path, from, text)
		return
	}
	l.assign(key.path, from, field, text)
}

func (l *loader) assign(path string, from origin, field reflect.Value, text string) {
	if err := assign(field, text); err != nil {
		l.fail(path, from, "%v", err)
		return
	}
	l.origins[path] = from
}

// fail records a fault at a place.
func (l *loader) fail(path string, at origin, format string, args ...any) {
	l.faults = append(l.faults, fault{origin: at, path: path,
		problem: fmt.Sprintf(format, args...)})
}

// faulty reports whether a key already has an error; then no further errors are
// reported about it or its combination with other keys.
func (l *loader) faulty(path string) bool {
	return slices.ContainsFunc(l.faults, func(f fault) bool { return f.path == path })
}

// deriveTarget keeps the profile's ratio of target to trigger if only the
// trigger was set.
func (l *loader) deriveTarget() {
	_, triggerSet := l.origins["compaction.trigger"]
	_, targetSet := l.origins["compaction.target"]
	follows := !targetSet || l.Compaction.Target == Auto && l.Compaction.Trigger != Auto
	if !triggerSet || !follows || l.faulty("compaction.target") {
		return
	}
	if t, ok := followingTarget(l.Compaction.Profile, l.Compaction.Trigger); ok {
		l.Compaction.Target = t
		l.origins["compaction.target"] = derived
	} // else an error that is reported elsewhere
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
