package fields

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// File applies a file to the struct. name is for messages. It walks the syntax tree instead of
// decoding into the struct: so all errors are found at once, each with its line, and no message
// quotes a line that may contain a credential.
func (r *Reader) File(name string, data []byte) {
	if line := nonTextLine(data); line > 0 {
		r.Fail("", inFile(name, line), notText+"; save it as UTF-8")
		return
	}
	r.readYAML(data, place{file: name}, "", r.into)
}

// place is where a document came from.
type place struct {
	file   string
	source Origin // if file is empty
}

// at returns the origin of what a node sets.
func (p place) at(node ast.Node) Origin {
	if p.file == "" {
		return p.source
	}
	return inFile(p.file, lineOf(node))
}

// isFlow reports whether a variable or flag gives a list as the file does: ["a, b", c]. A pattern
// such as [a-c]* may be the first of a list with commas.
func isFlow(text string) bool {
	rest, bracket := strings.CutPrefix(strings.TrimSpace(text), "[")
	return bracket && (strings.HasSuffix(rest, "]") || strings.HasPrefix(rest, `"`))
}

// readText reads a section whose keys are names, or a list, from a variable: as YAML,
// {"gpt-5.1": {window: 400000}}.
func (r *Reader) readText(key Key, from Origin, text string) {
	r.readYAML([]byte(text), place{source: from}, key.Path, key.value(r.into))
	r.Origins[key.Path] = from
}

// document reads one document for a Reader.
type document struct {
	*Reader
	place
}

func (r *Reader) readYAML(data []byte, from place, path string, into reflect.Value) {
	text := strings.TrimPrefix(string(data), "\ufeff") // as some editors begin a file
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		r.syntaxFault(err, from, path)
		return
	}
	d := document{Reader: r, place: from}
	seen := false
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.DirectiveType { // %YAML 1.2
			continue
		}
		if seen {
			r.Fail(path, d.at(doc.Body),
				"a second document starts here; a file holds one configuration")
			return
		}
		seen = true
		d.read(path, into, doc.Body)
	}
}

// definedTwice matches the parser's message about a key that a mapping has twice.
var definedTwice = regexp.MustCompile(`^mapping key ("[^"]*") already defined at \[(\d+):\d+\]$`)

// syntaxFault records text that is not YAML, without the excerpt in the
// parser's message.
func (r *Reader) syntaxFault(err error, from place, path string) {
	where := from.at(nil)
	problem := "not YAML"
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		twice := definedTwice.FindStringSubmatch(syntax.Message)
		switch {
		case strings.Contains(syntax.Message, "'\t'"):
			problem = "not YAML: begins with a tab; indent with spaces"
		case twice != nil && where.Line > 0:
			problem = fmt.Sprintf("%s is already in line %s; remove one of the two", twice[1],
				twice[2])
		case where.Line > 0:
			problem += ": " + syntax.Message + "; check quotes, colons and indentation, also of " +
				"the line before"
		default:
			problem += ": " + syntax.Message
		}
		if tok := syntax.Token; tok != nil && where.Line > 0 {
			where = inFile(from.file, tok.Position.Line)
		}
	}
	r.Fail(path, where, "%s", problem)
}

// read applies one node to the field of its path.
func (d document) read(path string, field reflect.Value, node ast.Node) {
	switch n := node.(type) {
	case *ast.NullNode:
		return // a key without a value keeps its default
	case *ast.TagNode:
		d.read(path, field, n.Value)
	case *ast.AnchorNode, *ast.AliasNode:
		d.Fail(path, d.at(node), "anchors and aliases are not supported; write the value out")
	case *ast.MappingNode:
		d.readMapping(path, field, n)
	case *ast.SequenceNode:
		d.readList(path, field, n)
	case ast.ScalarNode:
		if IsSection(field.Type()) || IsList(field.Type()) || field.Kind() == reflect.Map {
			d.Fail(path, d.at(node), "got a single value, want %s", d.wanted(path, field))
			return
		}
		if field.Kind() == reflect.Slice {
			// One item without its brackets.
			field.Set(reflect.ValueOf([]string{scalarText(n)}))
			d.Origins[path] = d.at(node)
			return
		}
		d.assign(path, d.at(node), field, scalarText(n))
	default:
		d.Fail(path, d.at(node), "got %s, want %s", kindOf(node), d.wanted(path, field))
	}
}

