package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// readFile applies the file to the configuration. It walks the syntax tree
// instead of decoding into the structs: so all errors are found at once, each
// with its line, and no message quotes a line that may contain a credential.
func (l *loader) readFile(data []byte) {
	if line := notTextAt(data); line > 0 {
		l.fail("", origin{where: fmt.Sprintf("%s:%d", l.file, line), line: line}, notText)
		return
	}
	l.readYAML(data, func(node ast.Node) origin {
		line := lineOf(node)
		return origin{where: fmt.Sprintf("%s:%d", l.file, line), line: line}
	}, "", reflect.ValueOf(&l.Config).Elem())
}

const notText = "is not UTF-8 text; save it as UTF-8"

// notTextAt returns the first line with bytes that are not UTF-8 text, 0 if there is none. No
// conversation could contain such a pin, and no model such a name.
func notTextAt(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return i + 1
		}
	}
	return 0
}

// isFlow reports whether a variable or flag gives a list as the file does: ["a, b", c]. A pattern
// such as [a-c]* may be the first of a list with commas.
func isFlow(text string) bool {
	rest, bracket := strings.CutPrefix(strings.TrimSpace(text), "[")
	return bracket && (strings.HasSuffix(rest, "]") || strings.HasPrefix(rest, `"`))
}

// readText reads a section whose keys are names, or a list, from a variable: as YAML,
// {"gpt-5.1": {window: 400000}}.
func (l *loader) readText(path string, from origin, text string) {
	l.readYAML([]byte(text), func(ast.Node) origin { return from }, path,
		leafAt(path).value(&l.Config))
	l.origins[path] = from
}

// reader reads one document for a loader.
type reader struct {
	*loader
	at func(ast.Node) origin
}

func (l *loader) readYAML(data []byte, at func(ast.Node) origin, path string, into reflect.Value) {
	text := strings.TrimPrefix(string(data), "\ufeff") // as some editors begin a file
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		l.syntaxFault(err, at, path)
		return
	}
	r := reader{loader: l, at: at}
	seen := false
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if seen {
			l.fail(path, at(doc.Body),
				"a second document starts here; a file holds one configuration")
			return
		}
		seen = true
		r.read(path, into, doc.Body)
	}
}

// definedTwice matches the parser's message about a key that a mapping has twice.
var definedTwice = regexp.MustCompile(`^mapping key ("[^"]*") already defined at \[(\d+):\d+\]$`)

// syntaxFault records text that is not YAML, without the excerpt in the
// parser's message.
func (l *loader) syntaxFault(err error, at func(ast.Node) origin, path string) {
	where := at(nil)
	problem := "not YAML"
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		twice := definedTwice.FindStringSubmatch(syntax.Message)
		switch {
		case strings.Contains(syntax.Message, "'\t'"):
			problem = "not YAML: begins with a tab; indent with spaces"
		case twice != nil && where.line > 0:
			problem = fmt.Sprintf("%s is already in line %s; remove one of the two", twice[1],
				twice[2])
		case where.line > 0:
			problem += ": " + syntax.Message + "; check quotes, colons and indentation, also of " +
				"the line before"
		default:
			problem += ": " + syntax.Message
		}
		if tok := syntax.Token; tok != nil && where.line > 0 {
			where = origin{where: fmt.Sprintf("%s:%d", l.file, tok.Position.Line),
				line: tok.Position.Line}
		}
	}
	l.fail(path, where, "%s", problem)
}

// read applies one node to the field of its path.
func (r reader) read(path string, field reflect.Value, node ast.Node) {
	switch n := node.(type) {
	case *ast.NullNode:
		return // a key without a value keeps its default
	case *ast.TagNode:
		r.read(path, field, n.Value)
	case *ast.AnchorNode, *ast.AliasNode:
		r.fail(path, r.at(node), "anchors and aliases are not supported; write the value out")
	case *ast.MappingNode:
		r.readMapping(path, field, n)
	case *ast.SequenceNode:
		r.readList(path, field, n)
	case ast.ScalarNode:
		if isSection(field.Type()) || isList(field.Type()) || field.Kind() == reflect.Map {
			r.fail(path, r.at(node), "got a single value, want %s", wanted(path, field))
			return
		}
		if field.Kind() == reflect.Slice {
			// One item without its brackets.
			field.Set(reflect.ValueOf([]string{scalarText(n)}))
			r.origins[path] = r.at(node)
			return
		}
		r.assign(path, r.at(node), field, scalarText(n))
	default:
		r.fail(path, r.at(node), "got %s, want %s", kindOf(node), wanted(path, field))
	}
}

