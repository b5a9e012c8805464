package fields

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Origin is the place that set a key. The zero value is no place: nothing set it.
type Origin struct {
	Where string // killick.yaml:7, KILLICK_LISTEN, --listen
	Line  int    // in the file; 0 elsewhere
}

// inFile returns a line of a file as an origin.
func inFile(name string, line int) Origin {
	return Origin{Where: fmt.Sprintf("%s:%d", name, line), Line: line}
}

// Fault is one error in a file, a variable or a flag.
type Fault struct {
	Origin
	Path    string // of the key; empty if the error is in the file itself
	Problem string
}

func (f Fault) String() string {
	var parts []string
	for _, s := range []string{f.Where, f.Path, f.Problem} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Faults are all errors of a struct at once.
type Faults []Fault

// Error lists them, one per line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Sort puts those of the file first, in its order, then the rest as found.
func (fs Faults) Sort() {
	line := func(f Fault) int {
		if f.Line == 0 {
			return math.MaxInt
		}
		return f.Line
	}
	slices.SortStableFunc(fs, func(a, b Fault) int { return cmp.Compare(line(a), line(b)) })
}

// Reader sets the fields of a struct from one source after another, each taking precedence over
// those before, and collects the errors. Use NewReader to create one.
type Reader struct {
	schema *Schema
	into   reflect.Value

	Origins  map[string]Origin // by path, of everything that was set
	Faults   Faults
	Warnings []string // what is valid but probably not intended
}

// NewReader returns a Reader for the struct that into points to. What is not set keeps its value.
func NewReader(schema *Schema, into any) *Reader {
	return &Reader{schema: schema, into: reflect.ValueOf(into).Elem(),
		Origins: map[string]Origin{}}
}

func (r *Reader) assign(path string, from Origin, field reflect.Value, text string) {
	if err := assign(field, text); err != nil {
		r.Fail(path, from, "%v", err)
		return
	}
	r.Origins[path] = from
}

// Fail records an error of a key at a place.
func (r *Reader) Fail(path string, at Origin, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{Origin: at, Path: path,
		Problem: fmt.Sprintf(format, args...)})
}

// Invalid records an error of a key where it was set, unless it has one already.
func (r *Reader) Invalid(path, format string, args ...any) {
	if !r.Faulty(path) {
		r.Fail(path, r.OriginOf(path), format, args...)
	}
}

// Warn records what is valid, but probably not intended, of a key without an error.
func (r *Reader) Warn(path, format string, args ...any) {
	if r.Faulty(path) {
		return
	}
	f := Fault{Origin: r.OriginOf(path), Path: path, Problem: fmt.Sprintf(format, args...)}
	r.Warnings = append(r.Warnings, f.String())
}

// Faulty reports whether a key already has an error; then no further errors are reported about it
// or its combination with other keys.
func (r *Reader) Faulty(path string) bool {
	return slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.Path == path })
}

// OriginOf returns the place that set a key, else one below it, else one that set its section or
// another key there.
func (r *Reader) OriginOf(path string) Origin {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexByte(p, '.'))] {
		if o, ok := r.Origins[p]; ok {
			return o
		}
		for _, key := range r.schema.Keys {
			if o, ok := r.Origins[key.Path]; ok && strings.HasPrefix(key.Path, p+".") {
				return o
			}
		}
	}
	return Origin{}
}
