package fields

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"killick/internal/closest"
)

// Env applies the variables, each as NAME=value, to the struct. An empty one counts as not set:
// compose files and charts pass on empty ones. An unknown name with the prefix is only a warning,
// since variables come from more sources than a file does.
func (r *Reader) Env(env []string) {
	s, set := r.schema, map[string]string{}
	for _, pair := range env {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, s.Prefix) &&
			value != "" {
			set[name] = value
		}
	}
	for former, present := range s.Renamed {
		old, name := s.Env(former), s.Env(present)
		value, ok := set[old]
		if delete(set, old); !ok {
			continue
		}
		r.Warnings = append(r.Warnings, old+" is now called "+name)
		if set[name] == "" {
			r.Set(present, Origin{Where: old}, value)
		}
	}
	names := slices.Clone(s.OtherEnv)
	for _, key := range s.Keys {
		name := s.Env(key.Path)
		names = append(names, name)
		if value, ok := set[name]; ok {
			r.set(key, Origin{Where: name}, value)
		}
	}
	r.warnOfUnknown(set, names)
}

// warnOfUnknown warns of the variables that have none of the names.
func (r *Reader) warnOfUnknown(set map[string]string, names []string) {
	var unknown []string
	for name, value := range set {
		if !slices.Contains(names, name) && !fromOrchestrator(r.schema.Prefix, name, value) {
			unknown = append(unknown, name)
		}
	}
	short := make([]string, len(names)) // names are compared without the prefix
	for i, name := range names {
		short[i] = strings.TrimPrefix(name, r.schema.Prefix)
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		hint := "; ignored"
		asked := strings.TrimPrefix(name, r.schema.Prefix)
		if near := cmp.Or(closest.Words(asked, short), closest.Name(asked, short)); near != "" {
			hint = fmt.Sprintf("; ignored, did you mean %s?", r.schema.Prefix+near)
		}
		for path, why := range r.schema.Removed {
			if r.schema.Env(path) == name {
				hint = "; it " + why
			}
		}
		r.Warnings = append(r.Warnings, name+": no such setting"+hint)
	}
}

// fromOrchestrator reports whether a variable is one that Kubernetes sets automatically in every
// pod of a namespace with a service whose name gives the prefix.
func fromOrchestrator(prefix, name, value string) bool {
	return strings.HasPrefix(name, prefix+"SERVICE_") ||
		strings.HasPrefix(name, prefix+"PORT_") ||
		name == prefix+"PORT" && strings.Contains(value, "://")
}

// Set gives the key with a path its value from a variable or flag, as text. It panics if there is
// no such key.
func (r *Reader) Set(path string, from Origin, text string) {
	r.set(r.schema.Key(path), from, text)
}

func (r *Reader) set(key Key, from Origin, text string) {
	field := key.value(r.into)
	if nonTextLine([]byte(text)) > 0 {
		r.Fail(key.Path, from, notText)
		return
	}
	if field.Kind() == reflect.Map || IsList(field.Type()) ||
		field.Kind() == reflect.Slice && isFlow(text) {
		r.readText(key, from, text)
		return
	}
	r.assign(key.Path, from, field, text)
}