func (r reader) readMapping(path string, field reflect.Value, n *ast.MappingNode) {
	switch {
	case field.Kind() == reflect.Map:
		r.readNamed(path, field, n)
	case isSection(field.Type()):
		for _, entry := range n.Values {
			key, ok := r.key(path, entry)
			if !ok {
				continue
			}
			key = r.renamed(path, key, entry.Key)
			next, ok := member(field, key)
			if !ok {
				problem := "unknown key" + meant(path, key, keysOf(field.Type()), r.keys)
				if why, ok := gone[join(path, key)]; ok && r.keys != nil {
					problem = why
				}
				r.fail(join(path, key), r.at(entry.Key), "%s", problem)
				continue
			}
			r.read(join(path, key), next, entry.Value)
		}
	default:
		r.fail(path, r.at(n), "got a mapping, want %s", wanted(path, field))
	}
}

// renamed returns the present name of a key. Only one of two names may be used.
func (r reader) renamed(path, key string, node ast.Node) string {
	if r.keys == nil {
		return key
	}
	for former, present := range renamed {
		if at := join(path, key); at == former || at == present {
			if other, set := r.origins[present]; set {
				r.fail(at, r.at(node), "is also set in line %d, by its other name; remove one of "+
					"the two", other.line)
			}
			if at == former {
				r.Warnings = append(r.Warnings, fault{r.at(node), former,
					"is now called " + present}.String())
				return lastName(leafAt(present))
			}
		}
	}
	return key
}

// readNamed reads a mapping from names, such as those of models, to sections.
func (r reader) readNamed(path string, field reflect.Value, n *ast.MappingNode) {
	named := reflect.MakeMapWithSize(field.Type(), len(n.Values))
	for _, entry := range n.Values {
		name, ok := r.key(path, entry)
		if !ok {
			continue
		}
		section := reflect.New(field.Type().Elem()).Elem()
		r.read(join(path, name), section, entry.Value)
		r.origins[join(path, name)] = r.at(entry.Key)
		named.SetMapIndex(reflect.ValueOf(name), section)
	}
	field.Set(named)
}

func (r reader) readList(path string, field reflect.Value, n *ast.SequenceNode) {
	if field.Kind() != reflect.Slice {
		r.fail(path, r.at(n), "got a list, want %s", wanted(path, field))
		return
	}
	if isList(field.Type()) {
		r.readEntries(path, field, n)
		return
	}
	list := make([]string, 0, len(n.Values))
	for i, item := range n.Values {
		s, ok := item.(ast.ScalarNode)
		if !ok {
			r.fail(fmt.Sprintf("%s[%d]", path, i), r.at(item), "got %s, want a single value",
				kindOf(item))
			continue
		}
		list = append(list, scalarText(s))
	}
	field.Set(reflect.ValueOf(list))
	r.origins[path] = r.at(n)
}

// readEntries reads a list of sections.
func (r reader) readEntries(path string, field reflect.Value, n *ast.SequenceNode) {
	entries := reflect.MakeSlice(field.Type(), len(n.Values), len(n.Values))
	for i, item := range n.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		r.read(at, entries.Index(i), item)
		r.origins[at] = r.at(item)
	}
	field.Set(entries)
	r.origins[path] = r.at(n)
}

// key returns the key of an entry. A merge key or a key that is not a scalar
// is an error.
func (r reader) key(path string, entry *ast.MappingValueNode) (string, bool) {
	s, ok := entry.Key.(ast.ScalarNode)
	if !ok || entry.Key.IsMergeKey() {
		r.fail(path, r.at(entry.Key),
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
