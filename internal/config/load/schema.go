package load

import (
	"strings"

	"killick/internal/config"
	"killick/internal/fields"
)

const envPrefix = "KILLICK_"

// EnvFile is the variable that names the file for commands without a file argument.
const EnvFile = envPrefix + "CONFIG"

// schema has the keys of Config, and those that it used to have.
var schema = &fields.Schema{
	Keys:     fields.KeysOf[config.Config](),
	Prefix:   envPrefix,
	OtherEnv: []string{EnvFile},
	Renamed:  map[string]string{"compaction.summary_chars": "compaction.summary_bytes"},
	Removed: map[string]string{
		"compaction.max_wait": "was removed: no request waits for a model any more; delete it",
	},
	Document: "a mapping with keys such as listen and upstream",
}

// Keys returns the paths of all keys, in the order of the file.
func Keys() (paths []string) {
	for _, key := range schema.Keys {
		paths = append(paths, key.Path)
	}
	return paths
}

// DefaultText returns the default of a key as written in the file.
func DefaultText(path string) string {
	c := config.Default()
	return yamlText(schema.Key(path).Of(&c))
}

// Lookup returns a variable of an environment, "" if it is not set.
func Lookup(env []string, name string) string {
	value := ""
	for _, pair := range env {
		if k, v, _ := strings.Cut(pair, "="); k == name {
			value = v
		}
	}
	return value
}
