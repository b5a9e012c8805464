package prices

import (
	_ "embed" // the published table
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// File is what a file of prices holds.
type File struct {
	AsOf    string            `yaml:"as_of"`   // the date on which the facts were read
	Sources map[string]string `yaml:"sources"` // where they were read, by a short name
	Models  map[string]Model  `yaml:"models"`  // by the beginning of the model's name
}

// Table finds models by their names.
type Table struct {
	File
	byName map[string]Model // by Normal
	most   int              // length of the longest
}

// NewTable returns the table of a file.
func NewTable(f File) *Table {
	t := &Table{File: f, byName: make(map[string]Model, len(f.Models))}
	for name, m := range f.Models {
		name = Normal(name)
		t.byName[name], t.most = m.complete(), max(t.most, len(name))
	}
	return t
}

// Names returns the beginnings of names that the table has, in order.
func (t *Table) Names() []string { return slices.Sorted(maps.Keys(t.Models)) }

// Of returns a model by the longest name in the table that is a prefix of the model's, if the rest
// does not name another version: gpt-5 matches gpt-5-2025-08-07, but not
// gpt-5.1. The prefixes of gateways and clouds ("openai/", "us.anthropic.") do not matter, nor
// whether a version is written with dots or dashes. ok is false for models that are not known.
func (t *Table) Of(model string) (m Model, ok bool) {
	name := Normal(model)
	for n := min(len(name), t.most); n > 0; n-- { // clients send names of any length
		if n < len(name) && otherModel(name[n:]) {
			continue
		}
		if m, ok = t.byName[name[:n]]; ok {
			return m, true
		}
	}
	return Model{}, false
}

// bare returns a name without the prefixes of gateways and clouds.
func bare(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:]
	for {
		vendor, rest, found := strings.Cut(model, ".")
		if !found || rest == "" || strings.ContainsAny(vendor, "0123456789") {
			return model
		}
		model = rest
	}
}

// Normal returns the name that a table knows a model by: in lower case, with the dots of its
// versions written as dashes, and without the prefixes of gateways and clouds.
func Normal(name string) string {
	return strings.ReplaceAll(strings.ToLower(bare(name)), ".", "-")
}

// otherModel reports whether the rest of a name makes it the name of another model: it begins with
// a letter or a digit, or with a number of a version. Dates and builds, of three digits and more,
// name the same model.
func otherModel(rest string) bool {
	if isLetter(rest[0]) || isDigit(rest[0]) {
		return true
	}
	if rest[0] != '-' {
		return false
	}
	digits, zeros := 0, 0
	for _, c := range []byte(rest[1:]) {
		if isLetter(c) && digits > 0 {
			return false // 32b is a size, and 4k one of a window
		}
		if !isDigit(c) {
			break
		}
		digits++
		if c == '0' {
			zeros++
		}
	}
	return digits > zeros && digits <= 2
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

//go:embed models.yaml
var published []byte

// PublishedFile returns the text of the built-in table, for operators who want to change it.
func PublishedFile() []byte { return slices.Clone(published) }

// Published returns the built-in table.
var Published = sync.OnceValue(func() *Table {
	var f File
	if err := yaml.UnmarshalWithOptions(published, &f, yaml.Strict()); err != nil {
		panic("prices: reading models.yaml: " + err.Error()) // a test reads it
	}
	return NewTable(f)
})
