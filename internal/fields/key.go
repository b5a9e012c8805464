package fields

import (
	"encoding"
	"reflect"
	"strings"
)

// Schema says which keys there are, beside the tags of the struct.
type Schema struct {
	Keys   []Key  // as KeysOf returns them
	Prefix string // of the variables that set them

	Renamed map[string]string // former paths that are still read, with the present ones
	Removed map[string]string // former paths that are not read, with what to do instead

	// Document is what a file must be, for messages; if empty, its keys are listed.
	Document string
	// OtherEnv are variables with the prefix that set no key.
	OtherEnv []string
}

// Key is one key that holds a value.
type Key struct {
	Path  string // from the root, separated by dots
	index []int  // of the field, for reflect
}

// KeysOf lists the keys of a struct in the order of its fields. A list of sections, or a mapping of
// names to sections, is one key.
func KeysOf[T any]() []Key { return keys(reflect.TypeFor[T](), "", nil) }

func keys(t reflect.Type, prefix string, index []int) (all []Key) {
	for i := range t.NumField() {
		f := t.Field(i)
		path := Join(prefix, f.Tag.Get("yaml"))
		at := append(append([]int(nil), index...), i)
		if IsSection(f.Type) {
			all = append(all, keys(f.Type, path, at)...)
			continue
		}
		all = append(all, Key{Path: path, index: at})
	}
	return all
}

// Of returns the field that the key sets of the struct that into points to.
func (k Key) Of(into any) reflect.Value { return k.value(reflect.ValueOf(into).Elem()) }

func (k Key) value(root reflect.Value) reflect.Value { return root.FieldByIndex(k.index) }

// Key returns the key with a path. It panics if there is none.
func (s *Schema) Key(path string) Key {
	for _, k := range s.Keys {
		if k.Path == path {
			return k
		}
	}
	panic("no key " + path)
}

// Env returns the variable that sets the key with a path.
func (s *Schema) Env(path string) string {
	return s.Prefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// IsSection reports whether a type holds further keys rather than a value.
func IsSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct &&
		!reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// IsList reports whether a type is a list of sections.
func IsList(t reflect.Type) bool { return t.Kind() == reflect.Slice && IsSection(t.Elem()) }

// Join returns the path of a key in the section at prefix, which is empty for the root.
func Join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
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