func (d document) readMapping(path string, field reflect.Value, n *ast.MappingNode) {
	switch {
	case field.Kind() == reflect.Map:
		d.readNamed(path, field, n)
	case IsSection(field.Type()):
		for _, entry := range n.Values {
			key, ok := d.key(path, entry)
			if !ok {
				continue
			}
			key = d.renamed(path, key, entry.Key)
			next, ok := member(field, key)
			if !ok {
				problem := "unknown key" + meant(path, key, keysOf(field.Type()), d.schema.Keys)
				if why, ok := d.schema.Removed[Join(path, key)]; ok {
					problem = why
				}
				d.Fail(Join(path, key), d.at(entry.Key), "%s", problem)
				continue
			}
			d.read(Join(path, key), next, entry.Value)
		}
	default:
		d.Fail(path, d.at(n), "got a mapping, want %s", d.wanted(path, field))
	}
}

// renamed returns the present name of a key. Only one of two names may be used.
func (d document) renamed(path, key string, node ast.Node) string {
	for former, present := range d.schema.Renamed {
		if at := Join(path, key); at == former || at == present {
			if other, set := d.Origins[present]; set {
				d.Fail(at, d.at(node), "is also set in line %d, by its other name; remove one of "+
					"the two", other.Line)
			}
			if at == former {
				d.Warnings = append(d.Warnings, Fault{d.at(node), former,
					"is now called " + present}.String())
				return lastName(d.schema.Key(present))
			}
		}
	}
	return key
}

// readNamed reads a mapping from names, such as those of models, to sections.
func (d document) readNamed(path string, field reflect.Value, n *ast.MappingNode) {
	named := reflect.MakeMapWithSize(field.Type(), len(n.Values))
	for _, entry := range n.Values {
		name, ok := d.key(path, entry)
		if !ok {
			continue
		}
		section := reflect.New(field.Type().Elem()).Elem()
		d.read(Join(path, name), section, entry.Value)
		d.Origins[Join(path, name)] = d.at(entry.Key)
		named.SetMapIndex(reflect.ValueOf(name), section)
	}
	field.Set(named)
}

func (d document) readList(path string, field reflect.Value, n *ast.SequenceNode) {
	if field.Kind() != reflect.Slice {
		d.Fail(path, d.at(n), "got a list, want %s", d.wanted(path, field))
		return
	}
	if IsList(field.Type()) {
		d.readEntries(path, field, n)
		return
	}
	list := make([]string, 0, len(n.Values))
	for i, item := range n.Values {
		s, ok := item.(ast.ScalarNode)
		if !ok {
			d.Fail(fmt.Sprintf("%s[%d]", path, i), d.at(item), "got %s, want a single value",
				kindOf(item))
			continue
		}
		list = append(list, scalarText(s))
	}
	field.Set(reflect.ValueOf(list))
	d.Origins[path] = d.at(n)
}

// readEntries reads a list of sections.
func (d document) readEntries(path string, field reflect.Value, n *ast.SequenceNode) {
	entries := reflect.MakeSlice(field.Type(), len(n.Values), len(n.Values))
	for i, item := range n.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.read(at, entries.Index(i), item)
		d.Origins[at] = d.at(item)
	}
	field.Set(entries)
	d.Origins[path] = d.at(n)
}

// key returns the key of an entry. A merge key or a key that is not a scalar
// is an error.
func (d document) key(path string, entry *ast.MappingValueNode) (string, bool) {
	s, ok := entry.Key.(ast.ScalarNode)
	if !ok || entry.Key.IsMergeKey() {
		d.Fail(path, d.at(entry.Key),
			"merge keys and composed keys are not supported; write the keys out")
		return "", false
	}
	return scalarText(s), true
}

// scalarText returns the text of a scalar as it was written, quotes undone.
func scalarText(n ast.ScalarNode) string {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value
	case *ast.LiteralNode:
		return strings.TrimSuffix(s.Value.Value, "\n")
	}
	return n.GetToken().Value
}

// kindOf names what a node is, for a message.
func kindOf(node ast.Node) string {
	switch node.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case ast.ScalarNode:
		return "a single value"
	}
	return strings.ToLower(node.Type().String())
}

// lineOf returns the line that a node begins at; 1 of nothing.
func lineOf(node ast.Node) int {
	if node == nil || node.GetToken() == nil {
		return 1
	}
	return node.GetToken().Position.Line
}

// wanted describes the expected type of a key, for error messages.
func (r *Reader) wanted(path string, field reflect.Value) string {
	switch {
	case path == "" && r.schema.Document != "":
		return r.schema.Document
	case IsSection(field.Type()):
		return "a mapping with the keys " + strings.Join(keysOf(field.Type()), ", ")
	case field.Kind() == reflect.Map:
		return "a mapping; write \"NAME: …\" for each, without a dash"
	case IsList(field.Type()):
		return "a list of mappings with the keys " +
			strings.Join(keysOf(field.Type().Elem()), ", ")
	case field.Kind() == reflect.Slice:
		return "a list"
	}
	return "a single value"
}
