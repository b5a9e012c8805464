package config

import (
	"fmt"
	"slices"
	"strings"

	"killick/internal/closest"
)

const envPrefix = "KILLICK_"

// EnvFile is the variable that names the file for commands without a file argument.
const EnvFile = envPrefix + "CONFIG"

// readEnv applies the variables to the configuration. An empty one counts as
// not set: compose files and charts pass on empty ones. An unknown name is only
// a warning, since variables come from more sources than a file does.
func (l *loader) readEnv(env []string) {
	set := map[string]string{}
	for _, pair := range env {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, envPrefix) &&
			value != "" {
			set[name] = value
		}
	}
	for former, present := range renamed {
		old, name := (leaf{path: former}).env(), leafAt(present).env()
		value, ok := set[old]
		if delete(set, old); !ok {
			continue
		}
		l.Warnings = append(l.Warnings, old+" is now called "+name)
		if set[name] == "" {
			l.set(leafAt(present), origin{where: old}, value)
		}
	}
	names := []string{strings.TrimPrefix(EnvFile, envPrefix)}
	for _, key := range schema {
		name := key.env()
		names = append(names, strings.TrimPrefix(name, envPrefix))
		if value, ok := set[name]; ok {
			l.set(key, origin{where: name}, value)
		}
	}
	var unknown []string
	for name, value := range set {
		if !slices.Contains(names, strings.TrimPrefix(name, envPrefix)) &&
			!fromOrchestrator(name, value) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		hint := "; ignored"
		if near := closest.Name(strings.TrimPrefix(name, envPrefix), names); near != "" {
			hint = fmt.Sprintf("; ignored, did you mean %s?", envPrefix+near)
		}
		for path, why := range gone {
			if (leaf{path: path}).env() == name {
				hint = "; it " + why
			}
		}
		l.Warnings = append(l.Warnings, name+": no such setting"+hint)
	}
}

// fromOrchestrator reports whether a variable is one that Kubernetes sets
// automatically in every pod of a namespace with a service named killick.
func fromOrchestrator(name, value string) bool {
	return strings.HasPrefix(name, envPrefix+"SERVICE_") ||
		strings.HasPrefix(name, envPrefix+"PORT_") ||
		name == envPrefix+"PORT" && strings.Contains(value, "://")
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
