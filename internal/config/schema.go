package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// leaf is one key that holds a value, by its path in the file.
type leaf struct {
	path  string
	index []int // of the field, for reflect
}

// env returns the variable that sets the key.
func (l leaf) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(l.path, ".", "_"))
}

// schema lists the keys of Config in the order of its fields.
var schema = leaves(reflect.TypeFor[Config](), "", nil)

func leaves(t reflect.Type, prefix string, index []int) (all []leaf) {
	for i := range t.NumField() {
		f := t.Field(i)
		path := join(prefix, f.Tag.Get("yaml"))
		at := append(append([]int(nil), index...), i)
		if isSection(f.Type) {
			all = append(all, leaves(f.Type, path, at)...)
			continue
		}
		all = append(all, leaf{path: path, index: at})
	}
	return all
}

// Keys returns the paths of all keys, in the order of the file.
func Keys() (paths []string) {
	for _, key := range schema {
		paths = append(paths, key.path)
	}
	return paths
}

// DefaultText returns the default of a key as written in the file.
func DefaultText(path string) string { return leafAt(path).defaultText() }

// isSection reports whether a type holds further keys rather than a value.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// isList reports whether a type is a list of sections.
func isList(t reflect.Type) bool { return t.Kind() == reflect.Slice && isSection(t.Elem()) }

// value returns the field of c that the key sets.
func (l leaf) value(c *Config) reflect.Value {
	return reflect.ValueOf(c).Elem().FieldByIndex(l.index)
}

// defaultText returns the default as written in the file.
func (l leaf) defaultText() string {
	c := Default()
	return yamlText(l.value(&c))
}

// member returns the field of a section that a key names.
func member(section reflect.Value, key string) (reflect.Value, bool) {
	t := section.Type()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == key {
			return section.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// keysOf returns the keys of a section.
func keysOf(t reflect.Type) (keys []string) {
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
	}
	return keys
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// assign sets a field from the text of a scalar in the file, a variable or a flag.
func assign(field reflect.Value, text string) error {
	switch p := field.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(text))
	case *[]string:
		*p = splitList(text)
	case *bool:
		on, err := boolOf(text)
		if err != nil {
			return err
		}
		*p = on
	case *int:
		n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
		if err != nil {
			return fmt.Errorf("%s is not a whole number; write one such as 2000", Quote(text))
		}
		*p = n
	case *float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != f {
			return fmt.Errorf("%s is not a number; write one such as 0.5", Quote(text))
		}
		*p = f
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%s is not a duration; write a number with its unit, such as 15s, "+
				"20m or 168h%s", Quote(text), durationHint(text))
		}
		*p = d
	default:
		if field.Kind() == reflect.String {
			field.SetString(text)
			return nil
		}
		panic(fmt.Sprintf("no reading of a config field of type %s", field.Type()))
	}
	return nil
}

// boolOf reads a boolean, also as older YAML writes it.
func boolOf(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "on", "yes":
		return true, nil
	case "false", "off", "no":
		return false, nil
	}
	return false, fmt.Errorf("%s is not a boolean; write true or false", Quote(text))
}

// splitList parses a list from a variable or flag, separated by commas. One in brackets is read as
// in the file: see isFlow.
func splitList(text string) (list []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// wanted describes the expected type of a key, for error messages.
func wanted(path string, field reflect.Value) string {
	switch {
	case path == "" && field.Type() == reflect.TypeFor[Config]():
		return "a mapping with keys such as listen and upstream"
	case isSection(field.Type()):
		return "a mapping with the keys " + strings.Join(keysOf(field.Type()), ", ")
	case field.Kind() == reflect.Map:
		return "a mapping; write \"NAME: …\" for each, without a dash"
	case isList(field.Type()):
		return "a list of mappings with the keys " +
			strings.Join(keysOf(field.Type().Elem()), ", ")
	case field.Kind() == reflect.Slice:
		return "a list"
	}
	return "a single value"
}
